/**
 * Named queries of a tenant (search.html#query). An OperationDefinition of the kind `query` has an extension of ours
 * with the search parameters that it stands for. A client's value replaces `{name}` inside one value and cannot change
 * more, because names and separators are parsed before.
 */
import { fhirError } from '../../errors';
import { isJsonObject, type JsonObject, type JsonValue } from '../../fhir/json';
import { splitUnescaped } from '../../../../packages/fhir-values/search-value';

/**
 * Relative to the base address of our extensions: a valueString with parameters as in an address, with `{name}` in
 * values.
 */
export const SEARCH_CRITERIA_EXTENSION = 'search-criteria';

type Parameter = readonly [name: string, value: string];

/** An input of a named query. */
export interface QueryInput {
  readonly name: string;
  readonly isRequired: boolean;
  /** True: a client may send it several times, and any of the values may match. */
  readonly repeats: boolean;
  /** The kind of search parameter that takes the value, or else the FHIR type of the value. */
  readonly kind: string | undefined;
  /** Position among the parameters of the definition. */
  readonly place: number;
}

/** A search parameter whose value consists of texts and names of inputs. */
export interface CriterionTemplate {
  readonly name: string;
  readonly parts: readonly (string | { readonly input: string })[];
}

export interface NamedQuery {
  readonly code: string;
  readonly url: string;
  /** Resource types that it can search. */
  readonly types: readonly string[];
  readonly inputs: readonly QueryInput[];
  readonly criteria: readonly CriterionTemplate[];
}

/** A request for a named query as parameters of an ordinary search. */
export interface ExpandedQuery {
  /** The search parameters that the query stands for. */
  readonly parameters: readonly Parameter[];
  /** Parameters of the request that the query used, its name first. */
  readonly used: readonly Parameter[];
  /** All other parameters of the request. */
  readonly others: readonly Parameter[];
}

export const NAMED_QUERY = '_query';

/** Returns the criteria extensions of a definition, with their positions; a sound definition has one. */
export function criteriaExtensions(
  { extension }: JsonObject,
  extensionBase: string,
): readonly { readonly value: JsonValue | undefined; readonly place: number }[] {
  return objectsOf(extension).flatMap(({ url, valueString }, place) =>
    url === `${extensionBase}/${SEARCH_CRITERIA_EXTENSION}` ? [{ value: valueString, place }] : [],
  );
}

/** Reads a named query; undefined for a resource that is none, or that was stored without being checked. */
export function readNamedQuery(resource: JsonObject, extensionBase: string): NamedQuery | undefined {
  const { code, url, status, kind } = resource;
  const [criteria, ...others] = criteriaExtensions(resource, extensionBase);
  if (typeof criteria?.value !== 'string' || others.length > 0 || status !== 'active' || kind !== 'query')
    return undefined;
  const templates = parseCriteria(criteria.value);
  if (typeof code !== 'string' || typeof url !== 'string' || typeof templates === 'string') return undefined;
  return {
    code,
    url,
    types: textsOf(resource['resource']),
    inputs: readInputs(resource),
    criteria: templates,
  };
}

/** Returns the definition's parameters of the use `in`. */
export function readInputs({ parameter }: JsonObject): QueryInput[] {
  return objectsOf(parameter).flatMap(({ name, use, min, max, searchType, type }, place) => {
    if (use !== 'in' || typeof name !== 'string') return [];
    const kind = typeof searchType === 'string' ? searchType : type;
    return [
      {
        name,
        isRequired: typeof min === 'number' && min > 0,
        repeats: max !== '1',
        kind: typeof kind === 'string' ? kind : undefined,
        place,
      },
    ];
  });
}

const INPUT = /\{([A-Za-z][A-Za-z0-9_-]*)\}/;

/** Parses the templates of `a=x&b=y{name}`; returns a text that says what is wrong with them. */
export function parseCriteria(text: string): readonly CriterionTemplate[] | string {
  const templates: CriterionTemplate[] = [];
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    if (equals < 1) return `'${pair.slice(0, 80)}' is not written as name=value`;
    const name = decode(pair.slice(0, equals));
    const pieces = pair.slice(equals + 1).split(INPUT);
    const parts: CriterionTemplate['parts'][number][] = [];
    for (const [index, piece] of pieces.entries()) {
      // Odd pieces are the names that the pattern captured.
      const part = index % 2 === 1 ? { input: piece } : /[{}]/.test(piece) ? undefined : decode(piece);
      if (part === undefined || name === undefined)
        return `'${pair.slice(0, 80)}' has an invalid placeholder or percent-encoding`;
      if (part !== '') parts.push(part);
    }
    if (name === undefined || /[{}]/.test(name))
      return `'${pair.slice(0, 80)}' is not the name of a parameter`;
    templates.push({ name, parts });
  }
  return templates;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** Expands a named query. Throws invalidParameterValue for a missing input or one that was sent too often. */
export function expandQuery(query: NamedQuery, given: readonly Parameter[]): ExpandedQuery {
  const inputs = new Map(query.inputs.map((input) => [input.name, input]));
  const values = new Map<string, readonly string[]>();
  const used: Parameter[] = [[NAMED_QUERY, query.code]];
  const others: Parameter[] = [];
  for (const [name, value] of given) {
    const input = inputs.get(name);
    if (name === NAMED_QUERY || value === '') continue;
    if (input === undefined) {
      others.push([name, value]);
      continue;
    }
    const before = values.get(name);
    if (before !== undefined && !input.repeats) throw wrongQuery(query, `'${name}' must occur only once`);
    const alternatives = input.repeats ? splitUnescaped(value, ',') : [value];
    values.set(name, [...(before ?? []), ...alternatives.map(escapeValue)]);
    used.push([name, value]);
  }
  for (const { name, isRequired } of query.inputs)
    if (isRequired && !values.has(name)) throw wrongQuery(query, `it needs the parameter '${name}'`);
  return { parameters: fillIn(query.criteria, values), used, others };
}

const MAX_ALTERNATIVES = 1_000;

/**
 * Fills values into criteria. A criterion with a missing input is omitted; an input with several values gives an
 * alternative for each. Throws tooCostly.
 */
export function fillIn(
  criteria: readonly CriterionTemplate[],
  values: ReadonlyMap<string, readonly string[]>,
): Parameter[] {
  return criteria.flatMap(({ name, parts }): Parameter[] => {
    let alternatives: readonly string[] = [''];
    for (const part of parts) {
      const texts = typeof part === 'string' ? [part] : (values.get(part.input) ?? []);
      if (alternatives.length * texts.length > MAX_ALTERNATIVES) {
        const reason = `A search parameter may have at most ${MAX_ALTERNATIVES} alternatives`;
        throw fhirError('tooCostly', { reason });
      }
      alternatives = alternatives.flatMap((before) => texts.map((text) => before + text));
    }
    return alternatives.length === 0 ? [] : [[name, alternatives.join(',')]];
  });
}

function wrongQuery({ code }: NamedQuery, reason: string): Error {
  return fhirError('invalidParameterValue', { parameter: NAMED_QUERY, value: code, reason });
}

/**
 * Escapes a value so that it stays one value: `$`, `,` and a backslash before no special character become literal. `|`
 * still separates a system from its code, and escapes of the client stay (search.html#escaping).
 */
function escapeValue(value: string): string {
  return value.replace(/\\[\\,$|]|[\\,$]/g, (found) => (found.length > 1 ? found : `\\${found}`));
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map((one) => (isJsonObject(one) ? one : {})) : [];
}

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
