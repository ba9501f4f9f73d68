/** Units of measure: https://ucum.org/ucum, https://hl7.org/fhir/R4/ucum.html */
import { canonicalUnit, isUnit, UCUM_SYSTEM } from '../../quantity';
import type { BuiltInSystem } from './built-in-system';

export const UCUM: BuiltInSystem = {
  url: UCUM_SYSTEM,
  allowed: 'a UCUM unit',
  isCode: isUnit,
  filter(property, value) {
    if (property === 'canonical') return (code) => isComparable(code, value);
    return undefined;
  },
};

/** True if a unit can be converted into another one. */
export function isComparable(code: string, unit: string): boolean {
  const canonical = canonicalUnit(code)?.unit;
  return canonical !== undefined && canonical === canonicalUnit(unit)?.unit;
}
