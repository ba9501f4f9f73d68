/** HL7's terminology tests: each answers what the HL7 validator needs, or differs for a cause that is named. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { OPEN, startServer, type TestServer } from '../support/server';
import { essenceOf } from './outcomes';
import { readGeneralSuites, readResource, toR4, toR5, type TxSuite, type TxTest } from './suites';
import { differencesOf, isObject, textOf, type Json, type JsonObject } from './templates';

const DIFFERENCES = path.join(__dirname, 'ecosystem-differences.json');
/** The file with what was found is written anew; its causes stay. */
const isUpdated = process.env['UPDATE_TX'] === '1';

/** Where each operation is. */
const ADDRESSES: Readonly<Record<string, string>> = {
  expand: 'ValueSet/$expand',
  lookup: 'CodeSystem/$lookup',
  'validate-code': 'ValueSet/$validate-code',
  'cs-validate-code': 'CodeSystem/$validate-code',
  translate: 'ConceptMap/$translate',
  'batch-validate': 'ValueSet/$batch-validate-code',
};

interface Outcome {
  readonly test: string;
  readonly isRight: boolean;
  /** Where the whole answer differs from what is expected. */
  readonly details: readonly string[];
}

let server: TestServer;
const outcomes: Outcome[] = [];
const refusedSetups: string[] = [];

async function prepare(suite: TxSuite, tenant: string): Promise<void> {
  await server.createTenant(tenant);
  for (const [index, name] of suite.setup.entries()) {
    const resource: JsonObject = { ...toR4(readResource(name)), id: `r${index}` };
    const type = textOf(resource['resourceType']);
    const { status, text } = await server.request(
      'PUT',
      `${server.path(tenant, 'r4')}/${type}/r${index}`,
      resource,
    );
    if (status !== 201) refusedSetups.push(`${suite.name} ${name}: ${text.slice(0, 300)}`);
  }
}

async function run(suite: TxSuite, test: TxTest, tenant: string): Promise<Outcome> {
  const request = readResource(test.request);
  const given = (resource: JsonObject): readonly Json[] =>
    Array.isArray(resource['parameter']) ? resource['parameter'] : [];
  const profile = test.profile === undefined ? [] : given(readResource(test.profile));
  const body = { ...request, parameter: [...given(request), ...profile] };
  const language = test['Accept-Language'];
  const { json } = await server.request(
    'POST',
    `${server.path(tenant, 'r4')}/${ADDRESSES[test.operation]}`,
    body,
    {
      'content-type': 'application/fhir+json',
      ...(language === undefined ? {} : { 'accept-language': language }),
    },
  );
  const expected = readResource(test.response);
  const answer: JsonObject = isObject(json) ? toR5(json) : {};
  return {
    test: `${suite.name}/${test.name}`,
    isRight: JSON.stringify(essenceOf(expected)) === JSON.stringify(essenceOf(answer)),
    details: differencesOf(expected, answer),
  };
}

beforeAll(async () => {
  server = await startServer({ environment: OPEN });
});
afterAll(() => server.close());

it.each(readGeneralSuites().map((suite) => [suite.name, suite] as const))(
  'the tests of %s run',
  async (_name, suite) => {
    const tenant = `tx-${suite.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
    await prepare(suite, tenant);
    for (const test of suite.tests) outcomes.push(await run(suite, test, tenant));
  },
);

it('each has the outcome that HL7 expects, or differs for a cause that is named', () => {
  const wrong = outcomes.filter(({ isRight }) => !isRight).map(({ test }) => test);
  const whole = outcomes.filter(({ details }) => details.length === 0).length;
  process.stdout.write(
    `${outcomes.length - wrong.length} of ${outcomes.length} outcomes as expected, ${whole} whole answers; resources refused: ${refusedSetups.length}\n`,
  );
  const causes = JSON.parse(readFileSync(DIFFERENCES, 'utf8')) as Readonly<Record<string, string>>;
  if (isUpdated) {
    const listed = Object.fromEntries(wrong.map((test) => [test, causes[test] ?? '']));
    writeFileSync(DIFFERENCES, `${JSON.stringify(listed, null, 2)}\n`);
    const report = process.env['TX_REPORT'];
    if (report !== undefined) writeFileSync(report, JSON.stringify({ refusedSetups, outcomes }, null, 1));
    return;
  }
  expect(wrong).toEqual(Object.keys(causes));
  for (const cause of Object.values(causes)) expect(cause).toMatch(/.{20}\.$/);
});
