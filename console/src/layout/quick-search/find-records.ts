/** What a server finds for a text: patients, and the types whose records the person may search. */
import { searchAll } from '../../api/many';
import { toFound, toQueries, type FoundRecord } from '../../fhir/find-people';
import type { Space } from '../../place';

/** A longer text is no name. */
const MOST_LETTERS = 100;
const LEAST_LETTERS = 2;
const MOST_PATIENTS = 8;
export const MOST_TYPES = 6;

export interface FoundRecords {
  readonly patients: readonly FoundRecord[];
  readonly types: readonly string[];
}

/** True: there is something to ask the server. */
export function isSearchable(text: string): boolean {
  return text.length >= LEAST_LETTERS && text.length <= MOST_LETTERS;
}

/** Patients by name, identifier or id, and which of these types the person may search. One request. */
export async function findRecords(
  space: Space,
  { text, types }: { readonly text: string; readonly types: readonly string[] },
  signal: AbortSignal,
): Promise<FoundRecords> {
  const queries = toQueries('Patient', text);
  const pages = await searchAll(
    space,
    [
      ...queries.map((query) => ({ type: 'Patient', query, first: MOST_PATIENTS })),
      ...types.map((type) => ({ type, query: '', first: 0 })),
    ],
    signal,
  );
  const found = pages.slice(0, queries.length).flatMap(({ records }) => records.map(toFound));
  return {
    patients: [...new Map(found.map((each) => [each.id, each])).values()].slice(0, MOST_PATIENTS),
    types: types.filter((_, index) => pages[queries.length + index]?.isRefused === false),
  };
}

/** Types by the letters of their names: those that begin with the text come first. */
export function findTypes(all: readonly string[], text: string): readonly string[] {
  const wanted = text.toLowerCase();
  return all
    .filter((type) => type.toLowerCase().includes(wanted))
    .toSorted((one, other) => placeOf(one, wanted) - placeOf(other, wanted) || one.length - other.length)
    .slice(0, MOST_TYPES);
}

const placeOf = (type: string, wanted: string): number => type.toLowerCase().indexOf(wanted);
