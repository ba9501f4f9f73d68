/** Reference ranges of a measured value: which of them it is compared with, and how they are said. */
import { isObject, numberOf, objectsOf, textOf, type JsonObject } from '../api/json';
import { formatCodeableConcept, formatRange } from './format';

export interface ReferenceLimits {
  /** In the unit of the value; undefined: there is none, or which range holds for the patient is not known. */
  readonly low: number | undefined;
  readonly high: number | undefined;
  /** With the digits that it was written with; '' where there is none. */
  readonly range: string;
}

/**
 * The limits of `holder`, an Observation or a component: those of its only normal range that holds for everybody. Without such a
 * range all are said, with what they mean and for whom, and the value is compared with none.
 */
export function readReferenceLimits(holder: JsonObject, quantity: JsonObject | undefined): ReferenceLimits {
  const ranges = objectsOf(holder['referenceRange']);
  const normal = ranges.filter(isNormal);
  const [range] = normal;
  if (range === undefined || normal.length > 1)
    return {
      low: undefined,
      high: undefined,
      range: ranges
        .map(describe)
        .filter((text) => text !== '')
        .join('; '),
    };
  const limit = (name: string): number | undefined => {
    const value = range[name];
    return isObject(value) && isSameUnit(quantity ?? {}, value) ? numberOf(value['value']) : undefined;
  };
  return { low: limit('low'), high: limit('high'), range: textOfRange(range) };
}

function isNormal(range: JsonObject): boolean {
  if (isObject(range['age']) || objectsOf(range['appliesTo']).length > 0) return false;
  const { type } = range;
  return !isObject(type) || objectsOf(type['coding']).some(({ code }) => textOf(code) === 'normal');
}

function textOfRange(range: JsonObject): string {
  return formatRange(range) || (textOf(range['text']) ?? '');
}

function describe(range: JsonObject): string {
  const text = textOfRange(range);
  const concepts = [range['type'], ...objectsOf(range['appliesTo'])].filter(isObject);
  const words = concepts.map(formatCodeableConcept).filter((word) => word !== '');
  return text === '' || words.length === 0 ? text : `${words.join(', ')}: ${text}`;
}

/** A limit without a unit has that of the value. */
function isSameUnit(value: JsonObject, limit: JsonObject): boolean {
  const [ofValue, ofLimit] = [value, limit].map((quantity) => ({
    code: textOf(quantity['code']),
    unit: textOf(quantity['unit']),
  }));
  if (ofLimit?.code === undefined && ofLimit?.unit === undefined) return true;
  if (ofValue?.code !== undefined && ofLimit.code !== undefined) return ofValue.code === ofLimit.code;
  return (ofValue?.unit ?? ofValue?.code) === (ofLimit.unit ?? ofLimit.code);
}
