/** Imports of NDJSON over HTTP. */
import { eventually } from './eventually';
import type { Answer } from './http';

export const ASYNC = { prefer: 'respond-async' };
export const LINES = { ...ASYNC, 'content-type': 'application/fhir+ndjson' };
export const MANIFEST = { ...ASYNC, 'content-type': 'application/json' };
export const WITHIN_MS = 60_000;

export type Headers = Readonly<Record<string, string>>;
/** Sends a request to an address below `{fhir_root}`. */
export type Send = (method: string, rest: string, body?: unknown, headers?: Headers) => Promise<Answer>;

export const basic = (id: string, text = id): string =>
  JSON.stringify({ resourceType: 'Basic', id, code: { text } });

/** Waits for the end of the import that an answer has accepted. */
export async function ended(send: Send, accepted: Answer): Promise<Answer> {
  expect([accepted.status, accepted.headers['preference-applied']]).toEqual([202, 'respond-async']);
  let answer = accepted;
  await eventually(async () => {
    answer = await send('GET', stateOf(accepted));
    return answer.status !== 202;
  }, WITHIN_MS);
  return answer;
}

/** The part of the address of a state below `{fhir_root}`. */
export function stateOf(accepted: Answer): string {
  return /\/_bulk\/[0-9a-f]{32}$/.exec(String(accepted.headers['content-location']))?.[0] ?? '';
}

/** The refused lines of an import: file, line, expression and text of each. */
export async function refusals(send: Send, { json }: Answer): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const { url, count } of json.error) {
    const { headers, text } = await send('GET', /\/_bulk\/.*$/.exec(url)?.[0] ?? '');
    expect(headers['content-type']).toBe('application/fhir+ndjson');
    const outcomes = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(outcomes).toHaveLength(count);
    for (const { extension, issue } of outcomes)
      all.push([
        extension[0].valueString,
        issue[0].extension?.[0].valueInteger,
        issue[0].expression?.[0],
        issue[0].diagnostics,
      ]);
  }
  return all;
}
