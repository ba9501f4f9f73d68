/// <reference lib="dom" />
/**
 * Twenty tasks of people in the console, each from its first screen to the answer, with what they cost: the steps of the hand, the requests
 * and their bytes. docs/understand/console-internals.md has the table; `UPDATE_TASKS=1` writes the counts anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { TestServer } from '../support/server';
import { FHIR, openExamples } from './console-examples';
import { openConsole } from './console-page';
import { Hand, type Effort } from './task-hand';

const PAGE = path.resolve(__dirname, '../../docs/understand/console-internals.md');
const OPERATOR = '/w/system/console/administration';
const DEMO = `${OPERATOR}/system`;

let server: TestServer;
let browser: Browser;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ server, browser, close } = await openExamples({ AUDIT: 'on', OUTBOUND_ALLOWED_HOSTS: 'localhost:*' }));
  await prepare();
});
afterAll(() => close());

async function put(type: string, id: string, resource: object): Promise<void> {
  const body = { resourceType: type, id, ...resource };
  const { status, text } = await server.request('PUT', `${FHIR}/${type}/${id}`, body);
  if (status >= 300) throw new Error(text);
}

/** What the tasks find beside the examples. */
async function prepare(): Promise<void> {
  const letter = Buffer.from('Dear colleague, the wound has healed.').toString('base64');
  await put('DocumentReference', 'letter', {
    status: 'current',
    subject: { reference: 'Patient/demo-ida' },
    content: [{ attachment: { contentType: 'text/plain', title: 'Letter of discharge', data: letter } }],
  });
  for (const number of [1, 2, 3])
    await put('Basic', `test-${number}`, { code: { text: 'a test' }, identifier: [{ value: 'to-delete' }] });
  await put('Subscription', 'ward', {
    status: 'requested',
    reason: 'to know',
    criteria: 'Patient?_id=told',
    channel: { type: 'rest-hook', endpoint: 'http://localhost:1/hook', payload: 'application/fhir+json' },
  });
  await put('Patient', 'told', { name: [{ family: 'Told' }] });
  await changeBeside('Patient', 'example', [{ op: 'replace', path: '/birthDate', value: '1974-12-26' }]);
}

interface Task {
  /** Who does it. */
  readonly who: 'clinician' | 'engineer' | 'administrator';
  readonly task: string;
  /** From which screen; the start if it is empty. */
  readonly from?: string;
  readonly work: (hand: Hand, page: Page) => Promise<void>;
}

const heading = (page: Page, name: string | RegExp, level = 1) => page.getByRole('heading', { name, level });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });

/** By the search that is on every screen. */
async function find(hand: Hand, text: string, option: RegExp): Promise<void> {
  await hand.press('ControlOrMeta+k');
  await hand.type(hand.page.getByRole('combobox', { name: 'Search', exact: true }), text);
  await hand.page.getByRole('option', { name: option }).first().waitFor();
  await hand.click(hand.page.getByRole('option', { name: option }));
}

/** Changes a record as another person does. */
async function changeBeside(type: string, id: string, operations: readonly object[]): Promise<void> {
  const { status, text } = await server.request('PATCH', `${FHIR}/${type}/${id}`, operations, {
    'content-type': 'application/json-patch+json',
  });
  if (status !== 200) throw new Error(text);
}

const TASKS: readonly Task[] = [
  {
    who: 'clinician',
    task: 'Open the record of a patient by name',
    async work(hand, page) {
      await find(hand, 'Ida Anders', /Ida Anders/);
      await heading(page, 'Ida Anders').waitFor();
    },
  },
  {
    who: 'clinician',
    task: 'See problems, allergies, medications and last measurements together',
    async work(hand, page) {
      await find(hand, 'Ida Anders', /Ida Anders/);
      await page.getByRole('region', { name: 'Problems' }).getByRole('link').first().waitFor();
      await page.getByRole('region', { name: 'Allergies' }).waitFor();
      await page.getByRole('region', { name: 'Vital signs' }).getByRole('row').nth(1).waitFor();
    },
  },
  {
    who: 'clinician',
    task: 'See the course of the glucose of a patient',
    async work(hand, page) {
      await find(hand, 'Ida Anders', /Ida Anders/);
      await hand.click(tab(page, 'Charts'));
      await hand.type(page.getByRole('searchbox', { name: 'Find a measurement' }), 'glucose');
      await hand.click(page.getByRole('link', { name: 'Glucose [Mass/volume] in Blood' }));
      await page.getByRole('img', { name: /over time/ }).waitFor();
    },
  },
  {
    who: 'clinician',
    task: 'Correct a birth date in a form',
    from: `${FHIR}/Patient/demo-jonas`,
    async work(hand, page) {
      await hand.click(page.getByRole('link', { name: 'Edit' }));
      await hand.click(page.getByText('Form', { exact: true }));
      await hand.type(page.getByRole('textbox', { name: /^Birth ?date/i }), '1971-12-01');
      await hand.click(page.getByRole('button', { name: 'Save', exact: true }));
      await page.getByText('Version 2 is saved.').waitFor();
    },
  },
  {
    who: 'clinician',
    task: 'Save although somebody else has changed the record meanwhile',
    from: `${FHIR}/Patient/demo-defne#edit`,
    async work(hand, page) {
      await hand.click(page.getByText('Form', { exact: true }));
      await hand.type(page.getByRole('textbox', { name: /^Birth ?date/i }), '1990-01-02');
      await changeBeside('Patient', 'demo-defne', [{ op: 'replace', path: '/active', value: false }]);
      await hand.click(page.getByRole('button', { name: 'Save', exact: true }));
      await hand.click(page.getByRole('alert').getByRole('button', { name: /joined text/ }));
      await hand.click(page.getByRole('button', { name: 'Save', exact: true }));
      await page.getByText('Version 3 is saved.').waitFor();
    },
  },
  {
    who: 'clinician',
    task: 'See what was changed last, and by whom',
    from: `${FHIR}/Patient/example`,
    async work(hand, page) {
      await hand.click(tab(page, 'History'));
      await page
        .getByRole('table', { name: 'Versions, newest first' })
        .getByRole('row', { name: /birthDate/ })
        .first()
        .waitFor();
    },
  },
  {
    who: 'clinician',
    task: 'Read an attached letter',
    from: `${FHIR}/DocumentReference/letter`,
    async work(hand, page) {
      await hand.click(button(page, 'Load the content'));
      await page.getByText('the wound has healed').first().waitFor();
    },
  },
  {
    who: 'clinician',
    task: 'Find the patients with a diagnosis',
    from: `${FHIR}/Condition`,
    async work(hand, page) {
      await hand.type(page.getByRole('combobox', { name: 'Code: value' }), '44054006');
      await hand.press('Enter');
      await hand.click(page.getByRole('button', { name: 'Search', exact: true }));
      await page
        .getByRole('status')
        .filter({ hasText: /^\d+ in total|· \d+ in total/ })
        .waitFor();
      await page.getByRole('row', { name: /Diabetes mellitus type 2.*Ida Anders/ }).waitFor();
    },
  },
  {
    who: 'clinician',
    task: 'Look up what a code means',
    from: '/w/system/console/r4/terminology',
    async work(hand, page) {
      await hand.type(
        page.getByRole('combobox', { name: 'Code system' }),
        'http://hl7.org/fhir/administrative-gender',
      );
      await hand.type(page.getByRole('textbox', { name: 'Code', exact: true }), 'male');
      await hand.click(button(page, 'Check'));
      await page.getByText('Male', { exact: true }).first().waitFor();
    },
  },
  {
    who: 'engineer',
    task: 'Send a request with a header of its own, and see the answer',
    async work(hand, page) {
      await hand.click(page.getByRole('navigation').getByRole('link', { name: 'REST console' }));
      await hand.type(page.getByRole('combobox', { name: 'Path' }), 'Patient/demo-ida');
      await hand.click(button(page, 'Add a header'));
      await hand.type(page.getByRole('combobox', { name: 'Header 1' }), 'If-None-Match');
      await hand.type(page.getByRole('combobox', { name: 'Value of header 1' }), 'W/"1"');
      await hand.click(button(page, 'Send'));
      await page.getByText('304 Not Modified').waitFor();
    },
  },
  {
    who: 'engineer',
    task: 'Load a file of NDJSON after a dry run',
    from: '/w/system/console/r4/rest',
    async work(hand, page) {
      const lines = [1, 2, 3].map((number) =>
        JSON.stringify({ resourceType: 'Patient', id: `loaded-${number}`, name: [{ family: 'Loaded' }] }),
      );
      await hand.drop(
        page.getByRole('tabpanel'),
        'patients.ndjson',
        'application/x-ndjson',
        lines.join('\n'),
      );
      await hand.click(button(page, 'Dry run'));
      await page.getByText('Dry run: no errors. Resources: 3.').waitFor();
      await hand.click(button(page, 'Send 3 requests'));
      await page.getByText('Done: 3 of 3 requests.').waitFor();
    },
  },
  {
    who: 'engineer',
    task: 'Run an operation by its form',
    from: '/w/system/console/r4/rest',
    async work(hand, page) {
      await hand.type(page.getByRole('combobox', { name: 'Path' }), 'ValueSet/$validate-code');
      await hand.click(button(page, 'Parameters of $validate-code'));
      await hand.type(page.getByLabel(/^url/), 'http://hl7.org/fhir/ValueSet/administrative-gender');
      await hand.type(page.getByLabel(/^code(?! ?able)/), 'male');
      await hand.type(page.getByLabel(/^system/), 'http://hl7.org/fhir/administrative-gender');
      await hand.click(button(page, 'Put the parameters into the body'));
      await hand.click(button(page, 'Send'));
      await page.getByText('200 OK').waitFor();
    },
  },
  {
    who: 'engineer',
    task: 'Take all matches of a search to a spreadsheet',
    from: `${FHIR}/Observation?status=final`,
    async work(hand, page) {
      await hand.click(page.getByRole('checkbox', { name: 'Select all on this page' }));
      await hand.click(button(page, /^Select all matches/));
      const counted = await server.request('GET', `${FHIR}/Observation?status=final&_summary=count`);
      const { total } = JSON.parse(counted.text) as { total: number };
      await page.getByText(`${total} selected`).waitFor();
      const downloading = page.waitForEvent('download');
      await hand.click(button(page, 'Save as CSV'));
      const file = readFileSync(await (await downloading).path(), 'utf8');
      expect([total > 20, file.trimEnd().split('\r\n').length]).toEqual([true, total + 1]);
    },
  },
  {
    who: 'engineer',
    task: 'Delete the records of a test, after looking at what would be deleted',
    from: `${FHIR}/Basic?identifier=to-delete`,
    async work(hand, page) {
      await hand.click(page.getByRole('checkbox', { name: 'Select all on this page' }));
      await hand.click(button(page, 'Delete …'));
      await page.getByRole('dialog').getByText('These would be deleted').waitFor();
      await hand.click(page.getByRole('dialog').getByRole('button', { name: 'Delete 3 records' }));
      await page.getByText('0 in total').waitFor();
    },
  },
  {
    who: 'engineer',
    task: 'Find out why a Subscription tells nothing, and deliver again',
    from: DEMO,
    async work(hand, page) {
      await hand.click(tab(page, 'Subscriptions').or(page.getByRole('link', { name: 'Subscriptions' })));
      await page.getByRole('row', { name: /ward.*failed/ }).waitFor();
      await hand.click(button(page, 'Details of Subscription ward'));
      await hand.click(button(page, /^Deliver now: Subscription ward/));
      await page.getByRole('row', { name: /ward.*failed/ }).waitFor();
    },
  },
  {
    who: 'administrator',
    task: 'Invite a person',
    from: `${DEMO}/users`,
    async work(hand, page) {
      await hand.click(page.getByRole('link', { name: 'New user' }));
      await hand.type(page.getByRole('textbox', { name: 'Name to sign in with' }), 'nora');
      await hand.click(page.getByRole('checkbox', { name: /^Administrator/ }));
      await hand.click(button(page, /^Create/));
      await page.getByText('The account of nora is ready.').waitFor();
      await page.getByRole('group', { name: 'Link', exact: true }).waitFor();
    },
  },
  {
    who: 'administrator',
    task: 'Give a program access to one patient',
    from: `${DEMO}/give-access`,
    async work(hand, page) {
      await hand.click(page.getByText('A program without a person'));
      await hand.type(page.getByRole('combobox', { name: 'Patient' }), 'Anders');
      await hand.click(page.getByRole('option', { name: /Ida Anders/ }));
      await hand.type(page.getByRole('textbox', { name: 'Name of the program' }), 'Night report');
      await hand.click(button(page, 'Give access'));
      await heading(page, 'Access is given').waitFor();
    },
  },
  {
    who: 'administrator',
    task: 'Find out why a client may not read',
    from: `${DEMO}/access`,
    async work(hand, page) {
      await hand.click(page.getByRole('combobox', { name: 'Client' }));
      await hand.click(page.getByRole('option', { name: /Night report/ }));
      await hand.type(page.getByRole('combobox', { name: 'Type' }), 'Observation');
      await hand.click(button(page, 'Explain'));
      await page.getByRole('table', { name: 'What is allowed, and why' }).waitFor();
    },
  },
  {
    who: 'administrator',
    task: 'See who has read the record of a patient, as a file',
    from: `${DEMO}/audit`,
    async work(hand, page) {
      await hand.type(page.getByRole('textbox', { name: 'Patient or record' }), 'Patient/demo-ida');
      await hand.click(button(page, 'Show events'));
      await page.getByRole('row').nth(1).waitFor();
      const downloading = page.waitForEvent('download');
      await hand.click(button(page, 'Export as CSV'));
      expect((await downloading).suggestedFilename()).toMatch(/\.csv$/);
    },
  },
  {
    who: 'administrator',
    task: 'See which searches of the server are the slowest',
    from: OPERATOR,
    async work(hand, page) {
      await hand.click(page.getByRole('link', { name: 'Server' }));
      await hand.click(page.getByRole('link', { name: 'Searches and limits' }));
      await heading(page, 'Slowest searches', 2).waitFor();
    },
  },
];

const efforts = new Map<string, Effort>();

it.each(TASKS)('$who: $task', async ({ task, from = '/', work }) => {
  const shown = await openConsole(browser, server.base);
  try {
    await shown.goTo(from);
    await shown.settle();
    const hand = new Hand(shown);
    await work(hand, shown.page);
    const effort = await hand.effort();
    efforts.set(task, effort);
    expect(shown.faults).toEqual([]);
    if (process.env.UPDATE_TASKS === undefined) expect(effort.steps).toBe(stepsOf(task));
  } finally {
    await shown.close();
  }
});

/** The table of the page: who, task, before and now. */
const rowOf = (task: string): RegExp =>
  new RegExp(`^(\\| \\w+ \\| ${task} \\| [^|]+ \\|) (\\d+) \\| .*$`, 'm');

/** The steps that the page tells. */
function stepsOf(task: string): number {
  return Number(rowOf(task).exec(readFileSync(PAGE, 'utf8'))?.[2]);
}

afterAll(() => {
  if (process.env.UPDATE_TASKS === undefined) return;
  let text = readFileSync(PAGE, 'utf8');
  for (const [task, { steps, requests, bytes }] of efforts)
    text = text.replace(rowOf(task), `$1 ${steps} | ${requests} | ${(bytes / 1000).toFixed(0)} kB |`);
  writeFileSync(PAGE, text);
});
