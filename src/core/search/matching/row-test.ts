/** Tests criteria on the index rows of something that is not stored by itself, such as one element of a resource. */
import type { IndexRows, TokenRow } from '../rows/index-rows';
import type { Criterion, HashedCode, Predicate } from '../predicate';
import { meetsRange, meetsSpan } from './range-row-test';

/**
 * True when the rows meet all criteria. Pending predicates, positions and predicates on other resources are not
 * allowed.
 */
export function meetsCriteria(criteria: readonly Criterion[], rows: IndexRows): boolean {
  return criteria.every(
    ({ anyOf, isNegated = false }) => anyOf.some((predicate) => meets(predicate, rows)) !== isNegated,
  );
}

/** The same for one predicate. */
export function meets(predicate: Predicate, rows: IndexRows): boolean {
  switch (predicate.index) {
    case 'token': {
      const { parameter, value, system } = predicate;
      return rows.tokens.some((row) => row.parameter === parameter && isCode(row, { value, system }));
    }
    case 'codes':
    case 'otherCode': {
      const { index, parameter, codes } = predicate;
      const isWanted = index === 'codes';
      return rows.tokens.some(
        (row) => row.parameter === parameter && codes.some((code) => isCode(row, code)) === isWanted,
      );
    }
    case 'reference': {
      const { parameter, target, targetType } = predicate;
      return rows.references.some(
        (row) =>
          row.parameter === parameter &&
          row.targetHigh === target.high &&
          row.targetLow === target.low &&
          (targetType === undefined || row.targetType === targetType),
      );
    }
    case 'range':
      return rows.ranges.some((row) => meetsRange(predicate, row));
    case 'span':
      return rows.ranges.some((row) => meetsSpan(predicate, row));
    case 'references':
    case 'otherReference': {
      const { index, parameter, targets, targetType } = predicate;
      const isWanted = index === 'references';
      return rows.references.some(
        (row) =>
          row.parameter === parameter &&
          row.targetType === targetType &&
          targets.some(({ high, low }) => row.targetHigh === high && row.targetLow === low) === isWanted,
      );
    }
    case 'string': {
      const { parameter, from, to, exact, isWhole: mustBeWhole = false } = predicate;
      return rows.strings.some(
        (row) =>
          row.parameter === parameter &&
          (exact === undefined || row.exact === exact) &&
          (!mustBeWhole || row.isWhole) &&
          isWithin(row.value, from, to),
      );
    }
    case 'stringEnd': {
      const { parameter, text } = predicate;
      return rows.strings.some(
        ({ parameter: of, value, isWhole }) => of === parameter && isWhole && value.endsWith(text),
      );
    }
    case 'substring': {
      const { parameter, text } = predicate;
      return rows.strings.some(({ parameter: of, value }) => of === parameter && value.includes(text));
    }
    case 'uri': {
      const { parameter, value, to, version, versionTo } = predicate;
      return rows.uris.some(
        (row) =>
          row.parameter === parameter &&
          isWithin(row.value, value, to) &&
          (version === undefined || isWithin(row.version, version, versionTo)),
      );
    }
    case 'uriSubstring': {
      const { parameter, text } = predicate;
      return rows.uris.some(({ parameter: of, value }) => of === parameter && value.includes(text));
    }
    case 'presence': {
      const { ordinal, isPresent } = predicate;
      return (((rows.presence[ordinal >> 3] ?? 0) >> (ordinal & 7)) & 1) === (isPresent ? 1 : 0);
    }
    case 'all':
      return meetsCriteria(predicate.criteria, rows);
    default:
      throw new Error(`A predicate of the kind '${predicate.index}' is not tested on rows in memory`);
  }
}

/** True for `from` up to `to`, by code points as the index compares; for `from` alone where `to` is undefined. */
function isWithin(value: string, from: string, to: string | undefined): boolean {
  if (to === undefined) return value === from;
  const bytes = Buffer.from(value);
  return bytes.compare(Buffer.from(from)) >= 0 && bytes.compare(Buffer.from(to)) < 0;
}

/** Undefined means any value or any system. */
type PartialCode = { readonly [Member in keyof HashedCode]?: HashedCode[Member] | undefined };

function isCode({ valueHigh, valueLow, system }: TokenRow, code: PartialCode): boolean {
  const { value } = code;
  return (
    (value === undefined || (value.high === valueHigh && value.low === valueLow)) &&
    (code.system === undefined || code.system === system)
  );
}
