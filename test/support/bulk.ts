/** Exports of bulk data as a client makes them. */
import { setTimeout } from 'node:timers/promises';
import type { Answer, HttpServer } from './shared-server';

type Sends = Pick<HttpServer, 'request'>;
type Headers = Readonly<Record<string, string>>;

export const ASYNC: Headers = { prefer: 'respond-async' };

export function pathOf(answer: Answer): string {
  const { pathname } = new URL(String(answer.headers['content-location']));
  return pathname;
}

/** Asks for the state until the export has ended. */
export async function waitForExport(server: Sends, path: string, headers: Headers = {}): Promise<Answer> {
  for (;;) {
    const answer = await server.request('GET', path, undefined, headers);
    if (answer.status !== 202 && answer.status !== 429) return answer;
    await setTimeout(100);
  }
}

/** A parsed line. */
export type Line = ReturnType<typeof JSON.parse>;

export interface ExportedData {
  readonly path: string;
  readonly manifest: Answer;
  /** The lines of the files of `output`, parsed, by type. */
  readonly resources: ReadonlyMap<string, readonly Line[]>;
}

/** Makes an export and reads its files. */
export async function exportData(
  server: Sends,
  address: string,
  { body, headers = {} }: { readonly body?: object; readonly headers?: Headers } = {},
): Promise<ExportedData> {
  const sent = { ...ASYNC, ...headers };
  const accepted = await server.request(body === undefined ? 'GET' : 'POST', address, body, sent);
  if (accepted.status !== 202) throw new Error(`${accepted.status} ${accepted.text}`);
  const path = pathOf(accepted);
  const manifest = await waitForExport(server, path, headers);
  if (manifest.status !== 200) throw new Error(`${manifest.status} ${manifest.text}`);
  return { path, manifest, resources: await readFiles(server, manifest.json.output, headers) };
}

/** Reads files of a manifest; the lines are by type. */
export async function readFiles(
  server: Sends,
  files: readonly { readonly type: string; readonly url: string; readonly count: number }[],
  headers: Headers = {},
): Promise<Map<string, Line[]>> {
  const found = new Map<string, Line[]>();
  for (const { type, url } of files) {
    const { status, text } = await server.request('GET', new URL(url).pathname, undefined, headers);
    if (status !== 200) throw new Error(`${status} ${text}`);
    const lines = text.split('\n').filter((line) => line !== '');
    found.set(type, [...(found.get(type) ?? []), ...lines.map((line) => JSON.parse(line))]);
  }
  return found;
}

/** The ids of the resources of a type, sorted. */
export function idsOf({ resources }: ExportedData, type: string): readonly string[] {
  return (resources.get(type) ?? []).map(({ id }) => String(id)).sort();
}
