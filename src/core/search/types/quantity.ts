import { fhirError } from '../../errors';
import { canonicalUnit, UCUM_SYSTEM, type CanonicalUnit } from '../../fhir/quantity';
import type { Hasher } from '../hash';
import { ROW_SCHEME } from '../index-rows';
import { splitUnescaped, unescapeValue } from '../parameter-value';
import type { Predicate, RangePredicate } from '../predicate';
import { parseNumberValue, type NumberCriterion } from './number';
import type { SearchType } from './search-type';

/** A quantity that is searched: its number, and the unit in which a row must state it. */
export type QuantityCriterion = NumberCriterion & Pick<RangePredicate, 'unit'>;

export interface QuantityCriteria {
  /** As it stands; what numbers in this very unit are compared with. */
  readonly stated: QuantityCriterion;
  /** The same in base units, for rows of other units of UCUM; undefined where there are none. */
  readonly canonical: QuantityCriterion | undefined;
}

/**
 * `number`, `number|system|code` or `number||unit` (search.html#quantity). A UCUM code also finds what is stated in
 * other units of its dimension. Throws invalidParameterValue.
 */
export function parseQuantityValue(hasher: Hasher, name: string, text: string): QuantityCriteria {
  const parts = splitUnescaped(text, '|').map(unescapeValue);
  const [number = '', system = '', unit = ''] = parts;
  if (parts.length === 2 || parts.length > 3) {
    const reason = 'a quantity is number, number|system|code or number||unit';
    throw fhirError('invalidParameterValue', { parameter: name, value: text.slice(0, 80), reason });
  }
  const criterion = parseNumberValue(name, number);
  if (system === '' && unit === '') return { stated: criterion, canonical: undefined };
  if (system === '') {
    return { stated: { ...criterion, unit: { codeOrName: hasher.remembered(unit) } }, canonical: undefined };
  }
  const systemHash = hasher.remembered(system);
  const stated = {
    ...criterion,
    unit: { system: systemHash, ...(unit === '' ? {} : { code: hasher.remembered(unit) }) },
  };
  const canonical = system === UCUM_SYSTEM && unit !== '' ? canonicalUnit(unit) : undefined;
  return { stated, canonical: canonical && toCanonical(hasher, criterion, canonical) };
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
  { test, low, high, value = NaN }: NumberCriterion,
  unit: CanonicalUnit,
): QuantityCriterion {
  const converted = {
    domain: 'number',
    value: unit.toCanonical(value),
    unit: { code: hasher.remembered(unit.unit) },
  } as const;
  const first = unit.toCanonical(low);
  const last = unit.toCanonical(high);
  return unit.isDescending
    ? { ...converted, test: REVERSED[test] ?? test, low: last, high: first }
    : { ...converted, test, low: first, high: last };
}

export const quantityType: SearchType = {
  modifiers: [],
  predicates({ hasher }, { stored, name }, value): Predicate[] {
    const { stated, canonical } = parseQuantityValue(hasher, name, value);
    return stored.rowsOf.flatMap(({ number }): Predicate[] => [
      { index: 'range', parameter: number, ...stated },
      ...(canonical === undefined
        ? []
        : [{ index: 'range', parameter: number + ROW_SCHEME.canonicalUnit, ...canonical } as const]),
    ]);
  },
};
