/**
 * A code system whose concepts are in tables answers as the same one whose concepts are in its resource: lookups, checks, expansions and
 * searches over random hierarchies.
 */
import { isJsonObject, parseJson, type JsonObject, type RequestContext } from '../../src/core';
import type { CodeSystemFile } from '../../src/core/api/terminology';
import { propertyValues } from '../../src/core/fhir/terminology/code-system';
import { stringMember } from '../../src/core/fhir/terminology/members';
import { createRandom, type Random } from './oracle/random';
import { openCore, type OpenedCore } from '../support/core';
import { rounds } from '../support/rounds';

const SEED = Number(process.env['CONCEPTS_SEED'] ?? 1);
const COUNT = rounds(60, 400);
const WORDS = ['heart', 'valve', 'left', 'Ödem', 'acute', 'chronic', 'lung'];
const STATUS = ['draft', 'final', 'old'];

/** Concepts with several parents each, as elements that name them by properties. */
function makeConcepts(random: Random, count: number): JsonObject[] {
  return Array.from({ length: count }, (_none, index) => {
    const parents = new Set<string>();
    const wanted = index === 0 || random.chance(0.1) ? 0 : random.chance(0.3) ? 2 : 1;
    // Most are below the first, whose subtree is then too large to be listed without regard to use.
    while (parents.size < Math.min(wanted, index))
      parents.add(`C${random.chance(0.3) ? 0 : random.below(index)}`);
    const property: JsonObject[] = [
      ...[...parents].map((valueCode) => ({ code: 'parent', valueCode })),
      { code: 'kind', valueString: random.pick(STATUS) },
      { code: 'size', valueInteger: random.below(3) },
      ...(random.chance(0.1) ? [{ code: 'inactive', valueBoolean: true }] : []),
      ...(random.chance(0.1) ? [{ code: 'notSelectable', valueBoolean: true }] : []),
    ];
    return {
      code: `C${index}`,
      display: random.several(WORDS, 2).join(' ') + ` ${index}`,
      ...(random.chance(0.3) ? { designation: [{ language: 'de', value: `Begriff ${index}` }] } : {}),
      property,
    };
  });
}

const PROPERTY: JsonObject[] = [
  { code: 'parent', uri: 'http://hl7.org/fhir/concept-properties#parent', type: 'code' },
  { code: 'kind', type: 'string' },
  { code: 'size', type: 'integer' },
  { code: 'inactive', uri: 'http://hl7.org/fhir/concept-properties#inactive', type: 'boolean' },
  { code: 'notSelectable', uri: 'http://hl7.org/fhir/concept-properties#notSelectable', type: 'boolean' },
];

function headOf(url: string, isCaseSensitive: boolean): JsonObject {
  return {
    ...{ resourceType: 'CodeSystem', url, version: '1', name: 'Random', status: 'active' },
    ...{ content: 'complete', caseSensitive: isCaseSensitive, property: PROPERTY },
  };
}

function fileOf(head: JsonObject, concepts: readonly JsonObject[], digest = 'one'): CodeSystemFile {
  return {
    ...{ head, digest: Buffer.from(digest) },
    async *concepts() {
      for (const concept of concepts) yield Promise.resolve(concept);
    },
  };
}

const IN_TABLES = 'http://example.org/in-tables';
const IN_RESOURCE = 'http://example.org/in-resource';
const URLS = [IN_TABLES, IN_RESOURCE] as const;

let opened: OpenedCore;
let context: RequestContext;
let concepts: JsonObject[];
const random = createRandom(SEED);

async function put(resource: JsonObject): Promise<void> {
  const [type, id] = [stringMember(resource, 'resourceType') ?? '', stringMember(resource, 'id') ?? ''];
  await opened.core.interactions.update(context, {
    ...{ type, id },
    input: { value: resource, marked: false },
  });
}

beforeAll(async () => {
  opened = await openCore({ environment: { VALIDATION: 'structure' } });
  context = await opened.context('system', 'r4');
  concepts = makeConcepts(random, rounds(700, 1_500));
  const isCaseSensitive = random.chance(0.5);
  await put({ ...headOf(IN_RESOURCE, isCaseSensitive), id: 'in-resource', concept: concepts });
  await opened.core.jobs.importCodeSystem(context, fileOf(headOf(IN_TABLES, isCaseSensitive), concepts));
  for (let index = 0; index < 120; index++) {
    const code = random.pick(concepts)['code'] ?? '';
    await put({
      ...{ resourceType: 'Observation', id: `o${index}`, status: 'final' },
      code: { coding: URLS.map((system) => ({ system, code })) },
    });
  }
});
afterAll(() => opened.close());

async function invoke(type: string, code: string, parameter: readonly object[]): Promise<JsonObject> {
  try {
    const result = await opened.core.interactions.invoke(context, {
      ...{ level: 'type', type, code, safe: true },
      input: parseJson(JSON.stringify({ resourceType: 'Parameters', parameter })),
    });
    if (!('text' in result)) throw new Error('there is no text');
    const { value } = parseJson(result.text.replaceAll(IN_TABLES, IN_RESOURCE));
    if (!isJsonObject(value)) throw new Error('there is no object');
    return value;
  } catch (error) {
    return { error: (error as Error).message.replaceAll(IN_TABLES, IN_RESOURCE) };
  }
}

/** Without what differs by nature: the moment and the identifier, and the identifier of the set. */
function comparable(answer: JsonObject): JsonObject {
  const { expansion, ...others } = answer;
  if (!isJsonObject(expansion)) return answer;
  const { identifier: _identifier, timestamp: _timestamp, ...rest } = expansion;
  return { ...others, expansion: rest };
}

async function compare(
  type: string,
  code: string,
  parametersFor: (url: string) => readonly object[],
): Promise<JsonObject> {
  const [stored, inMemory] = await Promise.all(
    URLS.map(async (url) => comparable(await invoke(type, code, parametersFor(url)))),
  );
  expect({ of: parametersFor(IN_RESOURCE), answer: stored }).toEqual({
    of: parametersFor(IN_RESOURCE),
    answer: inMemory,
  });
  return stored ?? {};
}

const anyCode = (): string =>
  random.chance(0.1)
    ? 'none'
    : random.chance(0.1)
      ? 'c5'
      : (stringMember(random.pick(concepts), 'code') ?? '');

function anyFilter(): JsonObject {
  return random.pick<() => JsonObject>([
    () => ({ property: 'concept', op: 'is-a', value: anyCode() }),
    () => ({ property: 'concept', op: 'descendent-of', value: anyCode() }),
    () => ({ property: 'concept', op: 'is-not-a', value: anyCode() }),
    () => ({ property: 'concept', op: 'generalizes', value: anyCode() }),
    () => ({ property: 'kind', op: '=', value: random.pick(STATUS) }),
    () => ({ property: 'size', op: '=', value: String(random.below(4)) }),
    () => ({ property: 'size', op: 'in', value: '0,2' }),
    () => ({ property: 'parent', op: '=', value: anyCode() }),
    () => ({ property: 'parent', op: 'exists', value: String(random.chance(0.5)) }),
    () => ({ property: 'code', op: 'regex', value: 'C[1-3]+' }),
    () => ({ property: 'notSelectable', op: '=', value: 'true' }),
  ])();
}

/** A value set over the code system, the same for both urls. */
function anyValueSet(): (url: string) => JsonObject {
  const anyInclude = (): JsonObject =>
    random.chance(0.3)
      ? { concept: Array.from({ length: 5 }, () => ({ code: anyCode() })) }
      : { filter: Array.from({ length: 1 + random.below(2) }, anyFilter) };
  const include = random.chance(0.1) ? [{}] : Array.from({ length: 1 + random.below(2) }, anyInclude);
  const exclude = random.chance(0.3) ? [anyInclude()] : [];
  const isActive = random.chance(0.2);
  return (system) => ({
    ...{ resourceType: 'ValueSet', url: `${system}/vs`, status: 'active' },
    compose: {
      include: include.map((each) => ({ system, ...each })),
      ...(exclude.length === 0 ? {} : { exclude: exclude.map((each) => ({ system, ...each })) }),
      ...(isActive ? { inactive: false } : {}),
    },
  });
}

it('$lookup gives the same details', async () => {
  let found = 0;
  for (let round = 0; round < COUNT; round++) {
    const code = anyCode();
    const answer = await compare('CodeSystem', 'lookup', (url) => [
      { name: 'system', valueUri: url },
      { name: 'code', valueCode: code },
    ]);
    if (answer['error'] === undefined) found++;
  }
  expect(found).toBeGreaterThan(COUNT / 2);
});

it('$subsumes gives the same relation', async () => {
  const outcomes = new Set<string>();
  for (let round = 0; round < COUNT; round++) {
    const [codeA, codeB] = [random.chance(0.3) ? 'C0' : anyCode(), anyCode()];
    const answer = await compare('CodeSystem', 'subsumes', (url) => [
      { name: 'system', valueUri: url },
      { name: 'codeA', valueCode: codeA },
      { name: 'codeB', valueCode: codeB },
    ]);
    outcomes.add(JSON.stringify(answer));
  }
  expect(outcomes.size).toBeGreaterThan(2);
});

it('$validate-code gives the same result for value sets and for the code system', async () => {
  for (let round = 0; round < COUNT; round++) {
    const [code, valueSet] = [anyCode(), anyValueSet()];
    await compare('ValueSet', 'validate-code', (url) => [
      { name: 'valueSet', resource: valueSet(url) },
      { name: 'system', valueUri: url },
      { name: 'code', valueCode: code },
    ]);
    await compare('CodeSystem', 'validate-code', (url) => [
      { name: 'url', valueUri: url },
      { name: 'code', valueCode: code },
      { name: 'display', valueString: `Begriff ${code.slice(1)}` },
    ]);
  }
});

it('$expand gives the same codes in pages, and in all where the expansion is flat', async () => {
  let codes = 0;
  for (let round = 0; round < COUNT; round++) {
    const valueSet = anyValueSet();
    const isPaged = random.chance(0.6);
    const others: JsonObject[] = isPaged
      ? [
          { name: 'offset', valueInteger: random.below(20) },
          { name: 'count', valueInteger: 1 + random.below(30) },
        ]
      : [{ name: 'excludeNested', valueBoolean: true }];
    if (random.chance(0.3)) others.push({ name: 'activeOnly', valueBoolean: true });
    if (random.chance(0.3)) others.push({ name: 'excludeNotForUI', valueBoolean: true });
    if (random.chance(0.3)) others.push({ name: 'filter', valueString: random.pick(WORDS) });
    const answer = await compare('ValueSet', 'expand', (url) => [
      { name: 'valueSet', resource: valueSet(url) },
      ...others,
    ]);
    const { contains } = isJsonObject(answer['expansion']) ? answer['expansion'] : {};
    if (Array.isArray(contains)) codes += contains.length;
  }
  expect(codes).toBeGreaterThan(COUNT);
});

/** All pairs of a code and one above it, by the parents that the concepts name. */
function pairsAmong(codes: ReadonlySet<string>): readonly string[] {
  const parents = new Map(
    concepts.map((each) => [stringMember(each, 'code') ?? '', propertyValues(each, 'parent')] as const),
  );
  return [...codes].flatMap((code) => {
    const above = new Set(parents.get(code));
    // The iteration of a Set includes entries that are added meanwhile.
    for (const next of above) for (const parent of parents.get(next) ?? []) above.add(parent);
    return [...above].filter((each) => codes.has(each)).map((each) => `${code} < ${each}`);
  });
}

it('closure tables have the pairs of all concepts that were added, in whatever portions', async () => {
  const closure = async (url: string, ...parameter: readonly object[]): Promise<readonly string[]> => {
    const result = await opened.core.interactions.invoke(context, {
      ...{ level: 'system', code: 'closure', safe: false },
      input: parseJson(
        JSON.stringify({
          resourceType: 'Parameters',
          parameter: [{ name: 'name', valueString: url.slice(-20) }, ...parameter],
        }),
      ),
    });
    if (!('text' in result)) throw new Error('there is no text');
    const { group = [] } = JSON.parse(result.text) as {
      readonly group?: readonly {
        readonly element: readonly {
          readonly code: string;
          readonly target: readonly { readonly code: string }[];
        }[];
      }[];
    };
    return group.flatMap(({ element }) =>
      element.flatMap(({ code, target }) => target.map((above) => `${code} < ${above.code}`)),
    );
  };
  for (const system of URLS) {
    await closure(system);
    const added = new Set<string>();
    const found: string[] = [];
    for (let portion = 0; portion < 6; portion++) {
      const codes = Array.from(
        { length: 1 + random.below(60) },
        () => stringMember(random.pick(concepts), 'code') ?? '',
      );
      for (const code of codes) added.add(code);
      found.push(
        ...(await closure(
          system,
          ...codes.map((code) => ({ name: 'concept', valueCoding: { system, code } })),
        )),
      );
      expect(found.toSorted()).toEqual(pairsAmong(added).toSorted());
    }
    expect(found.length).toBeGreaterThan(50);
    const whole = await closure(system, { name: 'version', valueString: '0' });
    expect(whole.toSorted()).toEqual(found.toSorted());
  }
});

it('$find-matches finds the same codes that have all properties', async () => {
  let found = 0;
  for (let round = 0; round < COUNT / 2; round++) {
    const wanted = random.pick<() => [string, object][]>([
      () => [['code', { valueCode: anyCode() }]],
      () => [['parent', { valueCode: anyCode() }]],
      () => [
        ['kind', { valueString: random.pick(STATUS) }],
        ['parent', { valueCode: anyCode() }],
      ],
      () => [['display', { valueString: stringMember(random.pick(concepts), 'display') ?? '' }]],
    ])();
    const answer = await compare('CodeSystem', 'find-matches', (url) => [
      { name: 'system', valueUri: url },
      { name: 'exact', valueBoolean: true },
      ...wanted.map(([code, value]) => ({
        name: 'property',
        part: [
          { name: 'code', valueCode: code },
          { name: 'value', ...value },
        ],
      })),
    ]);
    if (Array.isArray(answer['parameter'])) found += answer['parameter'].length;
  }
  expect(found).toBeGreaterThan(COUNT / 8);
});

async function search(parameter: string, value: string): Promise<readonly string[] | string> {
  try {
    const { matches } = await opened.core.interactions.search(context, {
      type: 'Observation',
      parameters: [
        [parameter, value],
        ['_count', '1000'],
      ],
    });
    return matches.map(({ id }) => id).toSorted();
  } catch (error) {
    return (error as Error).message.replaceAll(IN_TABLES, IN_RESOURCE);
  }
}

it('searches by subtrees and value sets find the same resources', async () => {
  let found = 0;
  for (let round = 0; round < COUNT; round++) {
    const code = round === 0 ? 'C0' : anyCode();
    for (const modifier of ['above', 'below']) {
      const [stored, inMemory] = await Promise.all(
        URLS.map((url) => search(`code:${modifier}`, `${url}|${code}`)),
      );
      expect({ code, modifier, stored }).toEqual({ code, modifier, stored: inMemory });
      if (typeof stored === 'object') found += stored.length;
    }
  }
  for (let round = 0; round < COUNT / 4; round++) {
    const valueSet = anyValueSet();
    for (const url of URLS) await put({ ...valueSet(url), id: url.slice(-8).replace('/', '-') });
    for (const modifier of ['in', 'not-in']) {
      const [stored, inMemory] = await Promise.all(
        URLS.map((url) => search(`code:${modifier}`, `${url}/vs`)),
      );
      expect({ valueSet: valueSet(IN_RESOURCE), modifier, stored }).toEqual({
        ...{ valueSet: valueSet(IN_RESOURCE), modifier },
        stored: inMemory,
      });
    }
  }
  expect(found).toBeGreaterThan(COUNT);
});

it('a CodeSystem that names the concepts of another one has none', async () => {
  const { matches } = await opened.core.interactions.search(context, {
    type: 'CodeSystem',
    parameters: [['url', IN_TABLES]],
  });
  const { value } = parseJson(matches[0]?.text ?? '');
  if (!isJsonObject(value)) throw new Error('there is no CodeSystem');
  expect(value['identifier']).toEqual([{ system: 'urn:andiron:concept-set', value: '1' }]);
  await put({ ...value, id: 'copied', url: 'http://example.org/copied' });
  const lookUp = (system: string): Promise<JsonObject> =>
    invoke('CodeSystem', 'lookup', [
      { name: 'system', valueUri: system },
      { name: 'code', valueCode: 'C0' },
    ]);
  expect(await lookUp(IN_TABLES)).toMatchObject({ resourceType: 'Parameters' });
  expect(JSON.stringify(await lookUp('http://example.org/copied'))).toContain('error');
});

it('an equal import changes nothing, another one replaces it, and a faulty one leaves it', async () => {
  const head = { ...headOf('http://example.org/again', true) };
  const some: JsonObject[] = [
    { code: 'a', display: 'Letter' },
    { code: 'b', property: [{ code: 'parent', valueCode: 'a' }] },
  ];
  const importCodeSystem = (to: RequestContext, file: CodeSystemFile) =>
    opened.core.jobs.importCodeSystem(to, file, { lastReadersMs: 0 });
  const displayOf = async (code: string): Promise<string> =>
    JSON.stringify(
      await invoke('CodeSystem', 'lookup', [
        { name: 'system', valueUri: 'http://example.org/again' },
        { name: 'code', valueCode: code },
        { name: 'property', valueCode: 'none' },
      ]),
    );
  const first = await importCodeSystem(context, fileOf(head, some));
  expect(first).toMatchObject({ outcome: 'stored', concepts: 2 });
  expect(await importCodeSystem(context, fileOf(head, some))).toEqual({ ...first, outcome: 'unchanged' });
  const twice = fileOf(head, [...some, { code: 'a' }], 'two');
  await expect(importCodeSystem(context, twice)).rejects.toThrow('the code a is there twice');
  expect(await displayOf('a')).toContain('Letter');
  const changing = {
    ...fileOf(head, some, 'three'),
    concepts: (() => {
      let reads = 0;
      return async function* () {
        reads++;
        for (const concept of reads === 1 ? some : some.toReversed()) yield Promise.resolve(concept);
      };
    })(),
  };
  await expect(importCodeSystem(context, changing)).rejects.toThrow('changed while they were imported');
  expect(await displayOf('a')).toContain('Letter');
  const replaced = await importCodeSystem(context, fileOf(head, [{ code: 'a', display: 'First' }], 'four'));
  expect(replaced).toEqual({ ...first, concepts: 1 });
  expect(await displayOf('a')).toContain('First');
  expect(await displayOf('b')).toContain("has no code 'b'");
});
