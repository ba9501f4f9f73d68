/** Counts the resources that have a code, by the search parameters for codes of each type. */
import type { Capabilities } from '../fhir/capabilities';
import { searchesFor, type Coded, type CodeSearch } from '../fhir/code-searches';
import type { Space } from '../place';
import { askAll } from './batch';
import { Failure } from './failure';
import { numberOf } from './json';
import { countAll } from './many';

/** Resources of a type that a parameter finds by the code. */
export interface Use extends CodeSearch {
  readonly count: number;
}

export interface Uses {
  /** Those with resources, the most first. */
  readonly found: readonly Use[];
  /** Searches that were answered. */
  readonly searches: number;
  /** What the server says of searches that it refuses, and how many they are. */
  readonly refused: ReadonlyMap<string, number>;
  /** Searches that were not asked, because they are too many. */
  readonly left: number;
}

/** Searches that one count asks. */
const MOST_SEARCHES = 1_000;
/** The status of a search with a value that its parameter does not take. */
const UNFIT = 400;

/** The types of which there are records that the person may find. */
async function usedTypes(
  space: Space,
  capabilities: Capabilities,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const types = [...capabilities.values()]
    .filter(({ interactions }) => interactions.includes('search-type'))
    .map(({ type }) => type);
  const counts = await countAll(
    space,
    types.map((type) => ({ type, query: '' })),
    signal,
  );
  return types.filter((_, index) => (counts[index] ?? 0) > 0);
}

/** Counts where a code is used. **Cost**: a document for 20 types, then a batch for 100 searches of the types with records. */
export async function countUses(
  space: Space,
  capabilities: Capabilities,
  coded: Coded,
  signal?: AbortSignal,
): Promise<Uses> {
  const all = searchesFor(capabilities, await usedTypes(space, capabilities, signal), coded);
  const asked = all.slice(0, MOST_SEARCHES);
  const questions = asked.map(({ type, query }) => ({ url: `${type}?${query}&_summary=count` }));
  const answers = await askAll(space, questions, signal);
  const failures = answers.filter((answer) => answer instanceof Failure);
  const answered = answers.length - failures.length;
  // A parameter whose values have no system, such as a version, refuses the value: it finds no codes.
  const told = answered === 0 ? failures : failures.filter(({ status }) => status !== UNFIT);
  const refused = new Map<string, number>();
  for (const { message } of told) refused.set(message, (refused.get(message) ?? 0) + 1);
  const found = asked.flatMap((each, index): readonly Use[] => {
    const answer = answers[index];
    const count = answer instanceof Failure ? 0 : (numberOf(answer?.['total']) ?? 0);
    return count === 0 ? [] : [{ ...each, count }];
  });
  found.sort((one, other) => other.count - one.count);
  return { found, searches: answered, refused, left: all.length - asked.length };
}
