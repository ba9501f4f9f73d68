/**
 * Rows of the special parameter `near`: one range row for each position, `low` its latitude and `high` its longitude
 * in degrees (WGS84).
 * Source: https://hl7.org/fhir/R4/location.html#positional
 */
import { toNumber } from '../../fhir/decimal';
import { isJsonObject } from '../../fhir/json';
import type { PathValue } from '../../fhir/path';
import type { RowCollector } from './collector';

export function addPositionRows({ value }: PathValue, parameter: number, rows: RowCollector): void {
  if (!isJsonObject(value)) return;
  const low = toNumber(value['latitude']);
  const high = toNumber(value['longitude']);
  if (low === undefined || high === undefined || Math.abs(low) > 90 || Math.abs(high) > 180) return;
  rows.range({
    parameter,
    qualifierHigh: 0,
    qualifierLow: 0,
    qualifierSystem: 0,
    low,
    high,
    unitSystem: 0,
    unitCode: 0,
    unitName: 0,
  });
}
