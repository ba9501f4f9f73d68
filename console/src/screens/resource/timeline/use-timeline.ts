/** Reads what is in a compartment, newest first: a list for each type, page by page. */
import { useInfiniteQuery, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { countAll, searchAll } from '../../../api/many';
import { inOrder, type DateElement } from '../../../fhir/date-elements';
import { readDefinition, type TypeDefinition } from '../../../fhir/definitions';
import { settled, toEntry, type TimelineEntry, type TypeList } from '../../../fhir/timeline';
import type { Space } from '../../../place';

const PER_TYPE = 30;

/** A type with dated records in the compartment. */
export interface TimelineType {
  readonly type: string;
  readonly count: number;
  readonly dates: readonly DateElement[];
  readonly definition: TypeDefinition | undefined;
}

export interface Compartment {
  readonly type: string;
  readonly id: string;
}

/** What the types in a compartment are, and their date elements. */
export interface TimelineDefinitions {
  readonly types: readonly string[];
  readonly dates: ReadonlyMap<string, readonly DateElement[]>;
}

/** The types of which a compartment has dated records, those with the most records first. */
export function useTimelineTypes(
  space: Space,
  { type, id }: Compartment,
  { types, dates }: TimelineDefinitions,
): UseQueryResult<readonly TimelineType[]> {
  return useQuery({
    queryKey: ['timeline-types', space, type, id],
    queryFn: async ({ signal }) => {
      const wanted = types.filter((each) => dates.has(each));
      const searches = wanted.map((each) => ({ type: each, query: '', compartment: { type, id } }));
      const counts = await countAll(space, searches, signal);
      const present = wanted.flatMap((each, index) => {
        const count = counts[index] ?? 0;
        return count === 0 ? [] : [{ type: each, count }];
      });
      const described = await Promise.all(
        present.map(async (each): Promise<TimelineType> => {
          const definition = await readDefinition(space, each.type);
          const ordered = inOrder(dates.get(each.type) ?? [], definition?.elements ?? []);
          return { ...each, definition, dates: ordered };
        }),
      );
      return described.toSorted((one, other) => other.count - one.count);
    },
  });
}

/** `after` of the next page of each type that has one; undefined at the beginning. */
type Cursors = Readonly<Record<string, string>> | undefined;

interface TimelinePage {
  readonly lists: readonly TypeList[];
  readonly next: Cursors;
}

/** The entries of these types that have been read, and a way to read more. */
export function useTimeline(space: Space, compartment: Compartment, types: readonly TimelineType[]) {
  const query = useInfiniteQuery({
    queryKey: ['timeline', space, compartment, types.map(({ type }) => type)],
    initialPageParam: undefined as Cursors,
    getNextPageParam: ({ next }: TimelinePage) => next,
    queryFn: async ({ pageParam, signal }): Promise<TimelinePage> => {
      const wanted = types.filter(({ type }) => pageParam === undefined || pageParam[type] !== undefined);
      const pages = await searchAll(
        space,
        wanted.map(({ type, dates: [first] }) => ({
          type,
          query: first === undefined ? '' : `_sort=-${first.code}`,
          compartment,
          first: PER_TYPE,
          after: pageParam?.[type],
        })),
        signal,
      );
      const next: Record<string, string> = {};
      const lists = wanted.map(({ type, dates }, index): TypeList => {
        const { records = [], next: following } = pages[index] ?? {};
        if (following !== undefined) next[type] = following;
        return {
          type,
          entries: records.map((record) => toEntry(record, dates)),
          hasMore: following !== undefined,
        };
      });
      return { lists, next: Object.keys(next).length === 0 ? undefined : next };
    },
  });
  const pages = query.data?.pages;
  const entries = useMemo((): readonly TimelineEntry[] => settled(joinLists(pages ?? [])), [pages]);
  return { query, entries };
}

/** The pages of each type one after the other. */
function joinLists(pages: readonly TimelinePage[]): readonly TypeList[] {
  const joined = new Map<string, TypeList>();
  for (const { lists } of pages)
    for (const { type, entries, hasMore } of lists) {
      const before = joined.get(type)?.entries ?? [];
      joined.set(type, { type, entries: [...before, ...entries], hasMore });
    }
  return [...joined.values()];
}
