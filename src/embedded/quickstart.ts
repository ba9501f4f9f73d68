/** Runs the whole server with its own PostgreSQL, for evaluation. `npm start` does not use this module. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Logger } from 'pino';
import { describeStart, loadSettings } from '../config';
import { findExposure } from '../config/exposure';
import { noteSource, QUICK_START } from '../config/setting-sources';
import type { Settings } from '../config/settings';
import { planWorkers } from '../config/workers';
import { type Banner, toAddresses, toCommands, toEnd } from './banner';
import { claimDataFolder } from './data-folder';
import { loadExamples, type LoadOptions } from './examples';
import { makeFirstClient, makeFirstPerson } from './first-client';
import { PageBuild } from './page-build';
import { startEmbeddedPostgres } from './postgres';
import { findProgram, startEmbeddedRedis } from './redis';
import { noteRunning } from './running';
import { type Serving, startServing } from './serving';

export interface QuickstartOptions {
  /** Data folder that is kept between runs. Undefined: a temporary folder that is removed at the end. */
  readonly folder: string | undefined;
  readonly withExamples: boolean;
  /** True: it says that it is ready when the examples are loaded and the pages are built. */
  readonly waits: boolean;
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
  const places = ['REDIS_HOST', 'REDIS_CLUSTER', 'REDIS_SENTINELS'];
  if (places.some((name) => (options.environment[name] ?? '').trim() !== '')) return {};
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

/** Loads the examples unless an earlier run has, and says how many there are. False: the quick start stops. */
async function addExamples(
  serving: Serving,
  log: Logger,
  folder: string,
  { output, signal }: LoadOptions,
): Promise<boolean> {
  const mark = path.join(folder, 'examples-loaded');
  const before = await readFile(mark, 'utf8').catch(() => undefined);
  if (before !== undefined) {
    output.write(`${toNumber(Number(before))} examples are stored.\n`);
    return true;
  }
  const withdraw = serving.announce('The examples are being loaded: searches do not find all of them yet');
  const loaded = await loadExamples(serving.core, 'system', log, { output, signal }).finally(withdraw);
  if (loaded === undefined) return false;
  const { stored, subscriptionsOff } = loaded;
  output.write(`${toNumber(stored)} examples are stored.\n`);
  if (subscriptionsOff > 0)
    output.write(
      `${subscriptionsOff} Subscriptions among them are stored as off, so that nothing calls the addresses in them.\n`,
    );
  await writeFile(mark, `${stored}\n`);
  return true;
}

function toNumber(count: number): string {
  return count.toLocaleString('en');
}

interface QuickstartParts {
  readonly serving: Serving;
  readonly log: Logger;
  /** The folder of the data. */
  readonly folder: string;
  readonly pages: PageBuild;
}

/** Prints that the server is ready, loads the examples and builds the pages; `waits`: it prints that at the end. */
async function finish(
  started: Stoppable,
  { serving, log, folder, pages }: QuickstartParts,
  toBanner: () => Banner,
  { withExamples, waits, output }: QuickstartOptions,
): Promise<void> {
  const stopping = new AbortController();
  if (!waits) {
    const banner = toBanner();
    output.write(toAddresses(banner) + (withExamples ? '' : toCommands(banner)) + toEnd(banner));
    if (pages.isNeeded)
      output.write('Console, GraphiQL and docs are being built; each page opens when it is there.\n');
  }
  const built = pages.run(waits).finally(() => serving.pagesChanged());
  started.add(() => pages.stop());
  const loading = withExamples
    ? addExamples(serving, log, folder, { output, signal: stopping.signal })
    : Promise.resolve(true);
  started.add(async () => {
    stopping.abort();
    await loading;
  });
  if (!(await loading)) return;
  await serving.releaseCore();
  if (!waits && withExamples) output.write(`Try:\n${toCommands(toBanner())}`);
  const isBuilt = await built;
  if (stopping.signal.aborted) return;
  if (!isBuilt) output.write('Not all pages for browsers could be built; npm run build shows why.\n');
  else if (pages.isNeeded) output.write('Console, GraphiQL and docs are built.\n');
  if (waits) {
    const banner = toBanner();
    output.write(toAddresses(banner) + toCommands(banner) + toEnd(banner));
  }
}

/** Settings that decide how the server is reached, which other commands must share: references depend on them. */
const ADDRESS_SETTINGS = ['HOST', 'PORT', 'PUBLIC_URL', 'TRUST_PROXY', 'AUTH_MODE'];

function chosenAddress(environment: QuickstartOptions['environment']): Readonly<Record<string, string>> {
  const chosen = ADDRESS_SETTINGS.map((name) => [name, environment[name] ?? ''] as const);
  return Object.fromEntries(chosen.filter(([, value]) => value !== ''));
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
 * Starts PostgreSQL, Redis where the machine has one, and the server, and prints the addresses. Then loads the examples, and in
 * a checkout builds the pages that are missing; resolves when both are done, or the quick start stops.
 * The caller stops `started`, also when this throws.
 * @throws ConfigurationError for settings that are malformed
 * @throws Error with a message for the user when a service cannot be started
 */
export async function startQuickstart(started: Stoppable, options: QuickstartOptions): Promise<void> {
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
  noteSource(Object.keys(services), QUICK_START);
  const settings = loadSettings({ ...options.environment, ...services });
  const log = options.makeLog(settings);
  for (const warning of describeStart(settings, options.environment)) log.warn(warning);
  output.write('Starting the server\n');
  const pages = new PageBuild();
  const plan = planWorkers(settings, options.environment);
  const served = { settings, plan, environment: { ...options.environment, ...services }, log, pages };
  const serving = await startServing(served, (step) => started.add(step));
  const { core, port } = serving;
  if (plan.count > 1) output.write(`${plan.count} workers share the port.\n`);
  const isEnforced = settings.core.authMode === 'enforced';
  const credentials = isEnforced ? await makeFirstClient(core) : undefined;
  const person = isEnforced ? await makeFirstPerson(core) : undefined;
  const { host: listened } = settings.http;
  const host = listened === '0.0.0.0' || listened === '::' ? 'localhost' : listened;
  const name = host.includes(':') ? `[${host}]` : host;
  const address = `http://${name}:${port}`;
  const environment = { ...chosenAddress(options.environment), ...services };
  await note(started, { address, environment }, options);
  const toBanner = (): Banner => ({
    ...{ address, credentials, person, isEnforced, isReachable: findExposure(settings) !== undefined },
    folder: options.folder,
    seconds: (performance.now() - begun) / 1000,
  });
  await finish(started, { serving, log, folder, pages }, toBanner, options);
}
