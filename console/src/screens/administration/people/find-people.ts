/** Finds records of people for a choice. */
import { searchRecords } from '../../../api/records';
import { toFound, toQueries, type FoundRecord } from '../../../fhir/find-people';
import type { Space } from '../../../place';

const SHOWN = 12;

/** The first records that the words find, each once. */
export async function findPeople(
  space: Space,
  type: string,
  { words, signal }: { readonly words: string; readonly signal: AbortSignal },
): Promise<readonly FoundRecord[]> {
  const pages = await Promise.all(
    toQueries(type, words).map((query) => searchRecords(space, { type, query }, { first: SHOWN, signal })),
  );
  const found = new Map(pages.flatMap(({ matches }) => matches.map(toFound)).map((each) => [each.id, each]));
  return [...found.values()].slice(0, SHOWN);
}
