/** Totals of numbers by unit, and of units that UCUM converts into each other. */
import {
  add,
  addDecimal,
  compare,
  divide,
  multiply,
  toDecimalText,
  type Exact,
} from '../../fhir/exact-number';
import { canonicalUnit, UCUM_SYSTEM, type CanonicalUnit } from '../../fhir/quantity';
import { compareTexts } from '../sort/compare-texts';
import type { NumberStatistics, WrittenUnit } from '../requests/search-request';
import type { NumberValue } from './number-values';

/** The totals of the values of one unit. */
export interface UnitTotal {
  readonly unit: WrittenUnit;
  /** Number of values; the least, the greatest and the sum are undefined without any. */
  readonly count: number;
  readonly least: Exact | undefined;
  readonly greatest: Exact | undefined;
  readonly sum: Exact | undefined;
  /** Number of values that are no single number, such as `< 5`; they are in none of the others. */
  readonly inexact: number;
}

/** Equal exactly for the same unit: its code in its system, or its text if it has no code. */
export function keyOfUnit({ system, code, unit }: WrittenUnit): string {
  return JSON.stringify(code === undefined ? [system ?? '', null, unit ?? ''] : [system ?? '', code]);
}

/** Adds up values by unit. */
export class UnitTotals {
  readonly #totals = new Map<string, UnitTotal>();

  get size(): number {
    return this.#totals.size;
  }

  add({ unit, value }: NumberValue): void {
    const key = keyOfUnit(unit);
    const single = {
      unit,
      count: value === undefined ? 0 : 1,
      ...{ least: value, greatest: value, sum: value },
      inexact: value === undefined ? 1 : 0,
    };
    const total = this.#totals.get(key);
    this.#totals.set(key, total === undefined ? single : join(total, single, addDecimal));
  }

  list(): readonly UnitTotal[] {
    return [...this.#totals.values()];
  }
}

function join(one: UnitTotal, other: UnitTotal, plus: typeof add): UnitTotal {
  const either = (
    a: Exact | undefined,
    b: Exact | undefined,
    choose: (a: Exact, b: Exact) => Exact,
  ): Exact | undefined => (a === undefined || b === undefined ? (a ?? b) : choose(a, b));
  return {
    unit: one.unit,
    count: one.count + other.count,
    least: either(one.least, other.least, (a, b) => (compare(a, b) <= 0 ? a : b)),
    greatest: either(one.greatest, other.greatest, (a, b) => (compare(a, b) >= 0 ? a : b)),
    sum: either(one.sum, other.sum, plus),
    inexact: one.inexact + other.inexact,
  };
}

/**
 * Joins the totals of units that are multiples of each other, in the unit that most values have. `wanted`: the code of
 * the only unit of the result, or its text if it has no code. The greatest number of values comes first.
 */
export function statisticsOf(
  totals: readonly UnitTotal[],
  wanted: string | undefined,
): readonly NumberStatistics[] {
  const byKind = new Map<string, UnitTotal[]>();
  for (const total of totals) {
    const linear = linearUnit(total.unit);
    const kind = linear === undefined ? keyOfUnit(total.unit) : linear.unit;
    const alike = byKind.get(kind);
    if (alike) alike.push(total);
    else byKind.set(kind, [total]);
  }
  const joined = [...byKind.values()].flatMap((alike) => {
    const unit = wanted === undefined ? mostFrequent(alike) : wantedOf(alike, wanted);
    return unit === undefined ? [] : [toStatistics(joinIn(unit, alike))];
  });
  return joined.sort(byNumber);
}

/** The greatest number of values first. */
function byNumber(one: CountedUnit, other: CountedUnit): number {
  return (
    other.count + other.inexact - one.count - one.inexact ||
    compareTexts(keyOfUnit(one.unit), keyOfUnit(other.unit))
  );
}

type CountedUnit = Pick<UnitTotal, 'unit' | 'count' | 'inexact'>;

function mostFrequent(alike: readonly UnitTotal[]): WrittenUnit | undefined {
  return [...alike].sort(byNumber)[0]?.unit;
}

/** Returns the unit of the result; undefined if the totals cannot be given in it. */
function wantedOf(alike: readonly UnitTotal[], wanted: string): WrittenUnit | undefined {
  const same = alike.find(({ unit: { code, unit } }) => (code ?? unit ?? '') === wanted);
  if (same !== undefined) return same.unit;
  const unit = { system: UCUM_SYSTEM, code: wanted };
  const [first] = alike;
  const from = first && linearUnit(first.unit);
  return from !== undefined && linearUnit(unit)?.unit === from.unit ? unit : undefined;
}

type LinearUnit = CanonicalUnit & { readonly scale: NonNullable<CanonicalUnit['scale']> };

function linearUnit({ system, code }: WrittenUnit): LinearUnit | undefined {
  const found = system === UCUM_SYSTEM && code !== undefined ? canonicalUnit(code) : undefined;
  return found !== undefined && isLinear(found) ? found : undefined;
}

function isLinear(unit: CanonicalUnit): unit is LinearUnit {
  return unit.scale !== undefined;
}

function joinIn(unit: WrittenUnit, alike: readonly UnitTotal[]): UnitTotal {
  const none = { unit, count: 0, least: undefined, greatest: undefined, sum: undefined, inexact: 0 };
  return alike.reduce<UnitTotal>((joined, total) => join(joined, convert(total, unit), add), none);
}

function convert(total: UnitTotal, unit: WrittenUnit): UnitTotal {
  const [from, to] = [linearUnit(total.unit), linearUnit(unit)];
  if (keyOfUnit(total.unit) === keyOfUnit(unit) || from === undefined || to === undefined)
    return { ...total, unit };
  const convertSome = (value: Exact | undefined, count: number): Exact | undefined => {
    if (value === undefined) return undefined;
    const times = (offset: Exact): Exact => ({ top: offset.top * BigInt(count), bottom: offset.bottom });
    const base = add(multiply(value, from.scale.factor), times(from.scale.offset));
    const { top, bottom } = times(to.scale.offset);
    return divide(add(base, { top: -top, bottom }), to.scale.factor);
  };
  return {
    ...total,
    unit,
    least: convertSome(total.least, 1),
    greatest: convertSome(total.greatest, 1),
    sum: convertSome(total.sum, total.count),
  };
}

function toStatistics({ unit, count, inexact, least, greatest, sum }: UnitTotal): NumberStatistics {
  if (least === undefined || greatest === undefined || sum === undefined) return { unit, count, inexact };
  return {
    unit,
    count,
    inexact,
    min: toDecimalText(least),
    max: toDecimalText(greatest),
    avg: toDecimalText({ top: sum.top, bottom: sum.bottom * BigInt(count) }),
    sum: toDecimalText(sum),
  };
}
