/** The identifying data of a Patient in a comparable form. */
import type { JsonObject } from '../../fhir/json';
import { objectsMember, stringMember, stringsMember } from '../../fhir/terminology/members';
import { fold } from '../../search/rows/fold';

export interface Person {
  readonly identifiers: readonly { readonly system: string; readonly value: string }[];
  /** Folded: without case, accents and punctuation. */
  readonly families: readonly string[];
  readonly givens: readonly string[];
  readonly birthDate: string | undefined;
  readonly gender: string | undefined;
  /** The last nine digits of telephone numbers, and other addresses folded. */
  readonly contacts: readonly string[];
  /** The contacts in their original form. */
  readonly telecoms: readonly string[];
  readonly postalCodes: readonly string[];
  /** Postal code with the first line of the address. */
  readonly homes: readonly string[];
}

/** Values of each kind that are used. */
const MOST = 20;

export function readPerson(patient: JsonObject): Person {
  const names = objectsMember(patient, 'name').slice(0, MOST);
  const addresses = objectsMember(patient, 'address').slice(0, MOST);
  const gender = stringMember(patient, 'gender');
  const telecoms = distinctTexts(
    objectsMember(patient, 'telecom').map((telecom) => stringMember(telecom, 'value') ?? ''),
  );
  return {
    identifiers: objectsMember(patient, 'identifier')
      .slice(0, MOST)
      .flatMap((identifier) => {
        const value = stringMember(identifier, 'value')?.trim();
        return value === undefined || value === ''
          ? []
          : [{ system: stringMember(identifier, 'system') ?? '', value }];
      }),
    families: distinct(names.map((name) => stringMember(name, 'family'))),
    givens: distinct(names.flatMap((name) => stringsMember(name, 'given'))),
    birthDate: stringMember(patient, 'birthDate'),
    gender: gender === 'male' || gender === 'female' ? gender : undefined,
    contacts: distinctTexts(telecoms.map(contactOf)),
    telecoms,
    postalCodes: distinct(addresses.map((address) => stringMember(address, 'postalCode'))),
    homes: distinctTexts(
      addresses.map((address) => {
        const code = fold(stringMember(address, 'postalCode') ?? '');
        const line = fold(stringsMember(address, 'line')[0] ?? '');
        return code === '' || line === '' ? '' : `${code} ${line}`;
      }),
    ),
  };
}

/** Removes the country code of a number, which may be missing. */
function contactOf(value: string): string {
  if (value.includes('@')) return value.trim().toLowerCase();
  const digits = value.replace(/\D/g, '');
  return digits.length >= 6 ? digits.slice(-9) : fold(value);
}

function distinct(texts: readonly (string | undefined)[]): readonly string[] {
  return distinctTexts(texts.map((text) => fold(text ?? '')));
}

function distinctTexts(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== '').slice(0, MOST);
}

/** True: the Patient has data by which candidates can be found. */
export function isNamed({ identifiers, families, givens, birthDate, contacts }: Person): boolean {
  return (
    identifiers.length + families.length + givens.length + contacts.length > 0 || birthDate !== undefined
  );
}
