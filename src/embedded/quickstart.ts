/** Runs the whole server with its own PostgreSQL, for evaluation. `npm start` does not use this module. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Logger } from 'pino';
import { type App, createApp } from '../app';
import { describeStart, loadSettings } from '../config';
import type { Settings } from '../config/settings';
import { claimDataFolder } from './data-folder';
import { loadExamples } from './examples';
import { makeFirstClient, makeFirstPerson, type FirstPerson } from './first-client';
import { startEmbeddedPostgres } from './postgres';
import { findProgram, startEmbeddedRedis } from './redis';
import { noteRunning } from './running';

export interface QuickstartOptions {
  /** Data folder that is kept between runs. Undefined: a temporary folder that is removed at the end. */
  readonly folder: string | undefined;
  readonly withExamples: boolean;
  /** Environment variables; those of the embedded services override them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  makeLog(settings: Settings): Logger;
  readonly output: NodeJS.WriteStream;
}

/** The started services, which can be stopped at any moment in reverse order. */
export class Stoppable {
  readonly #steps: (() => Promise<void>)[] = [];

  add(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  /** Stops all services and ignores errors. A second call does nothing. */
  async stop(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      await step().catch(() => undefined);
    }
  }
}

async function startRedis(started: Stoppable, options: QuickstartOptions): Promise<Record<string, string>> {
  if ((options.environment['REDIS_HOST'] ?? '') !== '') return {};
  const program = await findProgram('redis-server');
  if (program === undefined) {
    options.output.write(
      'There is no redis-server on the PATH: running without Redis, which is slower and loses nothing\n',
    );
    return {};
  }
  const redis = await startEmbeddedRedis(program);
  started.add(() => redis.stop());
  return {
    REDIS_HOST: redis.host,
    REDIS_PORT: String(redis.port),
    REDIS_USERNAME: '',
    REDIS_PASSWORD: '',
    REDIS_TLS: '',
    REDIS_CA_FILE: '',
  };
}

async function prepareFolder(started: Stoppable, dataFolder: string | undefined): Promise<string> {
  if (dataFolder === undefined) {
    const folder = await mkdtemp(path.join(tmpdir(), 'andiron-quickstart-'));
    started.add(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }
  const folder = path.resolve(dataFolder);
  started.add(await claimDataFolder(folder));
  return folder;
}

async function startPostgres(
  started: Stoppable,
  folder: string,
  isPermanent: boolean,
): Promise<Record<string, string>> {
  const postgres = await startEmbeddedPostgres({ folder, durable: isPermanent, temporary: !isPermanent });
  started.add(() => postgres.stop());
  return {
    FHIR_DATABASE_HOST: postgres.host,
    FHIR_DATABASE_PORT: String(postgres.port),
    FHIR_DATABASE_USERNAME: postgres.user,
    FHIR_DATABASE_PASSWORD: postgres.password,
    FHIR_DATABASE_NAME: 'postgres',
    FHIR_DATABASE_SSL: 'false',
    FHIR_DATABASE_CA_FILE: '',
  };
}

async function addExamples(app: App, log: Logger, folder: string, output: NodeJS.WriteStream): Promise<void> {
  const mark = path.join(folder, 'examples-loaded');
  if (await stat(mark).catch(() => undefined)) return;
  const { stored, subscriptionsOff } = await loadExamples(app.core, 'system', log, output);
  output.write(`${stored} examples are stored\n`);
  if (subscriptionsOff > 0)
    output.write(
      `${subscriptionsOff} Subscriptions among them are stored as off, so that nothing calls the addresses in them\n`,
    );
  await writeFile(mark, `${stored}\n`);
}

interface Banner {
  readonly address: string;
  /** `id:secret` of the first client; undefined: no credentials are needed, or they were shown by an earlier run. */
  readonly credentials: string | undefined;
  /** The account for the console, if this run has made it. */
  readonly person: FirstPerson | undefined;
  readonly isEnforced: boolean;
  readonly seconds: number;
}

function toSignIn({ name, password }: FirstPerson, address: string): string {
  const { port } = new URL(address);
  return `    To sign in to the console: user ${name}, password ${password}
    Browsers let nobody sign in over http from another machine: use https, or ssh -L ${port}:localhost:${port}
`;
}

function writeBanner(options: QuickstartOptions, banner: Banner): void {
  const { output } = options;
  const { address, credentials, person, isEnforced, seconds } = banner;
  const root = `${address}/w/system/api/v1`;
  const user = isEnforced ? ` -u '${credentials ?? 'CLIENT_ID:CLIENT_SECRET'}'` : '';
  const access = !isEnforced
    ? ''
    : credentials === undefined
      ? `
  Other machines can reach this server, so that it answers nobody without credentials. Its first client was made by an
  earlier run. Another secret: andiron client list --tenant system, andiron client secret add CLIENT_ID --tenant system
`
      : `
  Other machines can reach this server, so that it answers nobody without credentials. A first client was made,
  an administrator; its secret is not shown again:

    client_id=${credentials.slice(0, credentials.indexOf(':'))}
    client_secret=${credentials.slice(credentials.indexOf(':') + 1)}
${person === undefined ? '' : toSignIn(person, address)}`;
  const end =
    options.folder === undefined
      ? 'Ctrl-C stops everything and removes the data; --data DIR keeps it.'
      : `Ctrl-C stops everything; the data stays in ${path.resolve(options.folder)}.`;
  output.write(`
Andiron is ready after ${seconds.toFixed(1)} s.

  Console     ${address}/   (open it in a browser)
  FHIR R4     ${root}/fhir/r4
  FHIR R4B    ${root}/fhir/r4b
  metadata    ${root}/fhir/r4/metadata
  GraphiQL    ${root}/graphql/r4   (in a browser)
${access}
  curl${user} '${root}/fhir/r4/Patient?name=chalmers'
  curl${user} '${root}/fhir/r4/Observation?subject=Patient/example&_sort=-date'

${end}
`);
}

/** A home that cannot be written to prevents nothing but the note. */
async function note(
  started: Stoppable,
  running: Parameters<typeof noteRunning>[0],
  { folder, output }: QuickstartOptions,
): Promise<void> {
  try {
    started.add(await noteRunning(running, folder));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    output.write(`Other commands will not find this quick start by themselves: ${reason}\n`);
  }
}

/**
 * Starts PostgreSQL, Redis where the machine has one, and the server. Loads the examples, and prints the addresses.
 * The caller stops `started`, also when this throws.
 * @throws ConfigurationError for settings that are malformed
 * @throws Error with a message for the user when a service cannot be started
 */
export async function startQuickstart(started: Stoppable, options: QuickstartOptions): Promise<App> {
  const begun = performance.now();
  const { output } = options;
  // Malformed settings are reported before any service starts.
  loadSettings(options.environment);
  const folder = await prepareFolder(started, options.folder);
  output.write('Starting PostgreSQL\n');
  const [postgres, redis] = await Promise.all([
    startPostgres(started, folder, options.folder !== undefined),
    startRedis(started, options),
  ]);
  const services = { ...postgres, ...redis };
  const settings = loadSettings({ ...options.environment, ...services });
  const log = options.makeLog(settings);
  for (const warning of describeStart(settings, options.environment)) log.warn(warning);
  output.write('Starting the server\n');
  const app = await createApp(settings, log, undefined, { environment: options.environment });
  started.add(() => app.close());
  const { port } = await app.listen();
  const isEnforced = settings.AUTH_MODE === 'enforced';
  const credentials = isEnforced ? await makeFirstClient(app.core) : undefined;
  const person = isEnforced ? await makeFirstPerson(app.core) : undefined;
  if (options.withExamples) await addExamples(app, log, folder, output);
  const host = settings.HOST === '0.0.0.0' || settings.HOST === '::' ? 'localhost' : settings.HOST;
  const name = host.includes(':') ? `[${host}]` : host;
  const address = `http://${name}:${port}`;
  await note(started, { address, environment: services }, options);
  const seconds = (performance.now() - begun) / 1000;
  writeBanner(options, { address, credentials, person, isEnforced, seconds });
  return app;
}
