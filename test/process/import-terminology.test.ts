/** `andiron import-terminology` as a user runs it, and the answers of terminology operations afterwards. */
import { isJsonObject, parseJson, type JsonObject, type RequestContext } from '../../src/core';
import { ICD10CM } from '../code-systems/icd10cm-sample';
import { LOINC } from '../code-systems/loinc-sample';
import { RXNORM } from '../code-systems/rxnorm-sample';
import { makeSamples, type Files } from '../code-systems/samples';
import { SNOMED } from '../code-systems/snomed-rf2-sample';
import { runHere } from '../support/command-here';
import { openCore, type OpenedCore } from '../support/core';
import type { Ended } from '../support/run-command';
import { toEnvironment } from '../support/server';

let opened: OpenedCore;
let context: RequestContext;
let samples: Awaited<ReturnType<typeof makeSamples>>;
beforeAll(async () => {
  [opened, samples] = await Promise.all([openCore(), makeSamples()]);
  context = await opened.context('system', 'r4');
});
afterAll(async () => {
  await opened.close();
  await samples.remove();
});

const run = (folder: string, ...args: readonly string[]): Promise<Ended> =>
  runHere(['import-terminology', ...args, '--tenant', 'system'], {
    environment: toEnvironment(opened.database),
    folder,
  });

/** Returns the result of an operation. */
async function invoke(type: string, code: string, parameter: readonly JsonObject[]): Promise<JsonObject> {
  const result = await opened.core.interactions.invoke(context, {
    ...{ level: 'type', type, code, safe: true },
    input: parseJson(JSON.stringify({ resourceType: 'Parameters', parameter })),
  });
  const { value } = parseJson('text' in result ? result.text : '{}');
  return isJsonObject(value) ? value : {};
}

const lookUp = (system: string, code: string, ...others: readonly JsonObject[]): Promise<JsonObject> =>
  invoke('CodeSystem', 'lookup', [
    { name: 'system', valueUri: system },
    { name: 'code', valueCode: code },
    ...others,
  ]);

/** Returns the codes that filters of a value set find. */
async function expand(system: string, filter: readonly JsonObject[], ...others: readonly JsonObject[]) {
  const valueSet = {
    ...{ resourceType: 'ValueSet', url: 'http://example.org/vs', status: 'active' },
    compose: { include: [{ system, ...(filter.length === 0 ? {} : { filter: [...filter] }) }] },
  };
  const { expansion } = await invoke('ValueSet', 'expand', [
    { name: 'valueSet', resource: valueSet },
    { name: 'excludeNested', valueBoolean: true },
    ...others,
  ]);
  const contains =
    isJsonObject(expansion) && Array.isArray(expansion['contains']) ? expansion['contains'] : [];
  return contains.map((each) => (isJsonObject(each) ? each['code'] : undefined)).toSorted();
}

const below = (value: string): JsonObject => ({ property: 'concept', op: 'is-a', value });

const CATALOGUE = 'http://acme.example/catalogue';
const TOKENS = ['code', 'category', 'status', 'value-concept', 'method', 'combo-code', 'component-code'];
const CATALOGUE_CSV = `code,display,parent,inactive,abstract,designation:de,property:colour
all,Everything,,,true,Alles,
box,Box,all,,,Kiste,red
crate,"Crate, large",box|all,yes,,,
`;
const CATALOGUE_NDJSON = [
  {
    resourceType: 'CodeSystem',
    url: `${CATALOGUE}/json`,
    version: '2',
    status: 'active',
    content: 'complete',
  },
  { code: 'all', display: 'Everything' },
  { code: 'box', display: 'Box', property: [{ code: 'parent', valueCode: 'all' }] },
]
  .map((each) => JSON.stringify(each))
  .join('\n');

interface Case {
  readonly format: string;
  readonly files: Files;
  /** Beside the format; the first is the file. */
  readonly args: readonly string[];
  readonly concepts: number;
  readonly system: string;
  /** A code, and what its lookup says. */
  readonly code: string;
  readonly says: readonly JsonObject[];
  /** Filters, and the codes that they find. */
  readonly expansions: readonly (readonly [filter: readonly JsonObject[], codes: readonly string[]])[];
}

const property = (code: string, value: JsonObject): JsonObject => ({
  name: 'property',
  part: expect.arrayContaining([
    { name: 'code', valueCode: code },
    { name: 'value', ...value },
  ]),
});

const CASES: readonly Case[] = [
  {
    ...{ format: 'csv', files: { 'catalogue.csv': CATALOGUE_CSV } },
    args: ['catalogue.csv', '--url', CATALOGUE, '--version', '1', '--name', 'Catalogue'],
    ...{ concepts: 3, system: CATALOGUE, code: 'box' },
    says: [
      { name: 'name', valueString: 'Catalogue' },
      { name: 'version', valueString: '1' },
      { name: 'display', valueString: 'Box' },
      property('colour', { valueString: 'red' }),
      property('parent', { valueCode: 'all' }),
      property('child', { valueCode: 'crate' }),
    ],
    expansions: [
      [[], ['all', 'box', 'crate']],
      [[below('box')], ['box', 'crate']],
      [[{ property: 'colour', op: '=', value: 'red' }], ['box']],
    ],
  },
  {
    ...{ format: 'ndjson', files: { 'catalogue.ndjson': CATALOGUE_NDJSON }, args: ['catalogue.ndjson'] },
    ...{ concepts: 2, system: `${CATALOGUE}/json`, code: 'all' },
    says: [{ name: 'version', valueString: '2' }, property('child', { valueCode: 'box' })],
    expansions: [[[below('all')], ['all', 'box']]],
  },
  {
    ...{ format: 'loinc', files: LOINC, args: ['.', '--version', '2.81'], concepts: 6 },
    // Codes of LOINC are not case sensitive.
    ...{ system: 'http://loinc.org', code: 'lp99901-9' },
    says: [
      { name: 'version', valueString: '2.81' },
      { name: 'display', valueString: 'Shine' },
      property('child', { valueCode: '99991-1' }),
    ],
    expansions: [
      [[below('LP99900-1')], ['99991-1', 'LP99900-1', 'LP99901-9', 'LP99902-7']],
      [[{ property: 'SCALE_TYP', op: '=', value: 'Qn' }], ['99991-1', '99992-9']],
      [[{ property: 'copyright', op: '=', value: '3rdParty' }], ['99992-9']],
      [[{ property: 'inactive', op: '=', value: 'true' }], ['99992-9']],
    ],
  },
  {
    ...{ format: 'snomed-rf2', files: SNOMED, args: ['Snapshot'], concepts: 5 },
    ...{ system: 'http://snomed.info/sct', code: '999000002' },
    says: [
      { name: 'version', valueString: 'http://snomed.info/sct/900000000000207008/version/20260101' },
      { name: 'display', valueString: 'Gray unicorn with horn (creature)' },
      property('999000009', { valueCode: '999000003' }),
      property('parent', { valueCode: '999000001' }),
      property('sufficientlyDefined', { valueBoolean: true }),
    ],
    expansions: [
      [[below('999000000')], ['999000000', '999000001', '999000002']],
      [[{ property: '999000009', op: '=', value: '999000003' }], ['999000002']],
    ],
  },
  {
    ...{ format: 'icd10cm', files: ICD10CM, args: ['icd10cm-order-2026.txt'], concepts: 5 },
    ...{ system: 'http://hl7.org/fhir/sid/icd-10-cm', code: 'S72.001' },
    says: [
      { name: 'version', valueString: '2026' },
      property('notSelectable', { valueBoolean: true }),
      property('child', { valueCode: 'S72.001A' }),
    ],
    expansions: [[[below('S72.0')], ['S72.0', 'S72.001', 'S72.001A']]],
  },
  {
    ...{ format: 'rxnorm', files: RXNORM, args: ['rrf'], concepts: 3 },
    ...{ system: 'http://www.nlm.nih.gov/research/umls/rxnorm', code: '313782' },
    says: [
      { name: 'version', valueString: '07062026' },
      { name: 'display', valueString: 'acetaminophen 325 MG Oral Tablet' },
      property('has_ingredient', { valueCode: '161' }),
    ],
    expansions: [
      [[{ property: 'has_ingredient', op: '=', value: '161' }], ['313782']],
      [[{ property: 'TTY', op: 'in', value: 'IN,BN' }], ['161', '92584']],
    ],
  },
];

it.each(CASES)('loads $format, whose codes are looked up and expanded', async (given) => {
  const { format, files, args, concepts, system, code, says, expansions } = given;
  const folder = await samples.write(format, files);
  const first = await run(folder, ...args, '--format', format, '--json');
  expect([first.code, first.errors]).toEqual([0, '']);
  const report = JSON.parse(first.output);
  expect(report).toEqual({ outcome: 'stored', id: expect.stringMatching(/^CodeSystem\//), concepts });
  const { output } = await run(folder, ...args, '--format', format);
  expect(output).toBe(`${report.id}: unchanged, ${concepts} concepts\n`);
  const { parameter } = await lookUp(system, code);
  expect(parameter).toEqual(expect.arrayContaining([...says]));
  for (const [filter, codes] of expansions)
    expect({ filter, codes: await expand(system, filter) }).toEqual({ filter, codes });
});

it('answers with the terms of a language, and finds by them', async () => {
  const displayIn = async (system: string, code: string, language: string) => {
    const { parameter } = await lookUp(system, code, { name: 'displayLanguage', valueCode: language });
    return parameter;
  };
  const display = (valueString: string) => expect.arrayContaining([{ name: 'display', valueString }]);
  expect(await displayIn('http://snomed.info/sct', '999000001', 'en-GB')).toEqual(display('Grey unicorn'));
  expect(await displayIn('http://snomed.info/sct', '999000001', 'en-US')).toEqual(display('Gray unicorn'));
  expect(await displayIn('http://loinc.org', '99991-1', 'de')).toEqual(
    display('Glanz [Masse/Volumen] in Einhorn'),
  );
  const filter = { name: 'filter', valueString: 'einhorn' };
  expect(await expand('http://loinc.org', [], filter)).toEqual(['99991-1', '99992-9']);
});

it('answers more searches below a code at once than there are connections', async () => {
  const pages = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      opened.core.interactions.search(context, {
        type: 'Observation',
        parameters: [[`${TOKENS[at % TOKENS.length]}:below`, `${CATALOGUE}|box`]],
      }),
    ),
  );
  expect(pages.map(({ matches }) => matches)).toEqual(pages.map(() => []));
});

it('says what is wrong with a file, and ends with code 1', async () => {
  const folder = await samples.write('wrong', { 'order.txt': 'A000 Cholera\n' });
  const wrong = await run(folder, 'order.txt', '--format', 'icd10cm');
  expect([wrong.code, wrong.errors]).toEqual([
    1,
    'andiron: order.txt, line 1: it has not the columns of an ICD-10-CM order file\n',
  ]);
  const csv = await run(folder, 'order.txt', '--format', 'csv');
  expect(csv.errors).toBe('andiron: CSV does not say which code system it is: name it by --url\n');
  expect((await run(folder, 'order.txt', '--format', 'xlsx')).code).toBe(2);
});
