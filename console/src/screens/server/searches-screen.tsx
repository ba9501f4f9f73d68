/** The slowest searches of all processes, and the limits that requests have reached. */
import { Anchor, Code, Stack } from '@mantine/core';
import { formatDateTime } from '../../fhir/format-date';
import { Part, ScreenHeading } from '../../layout/heading';
import { Loaded } from '../../layout/loaded';
import { ANYWHERE, NUMBER, RecordTable } from '../../layout/record-table';
import { PREFIX } from '../../place';
import { texts } from '../../texts';
import { formatCount } from '../administration/tenants/amounts';
import { reportsOf, useServer } from './use-server';

const { limits: ofLimits, slow } = texts.server;

function formatMs(milliseconds: number): string {
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: 'millisecond',
    maximumFractionDigits: 0,
  }).format(milliseconds);
}

export function SearchesScreen() {
  const server = useServer();
  return (
    <Stack gap="xl">
      <ScreenHeading />
      <Loaded query={server}>
        {(state) => {
          const reports = reportsOf(state);
          const searches = reports.flatMap(({ name, searches: list }) =>
            list.map((search) => ({ ...search, process: name })),
          );
          const limits = reports.flatMap(({ name, limits: list }) =>
            list.map((limit) => ({ ...limit, process: name })),
          );
          return (
            <>
              <Part title={slow.title} hint={slow.hint}>
                <RecordTable
                  rows={searches.toSorted((one, other) => other.slowestMs - one.slowestMs)}
                  empty={slow.none}
                  caption={slow.caption}
                  group={slow.caption}
                  hasCaption
                  minWidth={720}
                  keyOf={({ process, tenant, release, shape }) => `${process} ${tenant} ${release} ${shape}`}
                  columns={[
                    { title: slow.tenant, cell: ({ tenant }) => tenant },
                    { title: slow.release, cell: ({ release }) => release.toUpperCase() },
                    { title: slow.search, ...ANYWHERE, cell: ({ shape }) => <Code>{shape}</Code> },
                    { title: slow.slowest, ...NUMBER, cell: ({ slowestMs }) => formatMs(slowestMs) },
                    { title: slow.average, ...NUMBER, cell: ({ averageMs }) => formatMs(averageMs) },
                    { title: slow.count, ...NUMBER, cell: ({ count }) => formatCount(count) },
                    { title: slow.last, cell: ({ last }) => formatDateTime(last) },
                    { title: texts.server.processes.process, cell: ({ process }) => process },
                  ]}
                />
              </Part>
              <Part
                title={ofLimits.title}
                hint={ofLimits.hint}
                beside={
                  <Anchor href={`${PREFIX}/docs/reference/errors`} size="sm">
                    {ofLimits.docs}
                  </Anchor>
                }
              >
                <RecordTable
                  rows={limits.toSorted((one, other) => (one.last < other.last ? 1 : -1))}
                  empty={ofLimits.none}
                  caption={ofLimits.caption}
                  group={ofLimits.caption}
                  hasCaption
                  minWidth={560}
                  keyOf={({ process, tenant, error }) => `${process} ${tenant ?? ''} ${error}`}
                  columns={[
                    { title: ofLimits.tenant, cell: ({ tenant }) => tenant ?? ofLimits.unknown },
                    { title: ofLimits.error, cell: ({ error }) => error },
                    { title: ofLimits.status, ...NUMBER, cell: ({ status }) => status },
                    { title: ofLimits.count, ...NUMBER, cell: ({ count }) => formatCount(count) },
                    { title: ofLimits.last, cell: ({ last }) => formatDateTime(last) },
                    { title: texts.server.processes.process, cell: ({ process }) => process },
                  ]}
                />
              </Part>
            </>
          );
        }}
      </Loaded>
    </Stack>
  );
}
