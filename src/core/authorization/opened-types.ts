/** The setting of a tenant for the types that references of a patient's record open (referenced.ts). */
import { loadDefinitions } from '../fhir/definitions';
import { RELEASE_NAMES } from '../fhir/release';
import { typesBySetting } from './referenced';

export const RECORD_OPENS_MEANING =
  'Types that name no Patient and that apps of patients may read where the record refers to them, beside Practitioner, PractitionerRole, Organization, Location, Medication, HealthcareService and Device';
/** The value that opens no further type, the default. */
export const NOTHING_OPENED = 'off';

let choices: readonly string[] | undefined;

/** The types that the setting may name, of both releases. Cost: loads the definitions once. */
function openableTypes(): readonly string[] {
  choices ??= [
    ...new Set(RELEASE_NAMES.flatMap((release) => typesBySetting(loadDefinitions(release)))),
  ].sort();
  return choices;
}

/** Returns the allowed values, as a sentence for people. */
export function openedTypesExpected(): string {
  return `${NOTHING_OPENED}, or some of ${openableTypes().join(', ')}, separated by commas`;
}

/** The types that a value names; undefined: it names others. */
export function parseOpenedTypes(text: string): readonly string[] | undefined {
  const types = readOpenedTypes(text);
  return types.every((type) => openableTypes().includes(type)) ? types : undefined;
}

/** The types in a stored value. Those that this program does not open by a setting have no effect. */
export function readOpenedTypes(text: string): readonly string[] {
  return text === NOTHING_OPENED ? [] : [...new Set(text.split(',').map((type) => type.trim()))];
}
