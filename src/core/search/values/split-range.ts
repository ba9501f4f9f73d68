import { nextAbove } from '../../fhir/exact-number';
import { LONG_DATE, ROW_SCHEME } from '../rows/index-rows';
import type { Criterion, RangePredicate } from '../predicate';

/**
 * Splits a range predicate into several that match disjoint rows, each with bounds for the beginning of ranges. No
 * index holds the ends of ranges; but a range that is not long begins shortly before its end, and the few long ranges
 * have rows of their own (ROW_SCHEME.long).
 */
export function splitRange(predicate: RangePredicate): readonly RangePredicate[] {
  const { lowFrom, lowTo, and } = predicate;
  if (lowFrom !== undefined || lowTo !== undefined || and !== undefined) return [predicate];
  return predicate.domain === 'date' ? splitDate(predicate) : splitNumber(predicate);
}

/** Limit on the ranges that are scanned side by side. */
const MAX_RANGES = 4;

function splitDate(predicate: RangePredicate): readonly RangePredicate[] {
  const { test, low, high } = predicate;
  switch (test) {
    case 'gt':
      return splitAt(predicate, high - LONG_DATE);
    case 'ge':
      return splitAt(predicate, Math.min(low, high - LONG_DATE));
    case 'ap':
      return splitAt(predicate, low - LONG_DATE, high);
    case 'includes':
      return splitAt(predicate, high - LONG_DATE);
    case 'le':
      return [{ ...predicate, lowTo: nextAbove(high) }];
    case 'eb':
      return [{ ...predicate, lowTo: nextAbove(low) }];
    default:
      return [predicate];
  }
}

function splitNumber(predicate: RangePredicate): readonly RangePredicate[] {
  const { test, low, value } = predicate;
  if (test === 'ap') return splitAt(predicate, low);
  if (value === undefined) return [predicate];
  switch (test) {
    case 'gt':
      return decidedByLow(splitAt(predicate, nextAbove(value)));
    case 'ge':
      return decidedByLow(splitAt(predicate, value));
    case 'eb':
      return [{ ...predicate, lowTo: value }];
    default:
      return [predicate];
  }
}

/** Returns two predicates: ranges that begin at `from` or later, and long ones that begin before. */
function splitAt(predicate: RangePredicate, from: number, to?: number): readonly RangePredicate[] {
  const { parameter } = predicate;
  return [
    { ...predicate, lowFrom: from, ...(to === undefined ? {} : { lowTo: to }) },
    { ...predicate, parameter: parameter + ROW_SCHEME.long, lowTo: from },
  ];
}

/** Ranges that begin late enough also end late enough, so the end is tested only for long ones that begin before. */
function decidedByLow([main, ...long]: readonly RangePredicate[]): readonly RangePredicate[] {
  return main === undefined ? [] : [{ ...main, isDecidedByLow: true }, ...long];
}

/**
 * Merges criteria on the only value of one parameter, so that an index range has both bounds:
 * `date=ge2020-01-01&date=lt2020-02-01`.
 */
export function mergeRanges(criteria: readonly Criterion[]): readonly Criterion[] {
  if (criteria.length < 2) return criteria;
  const merged: Criterion[] = [];
  for (const criterion of criteria) {
    const range = onlyRange(criterion);
    const at = range === undefined ? -1 : merged.findIndex((other) => isOfSameRow(onlyRange(other), range));
    const first = at === -1 ? undefined : onlyRange(merged[at]);
    if (range === undefined || first === undefined) merged.push(criterion);
    else merged[at] = { ...criterion, anyOf: [{ ...first, and: [...(first.and ?? []), range] }] };
  }
  return merged;
}

/**
 * Returns the alternative ranges of a criterion on a parameter with one value in a resource; undefined for any other
 * criterion.
 */
export function rangesOfOneValue(criterion: Criterion | undefined): readonly RangePredicate[] | undefined {
  if (criterion?.isSingle !== true || criterion.isNegated === true) return undefined;
  const ranges = criterion.anyOf.filter((predicate) => predicate.index === 'range');
  const isOne =
    ranges.length === criterion.anyOf.length &&
    ranges.every(({ parameter }) => parameter === ranges[0]?.parameter);
  return isOne && ranges.length > 0 && ranges.length <= MAX_RANGES ? ranges : undefined;
}

/** Returns the range of a criterion whose only predicate is on a parameter with one row in a resource. */
export function onlyRange(criterion: Criterion | undefined): RangePredicate | undefined {
  if (criterion?.isSingle !== true || criterion.isNegated === true || criterion.anyOf.length !== 1)
    return undefined;
  const [only] = criterion.anyOf;
  return only?.index === 'range' ? only : undefined;
}

function isOfSameRow(one: RangePredicate | undefined, other: RangePredicate): boolean {
  return (
    one?.parameter === other.parameter &&
    one.qualifier?.high === other.qualifier?.high &&
    one.qualifier?.low === other.qualifier?.low &&
    one.qualifierSystem === other.qualifierSystem
  );
}
