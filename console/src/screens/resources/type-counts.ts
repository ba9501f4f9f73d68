/** Counts the records of types: some types by one document, one document after the other. */
import { useQueries } from '@tanstack/react-query';
import { TypedDocumentString } from '../../__generated__/graphql/graphql';
import { runDocument } from '../../api/graphql';
import { isObject, numberOf, type JsonValue } from '../../api/json';
import type { Space } from '../../place';

/** Types per document. */
const AT_ONCE = 20;
const FRESH_MS = 60_000;

type Counts = Readonly<Record<string, unknown>>;

/** A document that counts each of these types. Names of types come from the server and are names of GraphQL too. */
export function countDocument(types: readonly string[]): string {
  const fields = types.map((type) => `  ${type}: search(type: ${type}, first: 0) { total }`);
  return `query CountTypes {\n${fields.join('\n')}\n}`;
}

let last: Promise<unknown> = Promise.resolve();

/** Runs one task after the other, so that a screen with all types is no burden for the server. */
function inTurn<Value>(task: () => Promise<Value>): Promise<Value> {
  const result = last.then(task, task);
  last = result;
  return result;
}

async function countTypes(
  space: Space,
  types: readonly string[],
  signal: AbortSignal,
): Promise<readonly (readonly [string, number])[]> {
  const document = new TypedDocumentString<Counts, Record<string, never>>(countDocument(types));
  const counts = await runDocument(space, document, {}, signal);
  return Object.entries(counts).flatMap(([type, result]) => {
    const value = result as JsonValue;
    const total = isObject(value) ? numberOf(value['total']) : undefined;
    return total === undefined ? [] : [[type, total] as const];
  });
}

/** The numbers of records of the types that have been counted so far. A type that the caller may not search has none. */
export function useTypeCounts(
  space: Space,
  types: readonly string[],
): { readonly counts: ReadonlyMap<string, number>; readonly isPending: boolean } {
  const groups = Array.from({ length: Math.ceil(types.length / AT_ONCE) }, (_, index) =>
    types.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
  );
  return useQueries({
    queries: groups.map((group) => ({
      queryKey: ['counts', space, group],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        inTurn(() => countTypes(space, group, signal)),
      staleTime: FRESH_MS,
      retry: false,
    })),
    combine: (results) => ({
      counts: new Map(results.flatMap(({ data }) => data ?? [])),
      isPending: results.some((each) => each.isPending),
    }),
  });
}
