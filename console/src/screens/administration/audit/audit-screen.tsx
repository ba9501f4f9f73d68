/** The audit trail of a tenant in one release. */
import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Failure } from '../../../api/failure';
import { searchRecords } from '../../../api/records';
import { FailureView } from '../../../layout/failure-view';
import { Loading } from '../../../layout/loaded';
import { moreOf } from '../../../layout/record-table';
import { useSpace } from '../../../layout/current-screen';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { ScreenHeading } from '../../../layout/heading';
import { useTenant } from '../queries';
import { ReleaseChoice } from '../release-choice';
import { toAuditRow } from './audit-event';
import { AuditFilterForm } from './audit-filters';
import { printFilters, readFilters, toAuditSearch } from './audit-query';
import { AuditTable } from './audit-table';

const words = texts.administration.auditScreen;
const PAGE = 50;

export function AuditScreen() {
  const tenant = useTenant();
  const [release, setRelease] = useState(useSpace().release);
  const [query, setQuery] = useSearchParams();
  const filters = readFilters(query);
  return (
    <Stack gap="md">
      <ScreenHeading place={tenant} intro={words.intro}>
        <ReleaseChoice value={release} onChange={setRelease} />
      </ScreenHeading>
      <AuditFilterForm
        key={query.toString()}
        tenant={tenant}
        filters={filters}
        apply={(next) => setQuery(printFilters(next))}
      />
      <Events space={{ tenant, release }} search={toAuditSearch(filters)} />
    </Stack>
  );
}

function Events({ space, search }: { readonly space: Space; readonly search: string }) {
  const events = useInfiniteQuery({
    queryKey: ['audit', space, search],
    queryFn: ({ pageParam, signal }) =>
      searchRecords(space, { type: 'AuditEvent', query: search }, { first: PAGE, after: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    retry: false,
  });
  if (events.isPending) return <Loading />;
  if (events.isError) {
    const { error } = events;
    const isRefused = error instanceof Failure && (error.status === 401 || error.status === 403);
    return (
      <>
        <FailureView error={error} retry={() => void events.refetch()} isOfRecords />
        {isRefused ? <Text size="sm">{words.note}</Text> : null}
      </>
    );
  }
  const rows = events.data.pages.flatMap(({ matches }) => matches.map(toAuditRow));
  const notes = new Set(events.data.pages.flatMap((page) => page.notes));
  if (rows.length === 0)
    return (
      <Stack gap={4} role="status">
        <Text>{words.empty}</Text>
        <Text size="sm" c="dimmed">
          {words.emptyHint}
        </Text>
      </Stack>
    );
  return (
    <Stack gap="sm">
      {[...notes].map((note) => (
        <Text key={note} size="sm">
          {note}
        </Text>
      ))}
      <AuditTable space={space} rows={rows} more={moreOf(events, words.more)} />
    </Stack>
  );
}
