/** Countries and their parts: https://www.iso.org/iso-3166-country-codes.html, https://hl7.org/fhir/R4/iso3166.html */
import codes from 'i18n-iso-countries/codes.json';
import { type BuiltInSystem, englishNames } from './built-in-system';

/** Codes that the standard leaves to its users; the library has some of them. */
const USER_ASSIGNED = /^(?:AA|Q[M-Z]|X[A-Z]|ZZ)$/;
const PART = /^([A-Z]{2})-[A-Z0-9]{1,3}$/;

let alpha2Codes: ReadonlyMap<string, string> | undefined;

/** Returns the two-letter code for each code, in all three forms: those of two letters first. */
function countries(): ReadonlyMap<string, string> {
  if (alpha2Codes === undefined) {
    const assigned = codes.filter(([alpha2 = '']) => !USER_ASSIGNED.test(alpha2));
    alpha2Codes = new Map(
      [0, 1, 2].flatMap((form) => assigned.map((code) => [code[form] ?? '', code[0] ?? ''] as const)),
    );
  }
  return alpha2Codes;
}

const nameOf = englishNames('region');

/** ISO 3166-1: codes of two letters, three letters and three digits. */
export const COUNTRIES: BuiltInSystem = {
  url: 'urn:iso:std:iso:3166',
  allowed: "a country of ISO 3166-1 such as 'CH', 'CHE' or '756'",
  isCode: (code) => countries().has(code),
  codes: () => [...countries().keys()],
  display(code) {
    const alpha2 = countries().get(code);
    return alpha2 === undefined ? undefined : nameOf(alpha2);
  },
};

/** ISO 3166-2, by the form of its codes: the list itself changes often. */
export const COUNTRY_PARTS: BuiltInSystem = {
  url: 'urn:iso:std:iso:3166:-2',
  allowed: "a part of a country such as 'CH-ZH'",
  isCode(code) {
    const [, country] = PART.exec(code) ?? [];
    return country !== undefined && countries().has(country);
  },
};
