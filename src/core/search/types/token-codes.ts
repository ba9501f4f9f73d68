/** Functions that all searches for tokens share. */
import { fhirError } from '../../errors';
import { compositeOrders } from '../sort/composite-order';
import type { Hasher } from '../rows/hash';
import type { StoredParameter } from '../parameters/parameter';
import { splitUnescaped, unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { CodeRows, HashedCode, Predicate } from '../predicate';
import type { ResourceKey } from '../rows/resource-key';
import { qualifierHash } from '../rows/range';
import { foldCode, isCaseInsensitive, markExact } from '../rows/token';
import type { SearchTypeContext, WrittenParameter } from './search-type';

/** Types whose values have no system: a `|` in the search value is an error (docs/use/search-reference.md, Token). */
const WITHOUT_SYSTEM: ReadonlySet<string> = new Set(['boolean', 'uri', 'url', 'canonical', 'string', 'id']);

/** Types whose values are codes of code systems, which terminology can resolve. */
export const OF_TERMINOLOGY: ReadonlySet<string> = new Set([
  'code',
  'Coding',
  'CodeableConcept',
  'CodeableReference',
]);

/**
 * Returns predicates for `code`, `system|code`, `|code` (no system), `system|` (any code of it) (search.html#token).
 */
export function codePredicates(
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
  const system = second === undefined ? undefined : first === '' ? 0 : hasher.cachedShort(first);
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
      ? { qualifiers: qualifiersOf(hasher, parameter, code) }
      : {};
    return spellings(code, codeRows(parameter)).map((spelling): Predicate => {
      const high = hasher.text(spelling);
      return { index: 'token', parameter: number, value: { high, low: hasher.low }, system, ...qualifiers };
    });
  });
}

/** Returns the possible hashes of a code in rows of composites. */
function qualifiersOf(hasher: Hasher, parameter: WrittenParameter, code: string): ResourceKey[] {
  const { hasFolded, hasExact } = codeRows(parameter);
  const texts = [...(hasFolded ? [foldCode(code)] : []), ...(hasExact ? [markExact(code)] : [])];
  return texts.map((text) => {
    const high = qualifierHash(hasher, undefined, text);
    return { high, low: hasher.low };
  });
}

/** True where no value has a system, so that a search must not have one. */
export function isWithoutSystem({ valueTypes }: StoredParameter): boolean {
  return valueTypes.every((type) => WITHOUT_SYSTEM.has(type));
}

/** Returns the rows of the parameter, and the form of codes in them. */
export function codeRows({ stored: { rowsOf, valueTypes, bindingSystems } }: WrittenParameter): CodeRows {
  return {
    parameters: rowsOf.map(({ number }) => number),
    isSystemless: bindingSystems.length === 0 && valueTypes.every((type) => type === 'code'),
    hasFolded: valueTypes.some(isCaseInsensitive),
    hasExact: valueTypes.length === 0 || valueTypes.some((type) => !isCaseInsensitive(type)),
  };
}

/** Returns the spellings of a code in the index: as written for codes, folded for codings, or both. */
function spellings(code: string, { hasFolded, hasExact }: CodeRows): string[] {
  const found = new Set<string>();
  if (hasFolded) found.add(foldCode(code));
  if (hasExact) found.add(hasFolded ? markExact(code) : code);
  return [...found];
}

/** Hashes codes of code systems as in the rows; without a system where the rows cannot have it. */
export function hashCodes(
  hasher: Hasher,
  rows: CodeRows,
  codes: Iterable<readonly [system: string, code: string]>,
): HashedCode[] {
  const hashed: HashedCode[] = [];
  for (const [systemName, code] of codes) {
    const system = rows.isSystemless ? 0 : hasher.cachedShort(systemName);
    for (const spelling of spellings(code, rows)) {
      const high = hasher.text(spelling);
      hashed.push({ value: { high, low: hasher.low }, system });
    }
  }
  return hashed;
}

/** Throws unsupportedModifier where no value is of one of the types. */
export function requireType(
  { stored, modifier = '' }: WrittenParameter,
  types: ReadonlySet<string>,
  why: string,
): void {
  if (stored.valueTypes.some((type) => types.has(type))) return;
  const explanation = `: ${why}`;
  throw fhirError('unsupportedModifier', { modifier, parameter: stored.parameter.code, explanation });
}

/** Returns the error of an invalid value. */
export function refusal({ name }: WrittenParameter, value: string, reason: string): Error {
  return fhirError('invalidParameterValue', { parameter: name, value: value.slice(0, 80), reason });
}
