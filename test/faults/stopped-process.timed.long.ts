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

/** One of a usual size, whose narratives make it long enough for the thread. */
const OF_180 = JSON.stringify(
  transaction(
    ...Array.from({ length: 180 }, (_, index) =>
      post(
        {
          resourceType: 'Condition',
          text: {
            status: 'generated',
            div: `<div xmlns="http://www.w3.org/1999/xhtml"><p>${'A paragraph of a summary. '.repeat(80)}</p></div>`,
          },
          code: { text: `Condition ${index}` },
          subject: { display: 'Ann' },
          ...(index === 0 ? {} : { extension: [related(uuid(index - 1))] }),
        },
        uuid(index),
      ),
    ),
  ),
);

function related(reference: string): object {
  return { url: 'http://example.org/related', valueReference: { reference } };
}

const SDC = 'http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire';

/** A form as SDC has them, with conditions and calculations, and responses in which every second condition is true. */
function formAndResponses(questions: number): readonly string[] {
  const url = `http://example.org/form-of-${questions}`;
  const numbers = Array.from({ length: questions }, (_, index) => index);
  const expression = (text: string): object => ({ language: 'text/fhirpath', expression: text });
  const scores = numbers.map((number) => ({
    ...{ linkId: `score-${number}`, type: 'integer', text: `How often did this happen (${number})?` },
    extension: [{ url: `${CORE}/minValue`, valueInteger: 0 }],
  }));
  const details = numbers.map((number) => ({
    ...{ linkId: `detail-${number}`, type: 'string', required: true, text: `What happened (${number})?` },
    extension: [
      {
        url: `${SDC}-enableWhenExpression`,
        valueExpression: expression(
          `%resource.item.where(linkId = 'scores').item.where(linkId = 'score-${number}').answer.value > 0`,
        ),
      },
    ],
  }));
  const total = {
    ...{ linkId: 'total', type: 'integer', required: true, readOnly: true },
    extension: [
      {
        url: `${SDC}-calculatedExpression`,
        valueExpression: expression('%resource.item.item.answer.value.sum()'),
      },
    ],
  };
  const form = {
    ...{ resourceType: 'Questionnaire', id: `form-of-${questions}`, url, status: 'active' },
    item: [
      { linkId: 'scores', type: 'group', item: scores },
      { linkId: 'details', type: 'group', item: details },
      total,
    ],
  };
  const answered = (linkId: string, value: object): object => ({ linkId, answer: [value] });
  const response = {
    ...{ resourceType: 'QuestionnaireResponse', status: 'completed', questionnaire: url },
    item: [
      {
        linkId: 'scores',
        item: numbers.map((number) => answered(`score-${number}`, { valueInteger: number % 2 })),
      },
      {
        linkId: 'details',
        item: numbers
          .filter((number) => number % 2 === 1)
          .map((number) => answered(`detail-${number}`, { valueString: 'Something' })),
      },
    ],
  };
  const responses = [0, 1, 2].map((each) => post(response, uuid(each)));
  return [transaction(post(form, uuid(0))), transaction(...responses)].map((each) => JSON.stringify(each));
}

const CORE = 'http://hl7.org/fhir/StructureDefinition';

async function withServer(
  environment: Readonly<Record<string, string>>,
  act: (server: ServerProcess, send: (body?: string) => Promise<Answer>) => Promise<void>,
): Promise<void> {
  const server = await startProcess({ environment });
  const root = server.path('system', 'r4');
  const headers = { 'content-type': 'application/fhir+json' };
  try {
    await act(server, (body = BODY) => server.request('POST', root, body, headers));
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

/** Runs `act` while other threads take some of the cores. */
async function besideLoops(count: number, act: () => Promise<void>): Promise<void> {
  const loops = Array.from({ length: count }, () => new Worker('for (;;);', { eval: true }));
  try {
    await act();
  } finally {
    await Promise.all(loops.map((loop) => loop.terminate()));
  }
}

it('a transaction is stored beside loops that take every core', () =>
  besideLoops(availableParallelism(), () =>
    withServer({}, async (_server, send) => {
      expect((await send()).status).toBe(200);
    }),
  ));

it('transactions of 180 entries, and forms with their responses, are stored beside a loop that takes a core', () =>
  besideLoops(1, () =>
    withServer({}, async (_server, send) => {
      expect(OF_180.length).toBeGreaterThan(256 * 1024);
      for (const body of [OF_180, ...formAndResponses(400), ...formAndResponses(1_500)]) {
        const { status, text } = await send(body);
        expect([status, status === 200 ? '' : text.slice(0, 500)]).toEqual([200, '']);
      }
    }),
  ));

it('the same transaction is too costly for a thread that may work for a tenth of a second', () =>
  withServer({ CONTENT_PROCESSOR_MS: '100' }, async (_server, send) => {
    const { status, json } = await send();
    expect([status, json.issue[0].code]).toEqual([422, 'too-costly']);
    expect(json.issue[0].diagnostics).toContain('CONTENT_PROCESSOR_MS');
  }));
