import { fhirError } from '../../errors';
import { canonicalUnit, UCUM_SYSTEM, type CanonicalUnit } from '../../fhir/quantity';
import type { Hasher } from '../rows/hash';
import { ROW_SCHEME } from '../rows/index-rows';
import { splitUnescaped, unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Predicate, RangePredicate, RangeUnit } from '../predicate';
import { numberPredicates, parseNumberValue, type NumberCriterion, type NumberRows } from './number';
import type { SearchType } from './search-type';

/** A quantity in a search: its number, and the unit that a row must have; undefined: any unit. */
interface UnitCriterion {
  readonly number: NumberCriterion;
  readonly unit: RangeUnit | undefined;
}

export interface QuantityCriteria {
  /** As written; compared with numbers in the same unit. */
  readonly stated: UnitCriterion;
  /** The same in base units, for rows in other UCUM units; undefined where there are none. */
  readonly canonical: CanonicalCriterion | undefined;
}

interface CanonicalCriterion {
  readonly number: NumberCriterion;
  /** Hash of the base units. */
  readonly unit: number;
  /** True: rows as stated are searched too. */
  readonly needsStated: boolean;
}

/**
 * Parses `number`, `number|system|code` or `number||unit` (search.html#quantity). A UCUM code also matches values in
 * other units of its dimension. Throws invalidParameterValue.
 */
export function parseQuantityValue(hasher: Hasher, name: string, text: string): QuantityCriteria {
  const parts = splitUnescaped(text, '|').map(unescapeValue);
  const [numberText = '', system = '', code = ''] = parts;
  if (parts.length === 2 || parts.length > 3) {
    const reason = 'a quantity is number, number|system|code or number||unit';
    throw fhirError('invalidParameterValue', { parameter: name, value: text.slice(0, 80), reason });
  }
  const number = parseNumberValue(name, numberText);
  if (system === '') {
    const unit = code === '' ? undefined : { codeOrName: hasher.cachedShort(code) };
    return { stated: { number, unit }, canonical: undefined };
  }
  const systemHash = hasher.cachedShort(system);
  const unit = { system: systemHash, ...(code === '' ? {} : { code: hasher.cachedShort(code) }) };
  const canonical = system === UCUM_SYSTEM && code !== '' ? canonicalUnit(code) : undefined;
  return { stated: { number, unit }, canonical: canonical && toCanonical(hasher, number, canonical) };
}

/** Returns the predicates on the rows of a quantity, in its unit and in base units. */
export function quantityPredicates(
  hasher: Hasher,
  { stated, canonical }: QuantityCriteria,
  rows: Omit<NumberRows, 'unit'>,
): RangePredicate[] {
  const { parameter } = rows;
  const asStated = numberPredicates(hasher, stated.number, {
    ...rows,
    parameter,
    ...(stated.unit === undefined ? {} : { unit: stated.unit }),
  });
  if (canonical === undefined) return asStated;
  const { number, unit } = canonical;
  const inBaseUnits = numberPredicates(hasher, number, {
    ...rows,
    parameter: parameter + ROW_SCHEME.canonicalUnit,
    unit: { code: unit },
    canonicalUnit: unit,
  });
  // Values in this unit also have rows in base units; the bounds differ only where the scale is descending. Rows of
  // arbitrary units from before they were converted are found as stated until the next reindex.
  return canonical.needsStated ? [...asStated, ...inBaseUnits] : inBaseUnits;
}

const REVERSED: Readonly<Partial<Record<NumberCriterion['test'], NumberCriterion['test']>>> = {
  gt: 'lt',
  lt: 'gt',
  ge: 'le',
  le: 'ge',
  sa: 'eb',
  eb: 'sa',
};

function toCanonical(
  hasher: Hasher,
  { test, low, high, value }: NumberCriterion,
  unit: CanonicalUnit,
): CanonicalCriterion | undefined {
  const exact = unit.toExact(value);
  const first = unit.toExact(low);
  const last = unit.toExact(high);
  if (exact === undefined || first === undefined || last === undefined) return undefined;
  const number = unit.isDescending
    ? { test: REVERSED[test] ?? test, value: exact, low: last, high: first }
    : { test, value: exact, low: first, high: last };
  const needsStated = unit.isDescending || unit.isArbitrary;
  return { number, unit: hasher.cachedShort(unit.unit), needsStated };
}

export const quantityType: SearchType = {
  modifiers: new Map(),
  predicates({ hasher }, { stored, name }, value): Predicate[] {
    const criteria = parseQuantityValue(hasher, name, value);
    return stored.rowsOf.flatMap(({ number }) => quantityPredicates(hasher, criteria, { parameter: number }));
  },
};
