import { createApp } from '../../src/app';
import type { Log } from '../../src/core/context';
import type { TestDatabase } from './database';
import { createHttpClient, type HttpClient } from './http';
import { closedAtEnd } from './left-open';
import { makeSettings } from './server';

export interface LoggedServer extends Pick<HttpClient, 'request'> {
  /** The logged messages of warnings and of ended requests, without the lines of requests. */
  readonly lines: readonly string[];
  close(): Promise<void>;
}

/** A server inside the test's process with its log. */
export async function startLoggedServer(
  database: TestDatabase,
  environment: Readonly<Record<string, string>> = {},
): Promise<LoggedServer> {
  const lines: string[] = [];
  const record = (_details: object, message: string): void => {
    if (message !== 'request') lines.push(message);
  };
  const log: Log = { debug: () => undefined, info: record, warn: record, error: record };
  const app = await createApp(makeSettings(database, environment), log);
  const { port } = await app.listen();
  const client = createHttpClient(`http://127.0.0.1:${port}`);
  return {
    lines,
    request: (...sent) => client.request(...sent),
    close: closedAtEnd(async () => {
      client.close();
      await app.close();
    }),
  };
}
