/** A machine that does other things, or nothing for a while, refuses no valid content for good. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { post, transaction, uuid } from '../support/bundles';
import { eventually } from '../support/eventually';
import type { Answer } from '../support/http';
import { startProcess, type ServerProcess } from '../support/process';

/** Longer than the clock around the thread, and than the time limit of a request. */
const STOPPED_MS = 40_000;
const PATIENCE_MS = 60_000;

/** A transaction that takes the thread a second or more. */
const entries = Array.from({ length: 3_000 }, (_, index) =>
  post(
    {
      resourceType: 'Observation',
      status: 'final',
      code: { coding: [{ system: 'http://loinc.org', code: '8867-4' }], text: 'Heart rate' },
      valueQuantity: { value: index, unit: '/min', system: 'http://unitsofmeasure.org', code: '/min' },
      derivedFrom: [{ reference: uuid(index ^ 1) }],
    },
    uuid(index),
  ),
);
const BODY = JSON.stringify(transaction(...entries));

async function withServer(
  environment: Readonly<Record<string, string>>,
  act: (server: ServerProcess, send: () => Promise<Answer>) => Promise<void>,
): Promise<void> {
  const server = await startProcess({ environment });
  const root = server.path('system', 'r4');
  try {
    await act(server, () => server.request('POST', root, BODY, { 'content-type': 'application/fhir+json' }));
  } finally {
    await server.close();
  }
}

/** Hundredths of a second that the process has worked. */
function workOf({ processId }: ServerProcess): number {
  const stat = readFileSync(`/proc/${processId}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Sends the transaction, stops the process in its middle, and lets it go on after a while. */
async function sendToStopped(
  server: ServerProcess,
  send: () => Promise<Answer>,
  stoppedMs: number,
): Promise<Answer> {
  const before = workOf(server);
  const answer = send();
  await eventually(() => Promise.resolve(workOf(server) > before + 40), PATIENCE_MS);
  process.kill(server.processId, 'SIGSTOP');
  await setTimeout(stoppedMs);
  process.kill(server.processId, 'SIGCONT');
  return answer;
}

it('a process that stands still for 40 s in a write tells its client to come again, and takes it then', () =>
  withServer({}, async (server, send) => {
    const { status } = await sendToStopped(server, send, STOPPED_MS);
    expect([200, 503]).toContain(status);
    expect((await send()).status).toBe(200);
  }));

it('time in which the process stands still is no processor time of the content', () =>
  withServer({ CONTENT_PROCESSOR_MS: '8000' }, async (server, send) => {
    expect((await sendToStopped(server, send, 10_000)).status).toBe(200);
  }));

it('a transaction is stored beside loops that take every core', async () => {
  const loops = Array.from({ length: availableParallelism() }, () => new Worker('for (;;);', { eval: true }));
  try {
    await withServer({}, async (_server, send) => {
      expect((await send()).status).toBe(200);
    });
  } finally {
    await Promise.all(loops.map((loop) => loop.terminate()));
  }
});

it('the same transaction is too costly for a thread that may work for a tenth of a second', () =>
  withServer({ CONTENT_PROCESSOR_MS: '100' }, async (_server, send) => {
    const { status, json } = await send();
    expect([status, json.issue[0].code]).toEqual([422, 'too-costly']);
    expect(json.issue[0].diagnostics).toContain('CONTENT_PROCESSOR_MS');
  }));
