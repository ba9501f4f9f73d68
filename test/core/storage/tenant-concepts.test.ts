/** The concepts of a tenant's large code systems move with it, and leave nothing behind. */
import { Client } from 'pg';
import { isJsonObject, parseJson, type CodeSystemFile, type JsonObject } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';

const URL = 'http://example.org/animals';
const CONCEPTS: readonly JsonObject[] = [
  { code: 'Animal', property: [{ code: 'notSelectable', valueBoolean: true }] },
  ...Array.from({ length: 1_200 }, (_none, index) => ({
    code: `Cat-${index}`,
    display: `Cat "${index}"`,
    designation: [{ language: 'de', value: `Kätzchen ${index}` }],
    property: <JsonObject[]>[
      { code: 'parent', valueCode: index < 10 ? 'animal' : `cat-${index % 10}` },
      ...(index % 3 === 0 ? [{ code: 'parent', valueCode: 'Animal' }] : []),
      ...(index % 7 === 0 ? [{ code: 'inactive', valueBoolean: true }] : []),
      { code: 'weight', valueDecimal: index / 4 },
    ],
  })),
];

function fileOf(version: string, concepts: readonly JsonObject[]): CodeSystemFile {
  const head = {
    ...{ resourceType: 'CodeSystem', url: URL, version, name: 'Animals', status: 'active' },
    ...{ content: 'complete', caseSensitive: false },
  };
  return {
    ...{ head, digest: Buffer.from(version) },
    async *concepts() {
      for (const concept of concepts) yield Promise.resolve(concept);
    },
  };
}

let one: OpenedCore;
let other: OpenedCore;
let owner: Client;
let lines: readonly string[];
beforeAll(async () => {
  const environment = { PURGE_OPEN: 'on' };
  [one, other] = await Promise.all([openCore({ environment }), openCore({ environment })]);
  owner = new Client(one.database.settings);
  await owner.connect();
  await one.core.tenants.create('first');
  const context = await one.context('first', 'r4');
  const options = { lastReadersMs: 0 };
  // A set that is replaced leaves a gap in the numbers.
  await one.core.jobs.importCodeSystem(context, fileOf('1', CONCEPTS.slice(0, 2)), options);
  const changed = { ...fileOf('1', CONCEPTS), digest: Buffer.from('changed') };
  await one.core.jobs.importCodeSystem(context, changed, options);
  await one.core.jobs.importCodeSystem(context, fileOf('0', CONCEPTS.slice(0, 50)), options);
  for (const code of ['cat-3', 'Cat-13', 'Animal'])
    await one.core.interactions.update(context, {
      ...{ type: 'Observation', id: code },
      input: {
        text: JSON.stringify({
          ...{ resourceType: 'Observation', id: code, status: 'final' },
          code: { coding: [{ system: URL, code }] },
        }),
      },
    });
  lines = await exportOf(one, 'first');
});
afterAll(async () => {
  await owner.end();
  await Promise.all([one.close(), other.close()]);
});

async function exportOf({ core }: OpenedCore, tenant: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of (await core.tenants.export(tenant)) ?? []) texts.push(text);
  return texts;
}

async function* given(texts: readonly string[]): AsyncGenerator<string> {
  for (const text of texts) yield await Promise.resolve(text);
}

async function invoke(
  opened: OpenedCore,
  tenant: string,
  [type, code]: readonly [type: string, code: string],
  parameter: readonly object[],
): Promise<JsonObject> {
  const result = await opened.core.interactions.invoke(await opened.context(tenant, 'r4'), {
    ...{ level: 'type', type, code, safe: true },
    input: parseJson(JSON.stringify({ resourceType: 'Parameters', parameter })),
  });
  const { value } = parseJson('text' in result ? result.text : '{}');
  if (!isJsonObject(value)) throw new Error('there is no resource');
  const { expansion } = value;
  // The moment and the identifier of an expansion differ by nature.
  if (!isJsonObject(expansion)) return value;
  return { ...value, expansion: { ...expansion, timestamp: '', identifier: '' } };
}

/** What operations and searches say about the code system. */
async function answers(opened: OpenedCore, tenant: string): Promise<unknown> {
  const ask = (of: readonly [string, string], parameter: readonly object[]) =>
    invoke(opened, tenant, of, parameter);
  const expand = (filter: readonly object[], ...others: readonly object[]) =>
    ask(
      ['ValueSet', 'expand'],
      [
        {
          name: 'valueSet',
          resource: {
            ...{ resourceType: 'ValueSet', url: 'http://example.org/vs', status: 'active' },
            compose: { include: [{ system: URL, version: '1', ...(filter.length === 0 ? {} : { filter }) }] },
          },
        },
        ...others,
      ],
    );
  const search = async (modifier: string, code: string) => {
    const parameters = [[`code:${modifier}`, `${URL}|${code}`] as const];
    const context = await opened.context(tenant, 'r4');
    const { matches } = await opened.core.interactions.search(context, { type: 'Observation', parameters });
    return matches.map(({ id }) => id).toSorted();
  };
  const codes = ['CAT-13', 'animal', 'cat-1199', 'cat-3', 'dog'];
  return {
    lookUps: await Promise.all(
      codes.slice(0, -1).map((code) =>
        ask(
          ['CodeSystem', 'lookup'],
          [
            { name: 'system', valueUri: URL },
            { name: 'code', valueCode: code },
            { name: 'version', valueString: '1' },
            { name: 'displayLanguage', valueCode: 'de' },
            ...['parent', 'child', 'weight', 'inactive'].map((valueCode) => ({
              name: 'property',
              valueCode,
            })),
          ],
        ),
      ),
    ),
    valid: await Promise.all(
      codes.map((code) =>
        ask(
          ['CodeSystem', 'validate-code'],
          [
            { name: 'url', valueUri: URL },
            { name: 'code', valueCode: code },
          ],
        ),
      ),
    ),
    below: await expand([{ property: 'concept', op: 'is-a', value: 'cat-3' }]),
    words: await expand([], { name: 'filter', valueString: 'katzchen 11' }),
    property: await expand([{ property: 'weight', op: '=', value: '0.75' }]),
    active: await expand([], { name: 'activeOnly', valueBoolean: true }, { name: 'count', valueInteger: 9 }),
    found: [await search('below', 'cat-3'), await search('below', 'animal'), await search('above', 'cat-13')],
  };
}

async function rows(tenant: string): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const table of ['concept_set', 'concept']) {
    const { rows: found } = await owner.query<{ count: string }>(
      `select count(*) from andiron.${table} c join andiron.space s on s.number = c.space
       join andiron.tenant t on t.number = s.tenant where t.name = $1`,
      [tenant],
    );
    counts.push(Number(found[0]?.count));
  }
  return counts;
}

const all = async (): Promise<number> =>
  Number((await owner.query<{ count: string }>('select count(*) from andiron.concept')).rows[0]?.count);

it('operations and searches answer the same after an export and import, on this server and on another one', async () => {
  const before = await answers(one, 'first');
  expect(JSON.stringify(before)).toContain('Kätzchen 1199');
  expect((before as { found: string[][] }).found).toEqual([
    ['Cat-13', 'cat-3'],
    ['Animal', 'Cat-13', 'cat-3'],
    ['Animal', 'Cat-13', 'cat-3'],
  ]);
  for (const opened of [one, other]) {
    await opened.core.tenants.import('second', given(lines));
    expect(await answers(opened, 'second')).toEqual(before);
    expect((await exportOf(opened, 'second')).slice(1)).toEqual(lines.slice(1));
  }
  expect(await rows('second')).toEqual([2, 1_251]);
});

it('a later import of the code system replaces the concepts that were imported with the tenant', async () => {
  const context = await other.context('second', 'r4');
  const fewer = { ...fileOf('1', CONCEPTS.slice(0, 4)), digest: Buffer.from('fewer') };
  const imported = await other.core.jobs.importCodeSystem(context, fewer, { lastReadersMs: 0 });
  expect(imported).toMatchObject({ outcome: 'stored', concepts: 4 });
  const { expansion } = await invoke(
    other,
    'second',
    ['ValueSet', 'expand'],
    [{ name: 'url', valueUri: `${URL}?fhir_vs` }],
  );
  expect(expansion).toMatchObject({ total: 4 });
});

it('an import that ends among the concepts continues, and stores nothing twice', async () => {
  const at = lines.findLastIndex((line) => line.startsWith('{"table":"concept",'));
  async function* half(): AsyncGenerator<string> {
    yield* given(lines.slice(0, at));
    throw new Error('killed');
  }
  await expect(one.core.tenants.import('third', half())).rejects.toThrow('killed');
  // The first set is whole, and the second one was not begun.
  expect(await rows('third')).toEqual([1, 1_201]);
  const changed = lines.map((line) => line.replace('"display":"Cat \\"7\\""', '"display":"Dog"'));
  await expect(one.core.tenants.import('third', given(changed))).rejects.toThrow(
    'its set is another than before the interruption',
  );
  await one.core.tenants.import('third', given(lines));
  expect((await exportOf(one, 'third')).slice(1)).toEqual(lines.slice(1));
});

it('lines that no export has are refused with their number, and the removal of the tenant leaves no concept', async () => {
  const before = await all();
  const set = lines.findIndex((line) => line.startsWith('{"table":"concept_set"'));
  const concept = set + 3;
  const changed = (at: number, change: (text: string) => string): string[] =>
    lines.map((line, index) => (index === at ? change(line) : line));
  const lies: readonly (readonly [lie: string, given: readonly string[], line: number])[] = [
    ['release', changed(set, (text) => text.replace('"r4"', '"r5"')), set + 1],
    ['number', changed(set, (text) => text.replace(/"number":\d+/, '"number":2147483647')), set + 1],
    ['text', changed(set, (text) => text.replace(/"number":\d+/, '"number":"2"')), set + 1],
    ['url', changed(set, (text) => text.replace(/"url":/, '"uri":')), set + 1],
    ['no set', lines.filter((_line, index) => index !== set), set + 1],
    ['twice', lines.toSpliced(set + 1, 0, lines[set] ?? ''), set + 2],
    ['code', changed(concept, (text) => text.replace('"folded":"cat-1"', '"folded":"cat-2"')), concept + 1],
    ['again', lines.toSpliced(concept, 0, lines[concept] ?? ''), concept + 2],
    [
      'inside',
      changed(concept, (text) => text.replace('"element":{', '"element":{"concept":[],')),
      concept + 1,
    ],
    [
      'parents',
      changed(concept, (text) => text.replace('"parents":["animal"]', '"parents":[7]')),
      concept + 1,
    ],
    ['abstract', changed(concept, (text) => text.replace('"row":{', '"row":{"abstract":1,')), concept + 1],
  ];
  for (const [lie, texts, line] of lies) {
    const failed = await one.core.tenants.import('liar', given(texts)).then(
      () => 'it was imported',
      (error: Error) => error.message,
    );
    expect({ lie, failed }).toEqual({ lie, failed: expect.stringContaining(`Line ${line} of the export`) });
    expect((await one.core.tenants.remove('liar'))?.isComplete).toBe(true);
    expect({ lie, concepts: await all() }).toEqual({ lie, concepts: before });
  }
});

it('an export whose concepts are replaced meanwhile fails, and the next one is whole', async () => {
  const texts: string[] = [];
  const read = async (): Promise<void> => {
    for await (const { text } of (await one.core.tenants.export('third')) ?? []) {
      const isFirst = texts.push(text) === 3;
      if (!isFirst) continue;
      const fewer = { ...fileOf('1', CONCEPTS.slice(0, 5)), digest: Buffer.from('fewer') };
      await one.core.jobs.importCodeSystem(await one.context('third', 'r4'), fewer, { lastReadersMs: 0 });
    }
  };
  await expect(read()).rejects.toMatchObject({ key: 'tenantBusy' });
  expect(texts.some((text) => text.startsWith('{"end"'))).toBe(false);
  const again = await exportOf(one, 'third');
  expect(again.filter((text) => text.startsWith('{"table":"concept",'))).toHaveLength(55);
});

it('the purge of a CodeSystem removes its concepts', async () => {
  const context = await one.context('second', 'r4');
  const { matches } = await one.core.interactions.search(context, {
    type: 'CodeSystem',
    parameters: [
      ['url', URL],
      ['version', '1'],
    ],
  });
  const id = matches[0]?.id ?? '';
  const purge = { level: 'instance', type: 'CodeSystem', id, code: 'purge', safe: false } as const;
  const result = await one.core.interactions.invoke(context, purge);
  const { value } = parseJson('text' in result ? result.text : '{}');
  expect(value).toMatchObject({
    parameter: expect.arrayContaining([
      {
        name: 'table',
        part: expect.arrayContaining([
          { name: 'name', valueString: 'concept' },
          { name: 'removed', valueUnsignedInt: 1_201 },
          { name: 'left', valueUnsignedInt: 0 },
        ]),
      },
    ]),
  });
  expect(await rows('second')).toEqual([1, 50]);
});
