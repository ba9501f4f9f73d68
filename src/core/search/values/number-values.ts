/** The values of a number or quantity parameter, for statistics. */
import type { WrittenUnit } from '../requests/search-request';
import type { Definitions } from '../../fhir/definitions';
import { fhirError } from '../../errors';
import { didYouMean } from '../../../../packages/fhir-values/closest-name';
import { compare, exactOf, type Exact } from '../../fhir/exact-number';
import { isJsonObject, type JsonObject } from '../../fhir/json';
import type { PathValue } from '../../fhir/path';
import { storedParameters, type StoredParameter } from '../parameters/parameter';
import { stringMember } from '../../fhir/terminology/members';
import { compileValues } from '../parameters/parameter-values';
import { CURRENCY_SYSTEM } from '../rows/range';
import { sampleLimits } from '../rows/sampled-data';
import { searchTypeOf } from '../types';

export interface NumberValue {
  readonly unit: WrittenUnit;
  /** Undefined: a range, or a limit such as `< 5`. */
  readonly value: Exact | undefined;
}

/** True if statistics of the parameter's values can be made. */
export function hasNumbers(stored: StoredParameter): boolean {
  const { kind } = stored.parameter;
  return (kind === 'quantity' || kind === 'number') && searchTypeOf(stored) !== undefined;
}

/** Returns the parameter whose values are numbers. Throws unknownParameter, invalidValue. */
export function numberParameter(definitions: Definitions, type: string, code: string): StoredParameter {
  const all = storedParameters(definitions, type);
  const stored = all.get(code);
  const shown = code.slice(0, 80);
  if (stored === undefined) {
    const explanation = didYouMean(code, all.keys());
    throw fhirError('unknownParameter', { parameter: shown, type, explanation });
  }
  if (!hasNumbers(stored))
    throw fhirError('invalidValue', { reason: `The values of '${shown}' of ${type} are no numbers` });
  return stored;
}

/** Compiles a parameter to its numbers in a resource. Cost: some 100 µs; then some microseconds for each resource. */
export function compileNumbers(
  { rowsOf, parameter }: StoredParameter,
  definitions: Definitions,
): (resource: JsonObject) => readonly NumberValue[] {
  const visitors = rowsOf.map(({ number }) => {
    const source = number === parameter.number ? parameter : definitions.searchParameter(number);
    if (source === undefined) throw new Error('the rows of a parameter are those of no parameter');
    return compileValues(definitions, source);
  });
  return (resource) => {
    const numbers = visitors.flatMap((valuesOf) => valuesOf(resource).flatMap(numbersOf));
    // Number parameters ignore the units of ranges, in rows and in searches.
    return parameter.kind === 'number' ? numbers.map(({ value }) => ({ unit: {}, value })) : numbers;
  };
}

const LIMITS: ReadonlySet<unknown> = new Set(['<', '<=', '>', '>=']);

function numbersOf({ value, type }: PathValue): readonly NumberValue[] {
  const plain = exactOf(value);
  if (plain !== undefined) return [{ unit: {}, value: plain }];
  if (!isJsonObject(value)) return [];
  switch (type) {
    case 'Range':
      return ofRange(value);
    case 'SampledData':
      return ofSamples(value);
    default: {
      const amount = exactOf(value['value']);
      if (amount === undefined) return [];
      const unit = type === 'Money' ? currencyOf(value) : unitOf(value);
      return [{ unit, value: LIMITS.has(value['comparator']) ? undefined : amount }];
    }
  }
}

/** As the rows of ranges: limits of different units are no range. */
function ofRange({ low, high }: JsonObject): readonly NumberValue[] {
  const [first, last] = [low, high].filter(
    (limit) => isJsonObject(limit) && exactOf(limit['value']) !== undefined,
  );
  if (!isJsonObject(first)) return [];
  if (!isJsonObject(last)) return [{ unit: unitOf(first), value: undefined }];
  if (first['code'] !== last['code'] || first['system'] !== last['system']) return [];
  return ofLimits(first, exactOf(first['value']), exactOf(last['value']));
}

function ofSamples(samples: JsonObject): readonly NumberValue[] {
  const { origin } = samples;
  const limits = sampleLimits(samples);
  return limits === undefined || !isJsonObject(origin) ? [] : ofLimits(origin, limits.low, limits.high);
}

function ofLimits(unit: JsonObject, low: Exact | undefined, high: Exact | undefined): readonly NumberValue[] {
  const order = low === undefined || high === undefined ? -1 : compare(low, high);
  return order > 0 ? [] : [{ unit: unitOf(unit), value: order === 0 ? low : undefined }];
}

function currencyOf(money: JsonObject): WrittenUnit {
  const code = stringMember(money, 'currency');
  return code === undefined || code === '' ? {} : { system: CURRENCY_SYSTEM, code };
}

function unitOf(quantity: JsonObject): WrittenUnit {
  const members = ['system', 'code', 'unit'] as const;
  return Object.fromEntries(
    members.flatMap((name) => {
      const text = stringMember(quantity, name);
      return text === undefined || text === '' ? [] : [[name, text]];
    }),
  );
}
