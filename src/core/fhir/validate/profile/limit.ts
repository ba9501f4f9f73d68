/** Compiles minValue[x], maxValue[x] and maxLength (https://hl7.org/fhir/R4/elementdefinition.html). */
import { dateRange, timeRange, type DateRange } from '../../../../../packages/fhir-values/date';
import type { Definitions } from '../../definitions';
import { isJsonObject, type JsonValue } from '../../json';
import { compareExact, toExact } from '../../path/number';
import { UNMETERED } from '../../path/allowance';
import { compareQuantities, toQuantity } from '../../path/quantity';
import { TypeModel } from '../../path/type-node';
import { PathNode } from '../../path/value';
import type { DefinedValue } from './element';

/** True if a value is within the limit; undefined if the two cannot be compared. */
export type LimitTest = (value: JsonValue) => boolean | undefined;

/**
 * Compiles an inclusive limit; `side` is 'min' or 'max'. Returns undefined for a limit that cannot be evaluated: one
 * relative to now (a duration for a date), or of a type that has no order.
 */
export function compileLimit(
  definitions: Definitions,
  side: 'min' | 'max',
  { value: limit }: DefinedValue,
  typeName: string,
): LimitTest | undefined {
  if (isJsonObject(limit)) return compileQuantityLimit(definitions, side, limit, typeName);
  const sign = side === 'min' ? 1 : -1;
  const decimal = toExact(limit);
  if (decimal !== undefined) {
    return (value) => {
      const found = toExact(value);
      return found && compareExact(found, decimal) * sign >= 0;
    };
  }
  const rangeOf = typeName === 'time' ? timeRange : dateRange;
  const edge = typeof limit === 'string' ? rangeOf(limit) : undefined;
  if (edge === undefined) return undefined;
  return (value) => {
    const found = typeof value === 'string' ? rangeOf(value) : undefined;
    return found && !isBeyond(side, found, edge);
  };
}

/** A less precise date is beyond a limit only if its whole range is. */
function isBeyond(side: 'min' | 'max', found: DateRange, edge: DateRange): boolean {
  return side === 'min' ? found.high <= edge.low : found.low >= edge.high;
}

function compileQuantityLimit(
  definitions: Definitions,
  side: 'min' | 'max',
  limit: JsonValue,
  typeName: string,
): LimitTest | undefined {
  const node = TypeModel.of(definitions).node('Quantity');
  const edge = node && toQuantity(new PathNode(limit, node));
  if (!node || !edge || !definitions.conformsTo(typeName, 'Quantity')) return undefined;
  const sign = side === 'min' ? 1 : -1;
  return (value) => {
    const found = toQuantity(new PathNode(value, node));
    const order = found && compareQuantities(found, edge, UNMETERED);
    return order === undefined ? undefined : order * sign >= 0;
  };
}

/** Compares the number of Unicode characters. Cost: linear only if the text may be too long. */
export function isLongerThan(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return false;
  if (text.length > 2 * maxLength) return true;
  let characters = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0xdc00 || unit > 0xdfff) characters++;
  }
  return characters > maxLength;
}
