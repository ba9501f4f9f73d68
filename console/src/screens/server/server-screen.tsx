/** The state of the server: its processes, PostgreSQL, Redis and what waits. */
import { Stack, Text } from '@mantine/core';
import type { ServerState } from '../../api/administration';
import { formatDateTime } from '../../fhir/format-date';
import { Part, ScreenHeading } from '../../layout/heading';
import { Loaded } from '../../layout/loaded';
import { NUMBER, RecordTable } from '../../layout/record-table';
import { texts } from '../../texts';
import { formatBytes, formatCount } from '../administration/tenants/amounts';
import { Facts } from './facts';
import { Processes } from './processes';
import { reportsOf, useServer } from './use-server';

const { database: ofDatabase, queues: ofQueues, redis: ofRedis, jobsScreen, ...words } = texts.server;

export function ServerScreen() {
  const server = useServer();
  return (
    <Stack gap="xl">
      <ScreenHeading title={words.title} intro={words.intro} />
      <Loaded query={server}>
        {(state) => (
          <>
            <Processes processes={state.processes} hasRedis={state.redis !== undefined} />
            <Queues queues={state.queues} isLate={state.late.includes('queues')} />
            <Database state={state} />
            <Redis redis={state.redis} />
            <Text size="xs" c="dimmed">
              {words.read(formatDateTime(state.read))}
            </Text>
          </>
        )}
      </Loaded>
    </Stack>
  );
}

function Database({ state }: { readonly state: ServerState }) {
  const { database } = state;
  const lanes = reportsOf(state).flatMap(({ name, connections }) =>
    Object.entries(connections).map(([lane, usage]) => ({ name, lane, ...usage })),
  );
  return (
    <Part title={ofDatabase.title}>
      <Stack gap="md">
        {database === undefined ? (
          <Text size="sm">{state.late.includes('database') ? ofDatabase.late : ofDatabase.missing}</Text>
        ) : (
          <>
            <Facts
              facts={[
                [ofDatabase.version, database.version],
                [ofDatabase.name, database.name],
                [ofDatabase.bytes, formatBytes(database.bytes)],
                [
                  ofDatabase.connections,
                  ofDatabase.of(formatCount(database.connections), formatCount(database.limit)),
                ],
                [ofDatabase.active, formatCount(database.active)],
                [ofDatabase.waiting, formatCount(database.waiting)],
              ]}
            />
            <RecordTable
              rows={database.tables}
              caption={ofDatabase.tables}
              group={ofDatabase.tables}
              hasCaption
              look={{ verticalSpacing: 4 }}
              minWidth={360}
              keyOf={({ name }) => name}
              columns={[
                { title: ofDatabase.table, cell: ({ name }) => name },
                { title: ofDatabase.size, ...NUMBER, cell: ({ bytes }) => formatBytes(bytes) },
                { title: ofDatabase.rows, ...NUMBER, cell: ({ rows }) => formatCount(rows) },
              ]}
            />
          </>
        )}
        <RecordTable
          rows={lanes}
          caption={ofDatabase.lanes}
          group={ofDatabase.lanes}
          hasCaption
          look={{ verticalSpacing: 4 }}
          minWidth={520}
          keyOf={({ name, lane }) => `${name} ${lane}`}
          columns={[
            { title: ofDatabase.process, cell: ({ name }) => name },
            { title: ofDatabase.lane, cell: ({ lane }) => lane },
            { title: ofDatabase.used, ...NUMBER, cell: ({ total, idle }) => formatCount(total - idle) },
            { title: ofDatabase.idle, ...NUMBER, cell: ({ idle }) => formatCount(idle) },
            { title: ofDatabase.most, ...NUMBER, cell: ({ limit }) => formatCount(limit) },
            { title: ofDatabase.queued, ...NUMBER, cell: ({ waiting }) => formatCount(waiting) },
          ]}
        />
      </Stack>
    </Part>
  );
}

function Redis({ redis }: { readonly redis: ServerState['redis'] | undefined }) {
  if (redis === undefined)
    return (
      <Part title={ofRedis.title}>
        <Text size="sm">{ofRedis.missing}</Text>
      </Part>
    );
  const { bytes, limit } = redis;
  return (
    <Part title={ofRedis.title}>
      <Facts
        facts={[
          [ofRedis.version, redis.version],
          [
            ofRedis.bytes,
            limit === 0
              ? ofRedis.unlimited(formatBytes(bytes))
              : ofDatabase.of(formatBytes(bytes), formatBytes(limit)),
          ],
          [ofRedis.policy, redis.evictionPolicy],
          [ofRedis.keys, formatCount(redis.keys)],
          [ofRedis.clients, formatCount(redis.clients)],
          [ofRedis.waiting, formatCount(redis.waiting)],
        ]}
      />
    </Part>
  );
}

interface QueuesProps {
  readonly queues: ServerState['queues'] | undefined;
  readonly isLate: boolean;
}

function Queues({ queues, isLate }: QueuesProps) {
  if (queues === undefined)
    return (
      <Part title={ofQueues.title}>
        <Text size="sm">{isLate ? ofDatabase.late : ofDatabase.missing}</Text>
      </Part>
    );
  const { jobs, deliveries } = queues;
  return (
    <Part title={ofQueues.title}>
      <Stack gap="md">
        <Facts
          facts={[
            [ofQueues.subscriptions, formatCount(deliveries.subscriptions)],
            [ofQueues.failing, formatCount(deliveries.failing)],
            [ofQueues.inError, formatCount(deliveries.inError)],
            [ofQueues.waiting, formatCount(deliveries.waiting)],
            ...(deliveries.oldest === undefined
              ? []
              : [[ofQueues.oldestEvent, formatDateTime(deliveries.oldest)] as const]),
          ]}
        />
        <RecordTable
          rows={jobs}
          empty={ofQueues.noJobs}
          caption={ofQueues.jobs}
          group={ofQueues.jobs}
          hasCaption
          look={{ verticalSpacing: 4 }}
          minWidth={360}
          keyOf={({ kind, state }) => `${kind} ${state}`}
          columns={[
            { title: ofQueues.kind, cell: ({ kind }) => jobsScreen.kinds[kind] ?? kind },
            { title: ofQueues.state, cell: ({ state }) => state },
            { title: ofQueues.count, ...NUMBER, cell: ({ count }) => formatCount(count) },
            { title: ofQueues.oldest, cell: ({ oldest }) => formatDateTime(oldest) },
          ]}
        />
      </Stack>
    </Part>
  );
}
