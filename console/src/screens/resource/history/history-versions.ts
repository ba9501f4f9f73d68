/** The versions of a record with what each of them did. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { JsonObject } from '../../../api/json';
import { historyOf, type RecordVersion } from '../../../api/records';
import type { Space } from '../../../place';

const PAGE = 20;
/** Of records whose versions have megabytes. */
const PAGE_OF_LARGE = 2;

export interface HistoryRow {
  readonly version: RecordVersion;
  readonly kind: 'created' | 'updated' | 'deleted' | 'restored';
  /** The version before, if both can be compared. */
  readonly old: JsonObject | undefined;
}

function toRow(version: RecordVersion, before: RecordVersion | undefined): HistoryRow {
  const old = version.resource === undefined ? undefined : before?.resource;
  if (version.change === 'DELETE') return { version, kind: 'deleted', old };
  // A write under an id of the client is an update for the server, also when it is the first.
  if (before === undefined) return { version, kind: 'created', old };
  return { version, kind: before.change === 'DELETE' ? 'restored' : 'updated', old };
}

/** Pages of the history, newest first. */
export function useVersions(
  space: Space,
  { type, id }: { readonly type: string; readonly id: string },
  isLarge: boolean,
) {
  const query = useInfiniteQuery({
    queryKey: ['history', space, type, id, isLarge],
    queryFn: ({ pageParam, signal }) =>
      historyOf(
        space,
        { type, id },
        { first: (isLarge ? PAGE_OF_LARGE : PAGE) + 1, after: pageParam, signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    structuralSharing: false,
  });
  // Pages of large versions can have a single one, which says nothing without the version before it.
  const isAlone = (query.data?.pages ?? []).flatMap((page) => page.versions).length < 2;
  const { hasNextPage, isFetching, fetchNextPage } = query;
  useEffect(() => {
    if (isAlone && hasNextPage && !isFetching) void fetchNextPage();
  }, [isAlone, hasNextPage, isFetching, fetchNextPage]);
  const rows = useMemo(() => {
    const versions = (query.data?.pages ?? []).flatMap((page) => page.versions);
    const all = versions.map((version, index) => toRow(version, versions[index + 1]));
    // The last one waits for the version before it, which tells what it changed.
    return query.hasNextPage ? all.slice(0, -1) : all;
  }, [query.data, query.hasNextPage]);
  return { query, rows };
}
