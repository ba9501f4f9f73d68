/**
 * Named queries of a tenant (search.html#query): an OperationDefinition of the kind `query` says in an extension of ours
 * which search parameters it stands for. A value that is given to it takes the place of `{name}` inside one value, never
 * more: names and separators are read before.
 */
import { fhirError } from '../errors';
import { isJsonObject, type JsonObject, type JsonValue } from '../fhir/json';
import { splitUnescaped } from './parameter-value';

/** Behind the base address of our extensions: valueString, parameters as in an address with `{name}` in values. */
export const SEARCH_CRITERIA_EXTENSION = 'search-criteria';

type Parameter = readonly [name: string, value: string];

/** An input of a named query. */
export interface QueryInput {
  readonly name: string;
  readonly isRequired: boolean;
  /** True: it may be given several times, and any of the values may match. */
  readonly repeats: boolean;
  /** What kind of search parameter takes the value, or else the FHIR type of the value. */
  readonly kind: string | undefined;
  /** Position among the parameters of the definition. */
  readonly place: number;
}

/** A search parameter with the texts of its value, and names of inputs between them. */
export interface CriterionTemplate {
  readonly name: string;
  readonly parts: readonly (string | { readonly input: string })[];
}

export interface NamedQuery {
  readonly code: string;
  readonly url: string;
  /** Resource types that it can be asked of. */
  readonly types: readonly string[];
  readonly inputs: readonly QueryInput[];
  readonly criteria: readonly CriterionTemplate[];
}

/** A request for a named query as parameters of an ordinary search. */
export interface ExpandedQuery {
  /** What the query stands for. */
  readonly parameters: readonly Parameter[];
  /** What the request gave to the query, its name first. */
  readonly used: readonly Parameter[];
  /** All others of the request. */
  readonly others: readonly Parameter[];
}

export const NAMED_QUERY = '_query';

/** The extensions that say what a definition stands for, with their positions; of a sound one there is one. */
export function criteriaExtensions(
  { extension }: JsonObject,
  extensionBase: string,
): readonly { readonly value: JsonValue | undefined; readonly place: number }[] {
  return objectsOf(extension).flatMap(({ url, valueString }, place) =>
    url === `${extensionBase}/${SEARCH_CRITERIA_EXTENSION}` ? [{ value: valueString, place }] : [],
  );
}

/** Undefined for what is no named query, or was stored without being checked. */
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

/** Its parameters of the use `in`. */
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

/** The templates of `a=x&b=y{name}`; a text says what is wrong. */
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
      // Between two texts stands the name that the pattern has caught.
      const part = index % 2 === 1 ? { input: piece } : /[{}]/.test(piece) ? undefined : decode(piece);
      if (part === undefined || name === undefined)
        return `'${pair.slice(0, 80)}' has a brace that holds no name, or a % that encodes nothing`;
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

/** Throws invalidParameterValue where an input is missing or given too often. */
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
    if (before !== undefined && !input.repeats) throw wrongQuery(query, `it takes '${name}' once`);
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
 * Criteria of which an input was not given are left out; of an input with several values there is an alternative for
 * each. Throws tooCostly.
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
 * One value stays one: `$`, `,` and a backslash before nothing special mean themselves. `|` parts a system from its code
 * as ever, and what the client has escaped stays escaped (search.html#escaping).
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
