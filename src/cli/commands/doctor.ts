/** `andiron doctor`: looks at what a server needs, changes nothing, and says in plain words what is wrong. */
import { readFile, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { ConfigurationError, loadSettings, misspelledSettings } from '../../config';
import { openFilesWarning } from '../../config/open-files';
import type { Settings } from '../../config/settings';
import type { DatabaseInspection } from '../../core';
import type { Command } from '../command';
import { quickstartAddress } from '../running-quickstart';
import { explainDatabaseError } from '../service-failure';
import { withSources } from '../../config/setting-sources';

interface Finding {
  readonly verdict: 'ok' | 'warning' | 'fault';
  /** `database` */
  readonly about: string;
  readonly text: string;
}

/** The oldest supported PostgreSQL. */
const LEAST_POSTGRES = 15;
/** From this version-sequence on, a database with 32 bits needs the attention of its operator. */
const NEAR_SEQUENCE_END = 1_000_000_000;
const CLOCK_TOLERANCE_MS = 2_000;
/** Reserved by PostgreSQL for superusers, and by this program beside its pool. */
const CONNECTION_MARGIN = 10;
const LEAST_FREE_BYTES = 1024 ** 3;

export const doctor: Command = {
  name: 'doctor',
  usage: '',
  summary:
    'Check the settings, database, Redis, clock, file limit and disk; code 1 if the server could not run.',
  options: { json: { type: 'boolean', help: 'print the findings as one JSON document' } },
  examples: [
    { line: 'andiron doctor', does: 'Check what a server needs, before its start or after a failure.' },
    { line: 'andiron doctor --json', does: 'Print the findings for a program.' },
  ],
  async run({ options }) {
    const findings = await examine();
    process.stdout.write(options['json'] === true ? `${JSON.stringify(findings)}\n` : toText(findings));
    if (findings.some(({ verdict }) => verdict === 'fault')) process.exitCode = 1;
  },
};

function toText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ about }) => about.length));
  return findings
    .map(({ verdict, about, text }) => `${verdict.padEnd(7)}  ${about.padEnd(width)}  ${text}\n`)
    .join('');
}

async function examine(): Promise<readonly Finding[]> {
  let settings: Settings;
  try {
    settings = loadSettings(process.env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map((text) => fault('settings', withSources(text)));
  }
  const found = await Promise.all([
    examineSettings(settings),
    examineDatabase(settings),
    examineReplicas(settings),
    examineRedis(settings),
    examineFiles(settings),
    examineDisk(),
  ]);
  return found.flat();
}

async function examineSettings({ core, http }: Settings): Promise<readonly Finding[]> {
  const access =
    core.authMode === 'enforced' ? 'credentials are required' : 'every request is allowed (AUTH_MODE=open)';
  const address = quickstartAddress() ?? http.publicUrls[0] ?? `http://${http.host}:${http.port}`;
  return [
    { verdict: 'ok', about: 'settings', text: `${address}, ${access}` },
    ...misspelledSettings(process.env).map((text) => warning('settings', withSources(text))),
  ];
}

async function examineDatabase(settings: Settings): Promise<readonly Finding[]> {
  const { databaseOptions } = await import('../../app.js');
  const { inspectDatabase } = await import('../../core/index.js');
  const { host, port, database: name } = settings.database;
  let database: DatabaseInspection;
  try {
    database = await inspectDatabase(databaseOptions(settings));
  } catch (error) {
    const line =
      explainDatabaseError(error, settings) ??
      `${name} at ${host}:${port} cannot be used: ${messageOf(error)}`;
    return [fault('database', withSources(line))];
  }
  const { version, user, bytes } = database;
  const size = `${(bytes / 1024 ** 2).toFixed(0)} MB`;
  const ok: Finding = {
    verdict: 'ok',
    about: 'database',
    text: `PostgreSQL ${version} at ${host}:${port}, database ${name} (${size}), user ${user}`,
  };
  const findings = [
    ...schemaFindings(database),
    ...rightsFindings(database),
    ...sequenceFindings(database),
    ...capacityFindings(database, settings.database),
  ];
  return [ok, ...findings, clockFinding(database)];
}

async function examineReplicas(settings: Settings): Promise<readonly Finding[]> {
  const { databaseOptions } = await import('../../app.js');
  const { inspectReplicas } = await import('../../core/index.js');
  // The finding about the database says why it cannot be reached.
  const replicas = await inspectReplicas(databaseOptions(settings)).catch(() => []);
  return replicas.map(({ host, port, isDatabase, fault: reason }) =>
    reason === undefined
      ? note(
          'replica',
          `${host}:${port} is ${isDatabase ? 'the database itself' : 'a standby of the database'}`,
        )
      : warning(
          'replica',
          `${host}:${port} is not used, and the database answers its reads: ${reason} (FHIR_DATABASE_REPLICAS)`,
        ),
  );
}

function schemaFindings({
  major,
  version,
  encoding,
  schema,
  programSchema,
  least,
}: DatabaseInspection): readonly Finding[] {
  return [
    ...(major < LEAST_POSTGRES
      ? [fault('database', `PostgreSQL ${version} is too old: ${LEAST_POSTGRES} or later is needed`)]
      : []),
    ...(encoding === 'UTF8'
      ? []
      : [fault('database', `The encoding of the database is ${encoding}: create it with encoding UTF8`)]),
    ...(least !== undefined && least > programSchema
      ? [
          fault(
            'database',
            `The database belongs to a newer version: its schema ${schema} needs a program with ${least} at least, and this one has ${programSchema}`,
          ),
        ]
      : []),
    ...(schema < programSchema
      ? [
          note(
            'database',
            schema === 0
              ? 'It is empty: the first start fills it'
              : `Its schema is ${schema}: the next start brings it to ${programSchema}`,
          ),
        ]
      : []),
  ];
}

function rightsFindings({
  user,
  isSuperuser,
  canCreate,
  canHaveRowSecurity,
  schema,
}: DatabaseInspection): readonly Finding[] {
  return [
    ...(canCreate || schema > 0
      ? []
      : [fault('rights', `${user} may not create the schema: grant create on database … to ${user}`)]),
    ...(canHaveRowSecurity
      ? [{ verdict: 'ok', about: 'rights', text: `${user} can use row-level security` } as const]
      : [
          warning(
            'rights',
            `${user} may not create the role of row-level security, so that it is off: alter role ${user} createrole`,
          ),
        ]),
    ...(isSuperuser ? [warning('rights', `${user} is a superuser, which the server does not need`)] : []),
  ];
}

function sequenceFindings({ sequences }: DatabaseInspection): readonly Finding[] {
  if (sequences === undefined || sequences.bits === 64) return [];
  const text = `Version-sequences have 32 bits, and the largest is ${sequences.last} of 2147483647: run npx --no-install andiron migrate --long-sequences while the database is small (docs/run/upgrades.md)`;
  return [sequences.last < NEAR_SEQUENCE_END ? note('database', text) : warning('database', text)];
}

function capacityFindings(
  { maxConnections }: DatabaseInspection,
  { connections: pool }: Settings['database'],
): readonly Finding[] {
  if (pool + CONNECTION_MARGIN <= maxConnections) return [];
  return [
    warning(
      'database',
      `DATABASE_CONNECTIONS is ${pool}, and PostgreSQL allows ${maxConnections} for all: lower it, or raise max_connections`,
    ),
  ];
}

function clockFinding({ clockAheadMs }: DatabaseInspection): Finding {
  const seconds = (Math.abs(clockAheadMs) / 1000).toFixed(1);
  if (Math.abs(clockAheadMs) <= CLOCK_TOLERANCE_MS)
    return { verdict: 'ok', about: 'clock', text: `It differs by ${seconds} s from that of PostgreSQL` };
  const direction = clockAheadMs > 0 ? 'behind' : 'ahead of';
  return fault(
    'clock',
    `The clock of this machine is ${seconds} s ${direction} that of PostgreSQL: synchronize both, because tokens and times depend on them`,
  );
}

async function examineRedis(settings: Settings): Promise<readonly Finding[]> {
  const { redisOptions } = await import('../../app.js');
  const { describePlace, inspectRedis, settingsBehind } = await import('../../core/index.js');
  const options = redisOptions(settings);
  try {
    const { version, evictionPolicies, place, faults } = await inspectRedis(options);
    const text = `Redis ${version}${place}`;
    return [
      evictionPolicies.includes('noeviction')
        ? warning(
            'redis',
            `${text} evicts nothing (maxmemory-policy noeviction): set allkeys-lru, because it is a cache`,
          )
        : note('redis', text),
      ...faults.map((each) =>
        warning('redis', withSources(`${each} (${settingsBehind(each, options).join(', ')})`)),
      ),
    ];
  } catch (error) {
    const reason = messageOf(error);
    const names = settingsBehind(reason, options).join(', ');
    return [
      warning(
        'redis',
        withSources(
          `${describePlace(options)} cannot be used: ${reason}. The server runs without it, slower (${names})`,
        ),
      ),
    ];
  }
}

async function examineFiles(settings: Settings): Promise<readonly Finding[]> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => undefined);
  const text = openFilesWarning(settings, limits);
  return [
    text === undefined
      ? { verdict: 'ok', about: 'files', text: 'The limit of open files suffices' }
      : warning('files', text),
  ];
}

/** Long bodies and exports pass through the folder for temporary files. */
async function examineDisk(): Promise<readonly Finding[]> {
  const folder = tmpdir();
  const { bavail, bsize } = await statfs(folder);
  const free = `${((bavail * bsize) / 1024 ** 3).toFixed(1)} GB are free in ${folder}`;
  return [
    bavail * bsize < LEAST_FREE_BYTES
      ? warning('disk', `Only ${free}`)
      : { verdict: 'ok', about: 'disk', text: free },
  ];
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}

const fault = (about: string, text: string): Finding => ({ verdict: 'fault', about, text });
const warning = (about: string, text: string): Finding => ({ verdict: 'warning', about, text });
const note = (about: string, text: string): Finding => ({ verdict: 'ok', about, text });
