import { createApp, type App } from '../../src/app';
import type { BuiltPages } from '../../src/built-pages';
import { loadSettings } from '../../src/config';
import type { Settings } from '../../src/config/settings';
import type { LiveQueryCounts, Release } from '../../src/core';
import { createTestDatabase, type TestDatabase } from './database';
import { toEnvironment, toPath } from './environment';
import { createHttpClient, type HttpClient } from './http';
import { countStart } from './counts';
import { closedAtEnd } from './left-open';

export { OPEN, toEnvironment, toPath } from './environment';
export type { Answer, Headers } from './http';

export interface TestServerOptions {
  /** Why a file of `npm test` does not use a shared server (shared-server.ts); test/suite.test.ts asks for it. */
  readonly because?: string;
  /** A database that several servers share; the caller drops it. Without it each server has one of its own. */
  readonly database?: TestDatabase;
  /** Settings as environment variables, over those of the tests. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: those of this repository. */
  readonly pages?: BuiltPages;
}

export interface TestServer extends Pick<HttpClient, 'request'> {
  /** Such as http://127.0.0.1:40123 */
  readonly base: string;
  /** The name of a tenant on the server: the same, but on a shared server (shared-server.ts). */
  tenant(name: string): string;
  /** The path of `{fhir_root}`, for `request`. */
  path(tenant: string, release: Release): string;
  /** The address of `{fhir_root}`. */
  root(tenant: string, release: Release): string;
  readonly app: App;
  readonly database: TestDatabase;
  /** Makes a tenant by REST. */
  createTenant(name: string, settings?: Readonly<Record<string, string>>): Promise<void>;
  close(): Promise<void>;
}

export function makeSettings(
  database: TestDatabase,
  environment: Readonly<Record<string, string>> = {},
): Settings {
  return loadSettings({ ...toEnvironment(database), ...environment });
}

/** Those that run in this process, by the address under which their clients know them. */
const running = new Map<string, App>();

/** The live queries of the server at `base`. Undefined: it is not in this process. */
export function countLiveQueries(base: string): LiveQueryCounts | undefined {
  return running.get(base)?.core.health.liveQueries();
}

/** A whole server inside the test's process, listening on a port of its own. */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  countStart();
  const database = options.database ?? (await createTestDatabase());
  const settings = makeSettings(database, options.environment);
  const app = await createApp(settings, undefined, undefined, options.pages && { pages: options.pages });
  const { port } = await app.listen();
  const base = `http://127.0.0.1:${port}`;
  const client = createHttpClient(base);
  running.set(base, app);
  return {
    base,
    tenant: (name) => name,
    path: toPath,
    root: (tenant, release) => base + toPath(tenant, release),
    app,
    database,
    request: (...sent) => client.request(...sent),
    async createTenant(name, settings = {}) {
      const json = { 'content-type': 'application/json' };
      const { status, text } = await client.request(
        'POST',
        '/w/system/api/v1/tenants',
        { name, settings },
        json,
      );
      if (status !== 201) throw new Error(`${name} was not made: ${status} ${text}`);
    },
    close: closedAtEnd(async () => {
      client.close();
      running.delete(base);
      await app.close();
      if (options.database === undefined) await database.drop();
    }),
  };
}
