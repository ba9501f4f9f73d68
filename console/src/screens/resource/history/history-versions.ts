/** The versions of a record with what each of them did. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { historyOf, type RecordVersion } from '../../../api/records';
import { diffOf, pathsOf, withoutServerMeta } from '../../../fhir/diff';
import type { Space } from '../../../place';

const PAGE = 20;

export interface HistoryRow {
  readonly version: RecordVersion;
  readonly kind: 'created' | 'updated' | 'deleted' | 'restored';
  /** The elements that changed against the version before; undefined: there is none to compare with. */
  readonly changes: { readonly paths: readonly string[]; readonly more: number } | undefined;
}

function toRow(version: RecordVersion, before: RecordVersion | undefined): HistoryRow {
  const { resource, change } = version;
  const old = before?.resource;
  const changes =
    resource === undefined || old === undefined
      ? undefined
      : pathsOf(diffOf(withoutServerMeta(old), withoutServerMeta(resource)));
  if (change === 'DELETE') return { version, kind: 'deleted', changes };
  // A write under an id of the client is an update for the server, also when it is the first.
  if (before === undefined) return { version, kind: 'created', changes };
  return { version, kind: before.change === 'DELETE' ? 'restored' : 'updated', changes };
}

/** Pages of the history, newest first. */
export function useVersions(space: Space, { type, id }: { readonly type: string; readonly id: string }) {
  const query = useInfiniteQuery({
    queryKey: ['history', space, type, id],
    queryFn: ({ pageParam, signal }) =>
      historyOf(space, { type, id }, { first: PAGE + 1, after: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
  const rows = useMemo(() => {
    const versions = (query.data?.pages ?? []).flatMap((page) => page.versions);
    const all = versions.map((version, index) => toRow(version, versions[index + 1]));
    // The last one waits for the version before it, which tells what it changed.
    return query.hasNextPage ? all.slice(0, -1) : all;
  }, [query.data, query.hasNextPage]);
  return { query, rows };
}
