/** The JSON of the state of the server as TypeBox schemas (schemas.ts). */
import { Type } from '@sinclair/typebox';
import {
  count,
  flag,
  instant,
  listOf,
  mapOf,
  object,
  oneOf,
  optional,
  RELEASE,
  text,
  textOrNull,
} from './schema-kinds';

const milliseconds = (description?: string) => Type.Number({ minimum: 0, description });
const CONNECTIONS = object({
  total: count(),
  idle: count(),
  waiting: count('Statements that wait for a connection'),
  limit: count(),
});
const SEARCH = object({
  ...{ tenant: text(), release: RELEASE },
  shape: text('A type with names of parameters, without values'),
  count: count('How often it was slow'),
  ...{ slowestMs: milliseconds(), averageMs: milliseconds(), last: instant() },
});
const LIMIT = object({
  tenant: textOrNull('null: no tenant that exists, or not known'),
  error: text('Its key in the list of errors'),
  ...{ status: count(), count: count(), last: instant() },
});
const REPORT = object({
  ...{ version: text(), node: text('Version of Node.js'), host: text(), pid: count(), port: count() },
  started: instant(),
  memory: object({ resident: count(), heap: count(), limit: count('Of the heap') }),
  requests: count('Under way'),
  connections: mapOf(CONNECTIONS, 'To PostgreSQL, by purpose'),
  redis: flag('True: it reaches Redis'),
  subscriptions: count('For which it works'),
  failingSubscriptions: count(),
  liveQueries: count(),
  searches: listOf(SEARCH, 'The slowest ones, that took 100 ms or more'),
  limits: listOf(LIMIT, 'Limits that requests have reached since its start'),
});
const DATABASE = object({
  ...{ version: text(), name: text(), bytes: count() },
  connections: count('Of all programs to this database'),
  ...{ active: count(), waiting: count('For a lock'), limit: count('max_connections') },
  tables: listOf(
    object({ name: text(), bytes: count('With its indexes'), rows: count('An estimate') }),
    'The largest ones',
  ),
});
const REDIS = object({
  ...{ version: text(), bytes: count(), limit: count('maxmemory; 0: none') },
  ...{ evictionPolicy: text(), keys: count(), clients: count(), waiting: count('Blocked clients') },
});
const QUEUES = object({
  jobs: listOf(object({ kind: text(), state: text(), count: count(), oldest: instant() })),
  deliveries: object({
    subscriptions: count('That are not off, of the first 20,000'),
    ...{ failing: count(), inError: count(), waiting: count('Events that are not delivered') },
    oldest: Type.Optional(instant('Of the oldest of them')),
  }),
});
export const Server = object(
  {
    read: instant('When it was read; it is at most two seconds old'),
    processes: listOf(
      object({
        answers: flag('True: the process that answers'),
        beat: instant('When it was last known to run'),
        report: Type.Optional(REPORT),
      }),
      'Without a report, Redis is away, or the process is of an earlier version',
    ),
    ...optional({ database: DATABASE, redis: REDIS, queues: QUEUES }),
    late: listOf(
      text(),
      'Parts that are left out because PostgreSQL took longer than two seconds: database, queues',
    ),
  },
  { $id: 'Server', description: 'A part that cannot be read is left out' },
);
export const SettingsInForce = object(
  {
    settings: listOf(
      object({
        name: text(),
        value: text('As in the environment; a secret that is set is ********'),
        source: text('default, the environment, .env, the quick start'),
        ...{ default: text(), meaning: text() },
      }),
    ),
  },
  { $id: 'SettingsInForce' },
);
export const OpenJobList = object(
  {
    jobs: listOf(
      object({
        ...{ id: text(), tenant: text(), release: RELEASE },
        kind: text('request: an asynchronous request'),
        state: oneOf(['queued', 'running']),
        cancelling: flag('True: it was cancelled, and runs for some moments longer'),
        created: instant(),
        started: Type.Optional(instant()),
      }),
    ),
  },
  { $id: 'OpenJobList' },
);
