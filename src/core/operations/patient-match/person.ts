/** What of a Patient tells who it is, in a form that can be compared. */
import type { JsonObject } from '../../fhir/json';
import { objectsMember, stringMember, stringsMember } from '../../fhir/terminology/members';
import { fold } from '../../search/fold';

export interface Person {
  readonly identifiers: readonly { readonly system: string; readonly value: string }[];
  /** Folded: without case, accents and punctuation. */
  readonly families: readonly string[];
  readonly givens: readonly string[];
  readonly birthDate: string | undefined;
  readonly gender: string | undefined;
  /** Digits of telephone numbers without what stands before the last nine, and other addresses folded. */
  readonly contacts: readonly string[];
  /** The same as they were written. */
  readonly telecoms: readonly string[];
  readonly postalCodes: readonly string[];
  /** Postal code with the first line. */
  readonly homes: readonly string[];
}

/** Of each kind, so many values count. */
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

/** A number is the same with and without the code of its country. */
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

/** Whether a Patient says anything that one could be found by. */
export function isNamed({ identifiers, families, givens, birthDate, contacts }: Person): boolean {
  return (
    identifiers.length + families.length + givens.length + contacts.length > 0 || birthDate !== undefined
  );
}
