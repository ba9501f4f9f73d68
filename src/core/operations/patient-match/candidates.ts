/** The searches by which those are found who might be the same person. */
import { escapeValue } from '../../search/parameter-value';
import type { Person } from './person';

export type Block = readonly (readonly [parameter: string, value: string])[];

/** Names that one search asks for. */
const MOST_NAMES = 5;

/**
 * Each finds those who agree in one or two things, so that a slip in one of them still leaves another search that finds
 * the record. Where little is said, one thing must do.
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

/** One of the values. */
function any(parameter: string, values: readonly string[]): Block {
  return values.length === 0 ? [] : [[parameter, values.join(',')]];
}
