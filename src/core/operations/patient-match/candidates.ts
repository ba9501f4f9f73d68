/** The searches that find candidates for $match. */
import { escapeValue } from '../../../../packages/fhir-values/search-value';
import type { Person } from './person';

export type Block = readonly (readonly [parameter: string, value: string])[];

/** Names in one search. */
const MOST_NAMES = 5;

/**
 * Returns the searches for candidates. Each requires one or two properties to agree, so that an error in one still
 * leaves another search that finds the record. Where the input has little data, one property must do.
 */
export function blocksOf(person: Person): readonly Block[] {
  const { birthDate, postalCodes } = person;
  const identifiers = any(
    'identifier',
    person.identifiers.map(({ system, value }) => `${escapeValue(system)}|${escapeValue(value)}`),
  );
  const family = any('family', person.families.slice(0, MOST_NAMES).map(escapeValue));
  const given = any('given', person.givens.slice(0, MOST_NAMES).map(escapeValue));
  const born: Block = birthDate === undefined ? [] : [['birthdate', birthDate]];
  const contacts = any('telecom', person.telecoms.map(escapeValue));
  const home = any('address-postalcode', postalCodes.slice(0, MOST_NAMES).map(escapeValue));
  const pairs: readonly (readonly [Block, Block])[] = [
    [family, born],
    [given, born],
    [family, given],
    [born, home],
    [family, home],
  ];
  const blocks = [
    ...[identifiers, contacts].filter(({ length }) => length > 0),
    ...pairs.flatMap(([one, other]) => (one.length > 0 && other.length > 0 ? [[...one, ...other]] : [])),
  ];
  if (blocks.length > 0) return blocks;
  return [family, given, born].filter(({ length }) => length > 0).slice(0, 1);
}

/** A criterion that matches any of the values. */
function any(parameter: string, values: readonly string[]): Block {
  return values.length === 0 ? [] : [[parameter, values.join(',')]];
}
