import { fhirError } from '../../errors';
import { compositeOrders } from '../composite-order';
import { ROW_SCHEME } from '../index-rows';
import type { StoredParameter } from '../parameter';
import { splitUnescaped, unescapeValue } from '../parameter-value';
import type { CodeRows, HashedCode, Predicate } from '../predicate';
import type { Hasher } from '../hash';
import type { ResourceKey } from '../resource-key';
import { qualifierHash } from '../rows/composite';
import { foldCode, isCaseInsensitive, markExact } from '../rows/token';
import { allWords } from '../words';
import type { SearchType, SearchTypeContext, WrittenParameter } from './search-type';

/** Types whose values have no system: a `|` in the search value is a mistake (search-rules.md, Token). */
const WITHOUT_SYSTEM: ReadonlySet<string> = new Set([
  'boolean',
  'uri',
  'url',
  'canonical',
  'ContactPoint',
  'string',
  'id',
]);

/** Types whose values are codes of code systems, so that terminology can tell about them. */
const OF_TERMINOLOGY: ReadonlySet<string> = new Set([
  'code',
  'Coding',
  'CodeableConcept',
  'CodeableReference',
]);

/** Types with a text beside the code: CodeableConcept.text, Coding.display, Identifier.type.text. */
const WITH_TEXT: ReadonlySet<string> = new Set([
  'Coding',
  'CodeableConcept',
  'CodeableReference',
  'Identifier',
]);

/** The system of media types. */
const MEDIA_TYPES = 'urn:ietf:bcp:13';

/** `code`, `system|code`, `|code` (no system), `system|` (any code of it) (search.html#token). */
export const tokenType: SearchType = {
  modifiers: ['not', 'of-type', 'text', 'in', 'not-in', 'above', 'below'],
  negations: ['not', 'not-in'],
  predicates(context, parameter, value): Predicate[] {
    switch (parameter.modifier) {
      case 'of-type':
        return ofTypePredicates(context, parameter, value);
      case 'text':
        return [textPredicate(context, parameter, value)];
      case 'in':
      case 'not-in':
        requireType(parameter, OF_TERMINOLOGY, 'its values are not codes of a code system');
        context.requireAll?.('ValueSet', `The modifier ':${parameter.modifier}'`);
        return [{ index: 'valueSet', rows: codeRows(parameter), valueSet: unescapeValue(value) }];
      case 'above':
      case 'below':
        return subsumptionPredicates(context, parameter, parameter.modifier, value);
      default:
        return codePredicates(context, parameter, value);
    }
  },
};

function codePredicates(
  { definitions, hasher }: SearchTypeContext,
  parameter: WrittenParameter,
  value: string,
): Predicate[] {
  const { stored } = parameter;
  const orders = compositeOrders(definitions, stored.parameter.type);
  const parts = splitUnescaped(value, '|').map(unescapeValue);
  if (parts.length > 2)
    throw refusal(
      parameter,
      value,
      'a token is code, system|code, |code or system|; write \\| for a bar inside',
    );
  const [first = '', second] = parts;
  const code = second ?? first;
  if (second !== undefined && isWithoutSystem(stored)) {
    throw refusal(parameter, value, 'values of this parameter have no system');
  }
  const system = second === undefined ? undefined : first === '' ? 0 : hasher.remembered(first);
  if (code === '') {
    if (second === undefined || first === '')
      throw refusal(parameter, value, 'there is neither a system nor a code');
    return stored.rowsOf.map(({ number }) => ({
      index: 'token',
      parameter: number,
      value: undefined,
      system,
    }));
  }
  return stored.rowsOf.flatMap(({ number }) => {
    const qualifiers = orders.some((order) => order.code === number)
      ? { qualifiers: qualifiersOf(hasher, parameter, second === undefined ? undefined : first, code) }
      : {};
    return spellings(code, codeRows(parameter)).map((spelling): Predicate => {
      const high = hasher.text(spelling);
      return { index: 'token', parameter: number, value: { high, low: hasher.low }, system, ...qualifiers };
    });
  });
}

/** The ways in which rows of composites name a code; `system` as there: undefined is any, '' is none. */
function qualifiersOf(
  hasher: Hasher,
  parameter: WrittenParameter,
  system: string | undefined,
  code: string,
): ResourceKey[] {
  const { hasFolded, hasExact } = codeRows(parameter);
  const texts = [...(hasFolded ? [foldCode(code)] : []), ...(hasExact ? [markExact(code)] : [])];
  return texts.map((text) => {
    const high = qualifierHash(hasher, system, text);
    return { high, low: hasher.low };
  });
}

/** True where no value has a system, and none may be written. */
export function isWithoutSystem({ valueTypes }: StoredParameter): boolean {
  return valueTypes.every((type) => WITHOUT_SYSTEM.has(type));
}

function ofTypePredicates(
  { hasher }: SearchTypeContext,
  parameter: WrittenParameter,
  value: string,
): Predicate[] {
  const parts = splitUnescaped(value, '|').map(unescapeValue);
  const [system = '', type = '', text = ''] = parts;
  if (parts.length !== 3 || type === '' || text === '')
    throw refusal(parameter, value, 'it is system|code|value of an identifier');
  return parameter.stored.rowsOf.map(({ number }): Predicate => {
    const high = hasher.parts(system, foldCode(type), foldCode(text));
    return {
      index: 'token',
      parameter: number + ROW_SCHEME.ofType,
      value: { high, low: hasher.low },
      system: 0,
    };
  });
}

/** `:text`: the words of the value, in any order, each the beginning of a word of one text beside the code. */
function textPredicate(
  { definitions: { release } }: SearchTypeContext,
  parameter: WrittenParameter,
  value: string,
): Predicate {
  requireType(parameter, WITH_TEXT, 'its values have no text beside the code');
  const condition = allWords(parameter.name, unescapeValue(value));
  const definition = parameter.stored.parameter;
  return {
    index: 'scan',
    scan: { kind: 'words', release, type: definition.type, texts: { parameter: definition }, condition },
  };
}

/**
 * `:above`, `:below` with `system|code`; a code alone where a binding tells the system. Media types have no code
 * system: theirs is by the part before the parameters (search.html#mimetype).
 */
function subsumptionPredicates(
  { definitions: { release }, requireAll }: SearchTypeContext,
  parameter: WrittenParameter,
  relation: 'above' | 'below',
  value: string,
): Predicate[] {
  requireType(parameter, OF_TERMINOLOGY, 'its values are not codes of a code system');
  const { bindingSystems } = parameter.stored;
  const parts = splitUnescaped(value, '|').map(unescapeValue);
  const [first = '', second] = parts;
  const code = second ?? first;
  if (parts.length > 2 || code === '' || (second !== undefined && first === ''))
    throw refusal(parameter, value, 'a concept is system|code');
  const systems = second === undefined ? bindingSystems : [first];
  if (systems.length === 0)
    throw refusal(parameter, value, 'write system|code: a code alone does not name a concept');
  return systems.map((system): Predicate => {
    if (system !== MEDIA_TYPES || !bindingSystems.includes(MEDIA_TYPES)) {
      requireAll?.('CodeSystem', `The modifier ':${relation}'`);
      return { index: 'subsumption', rows: codeRows(parameter), relation, system, code };
    }
    if (relation === 'above') throw refusal(parameter, value, 'media types are compared with :below only');
    const definition = parameter.stored.parameter;
    return {
      index: 'scan',
      scan: {
        kind: 'mediaType',
        release,
        type: definition.type,
        parameter: definition,
        base: code.toLowerCase(),
      },
    };
  });
}

function codeRows({ stored: { rowsOf, valueTypes, bindingSystems } }: WrittenParameter): CodeRows {
  return {
    parameters: rowsOf.map(({ number }) => number),
    isSystemless: bindingSystems.length === 0 && valueTypes.every((type) => type === 'code'),
    hasFolded: valueTypes.some(isCaseInsensitive),
    hasExact: valueTypes.length === 0 || valueTypes.some((type) => !isCaseInsensitive(type)),
  };
}

/** How the code stands in the index: as written for codes, folded for codings; both where a parameter has both. */
function spellings(code: string, { hasFolded, hasExact }: CodeRows): string[] {
  const found = new Set<string>();
  if (hasFolded) found.add(foldCode(code));
  if (hasExact) found.add(hasFolded ? markExact(code) : code);
  return [...found];
}

/** Codes of code systems as the rows have them; the code alone where the rows cannot have its system. */
export function hashCodes(
  hasher: Hasher,
  rows: CodeRows,
  codes: Iterable<readonly [system: string, code: string]>,
): HashedCode[] {
  const hashed: HashedCode[] = [];
  for (const [systemName, code] of codes) {
    const system = rows.isSystemless ? 0 : hasher.remembered(systemName);
    for (const spelling of spellings(code, rows)) {
      const high = hasher.text(spelling);
      hashed.push({ value: { high, low: hasher.low }, system });
    }
  }
  return hashed;
}

function requireType(
  { stored, modifier = '' }: WrittenParameter,
  types: ReadonlySet<string>,
  why: string,
): void {
  if (stored.valueTypes.some((type) => types.has(type))) return;
  const known = `: ${why}`;
  throw fhirError('unsupportedModifier', { modifier, parameter: stored.parameter.code, known });
}

function refusal({ name }: WrittenParameter, value: string, reason: string): Error {
  return fhirError('invalidParameterValue', { parameter: name, value: value.slice(0, 80), reason });
}
