import { nextAbove } from '../fhir/exact-number';
import { LONG_DATE, ROW_SCHEME } from './index-rows';
import type { Criterion, RangePredicate } from './predicate';

/**
 * The same as several predicates, no two of which find one row, each of which enters the index by where ranges begin.
 * How far a range reaches no index tells; but one that is not long begins shortly before, and the long ones are few
 * and have rows of their own (ROW_SCHEME.long).
 */
export function splitRange(predicate: RangePredicate): readonly RangePredicate[] {
  const { lowFrom, lowTo, and } = predicate;
  if (lowFrom !== undefined || lowTo !== undefined || and !== undefined) return [predicate];
  return predicate.domain === 'date' ? splitDate(predicate) : splitNumber(predicate);
}

/** More are not walked side by side. */
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
      return tellByLow(splitAt(predicate, nextAbove(value)));
    case 'ge':
      return tellByLow(splitAt(predicate, value));
    case 'eb':
      return [{ ...predicate, lowTo: value }];
    default:
      return [predicate];
  }
}

/** Ranges that begin at `from` or later, and long ones that begin before. */
function splitAt(predicate: RangePredicate, from: number, to?: number): readonly RangePredicate[] {
  const { parameter } = predicate;
  return [
    { ...predicate, lowFrom: from, ...(to === undefined ? {} : { lowTo: to }) },
    { ...predicate, parameter: parameter + ROW_SCHEME.long, lowTo: from },
  ];
}

/** What begins far enough reaches far enough: only the long ones that begin before are asked how far they reach. */
function tellByLow([main, ...long]: readonly RangePredicate[]): readonly RangePredicate[] {
  return main === undefined ? [] : [{ ...main, isToldByLow: true }, ...long];
}

/**
 * Criteria on the only value of one parameter become one, so that an index range has both its ends:
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

/** The ranges that a criterion asks, one or another, of the only value that a resource has; undefined: it asks else. */
export function rangesOfOneValue(criterion: Criterion | undefined): readonly RangePredicate[] | undefined {
  if (criterion?.isSingle !== true || criterion.isNegated === true) return undefined;
  const ranges = criterion.anyOf.filter((predicate) => predicate.index === 'range');
  const isOne =
    ranges.length === criterion.anyOf.length &&
    ranges.every(({ parameter }) => parameter === ranges[0]?.parameter);
  return isOne && ranges.length > 0 && ranges.length <= MAX_RANGES ? ranges : undefined;
}

/** The range that a criterion asks of the only row that a resource has of it. */
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
