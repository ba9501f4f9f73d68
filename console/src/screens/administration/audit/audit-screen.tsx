/** The audit trail of a tenant in one release. */
import { Alert, Button, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { exportAudit, listAudit, type AuditFilters } from '../../../api/administration';
import { saveFile } from '../../../editor/download';
import { FailureView } from '../../../layout/failure-view';
import { ScreenHeading } from '../../../layout/heading';
import { Loading } from '../../../layout/loaded';
import { moreOf } from '../../../layout/record-table';
import { useSpace } from '../../../layout/current-screen';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { useTenant } from '../queries';
import { ReleaseChoice } from '../release-choice';
import { AuditFilterForm } from './audit-filters';
import { printFilters, readFilters, toQuery } from './audit-query';
import { AuditTable } from './audit-table';

const words = texts.administration.auditScreen;

export function AuditScreen() {
  const tenant = useTenant();
  const [release, setRelease] = useState(useSpace().release);
  const [query, setQuery] = useSearchParams();
  const filters = readFilters(query);
  const asked = toQuery(filters, release);
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
      <Events space={{ tenant, release }} asked={asked} />
    </Stack>
  );
}

function Events({ space, asked }: { readonly space: Space; readonly asked: AuditFilters }) {
  const { tenant } = space;
  const events = useInfiniteQuery({
    queryKey: ['audit', tenant, asked],
    queryFn: ({ pageParam, signal }) =>
      listAudit(tenant, { ...asked, ...(pageParam === undefined ? {} : { page: pageParam }) }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    retry: false,
    // A trail that a person reads does not change below the eyes, and each request for it is an event of its own.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  if (events.isPending) return <Loading />;
  if (events.isError) return <FailureView error={events.error} retry={() => void events.refetch()} />;
  const rows = events.data.pages.flatMap((page) => page.events);
  const notes = new Set(events.data.pages.flatMap((page) => page.notes));
  if (rows.length === 0)
    return (
      <Stack gap="sm" role="status">
        <Notes notes={notes} />
        <Text>{words.empty}</Text>
      </Stack>
    );
  return (
    <Stack gap="sm">
      <Notes notes={notes} />
      <Export tenant={tenant} asked={asked} />
      <AuditTable space={space} rows={rows} more={moreOf(events, words.more)} />
    </Stack>
  );
}

/** What the server remarks, such as that nothing is recorded. */
function Notes({ notes }: { readonly notes: ReadonlySet<string> }) {
  if (notes.size === 0) return null;
  return (
    <Alert color="orange">
      {[...notes].map((note) => (
        <Text key={note} size="sm">
          {note}
        </Text>
      ))}
    </Alert>
  );
}

function Export({ tenant, asked }: { readonly tenant: string; readonly asked: AuditFilters }) {
  const exporting = useMutation({
    mutationFn: () => exportAudit(tenant, asked),
    onSuccess: (csv) => saveFile(`${tenant}-audit.csv`, new Blob([csv], { type: 'text/csv' })),
  });
  return (
    <>
      <Button
        size="xs"
        variant="default"
        style={{ alignSelf: 'start' }}
        loading={exporting.isPending}
        onClick={() => exporting.mutate()}
      >
        {words.csv}
      </Button>
      {exporting.isError ? <FailureView error={exporting.error} /> : null}
    </>
  );
}
