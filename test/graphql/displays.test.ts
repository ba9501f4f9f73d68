/** Displays of codings and texts of concepts in a language, from the terminology of the tenant. */
import { Kind, parse, type GraphQLSchema } from 'graphql';
import { Client } from 'pg';
import { FhirError, type JsonObject, releaseDefinitions, type RequestContext } from '../../src/core';
import { compileOperation } from '../../src/gateway/execution/compile';
import { createGatewayContext, createSchema, ParsedCache } from '../../src/resolvers';
import { costOfOperation } from '../../src/schema/cost';
import { openCore, type OpenedCore } from '../support/core';
import type { Answer } from '../support/http';
import { TESTED_RELEASES } from '../support/releases';

type Members = Readonly<Record<string, unknown>>;

const toJson = (members: Members): JsonObject => JSON.parse(JSON.stringify(members)) as JsonObject;

const IN_MEMORY = 'http://example.org/in-memory';
const IN_TABLES = 'http://example.org/in-tables';
const SYSTEMS = [IN_MEMORY, IN_TABLES];
/** Observations of each code system. */
const COUNT = 50;

/** Four terms of each, in three languages beside that of the code system. */
const CONCEPTS = Array.from({ length: COUNT }, (_none, index) => ({
  code: `c${index}`,
  display: `Fruit ${index}`,
  designation: [
    { language: 'de', use: { code: 'abbreviation' }, value: `O${index}` },
    { language: 'de', value: `Obst ${index}` },
    { language: 'de-AT', value: `Früchtchen ${index}` },
    { language: 'fr', value: `Fruit (fr) ${index}` },
    { language: 'ja', value: `果物 ${index}` },
  ],
}));

const headOf = (url: string): Members => ({
  ...{ resourceType: 'CodeSystem', url, version: '1', name: 'Fruits', status: 'active' },
  ...{ content: 'complete', caseSensitive: true, language: 'en' },
});

const supplementOf = (url: string, language: string, status: string): Members => ({
  ...{
    resourceType: 'CodeSystem',
    id: `${url.slice(-8).replace('/', '-')}-${language}`,
    url: `${url}/${language}`,
  },
  ...{ version: '1', name: 'Translation', status, content: 'supplement', supplements: url, language },
  concept: CONCEPTS.map(({ code }, index) => ({ code, display: `${language} ${index}` })),
});

const TRANSLATION = {
  extension: [
    {
      url: 'http://hl7.org/fhir/StructureDefinition/translation',
      extension: [
        { url: 'lang', valueCode: 'sv' },
        { url: 'content', valueString: 'Frukt' },
      ],
    },
  ],
};

const observation = (id: string, code: object): Members => ({
  ...{ resourceType: 'Observation', id, status: 'final', code },
});

const parsed = new ParsedCache();
const NO_ACCESS = { client: 'app', policies: [], isAdministrator: false, isAuditor: false };

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore({ environment: { VALIDATION: 'structure' } });
  await opened.core.tenants.create('elsewhere');
  await opened.core.tenants.policies.put('system', 'veil', {
    rules: [{ types: ['*'], interactions: 'cruds' }],
    hidden: ['Observation.code.text', 'Observation.code.coding.display'],
  });
});
afterAll(() => opened.close());

describe.each(TESTED_RELEASES)('a display in a language, in %s', (release) => {
  let schema: GraphQLSchema;
  /** Requests with every right in two tenants, and those of clients of the first. */
  let clinic: RequestContext;
  let elsewhere: RequestContext;
  let reader: RequestContext;
  let veiled: RequestContext;

  async function put(by: RequestContext, ...resources: Members[]): Promise<void> {
    const entry = resources.map((resource) => {
      const url = `${String(resource['resourceType'])}/${String(resource['id'])}`;
      return { resource, request: { method: 'PUT', url } };
    });
    const text = JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });
    await opened.core.interactions.bundle(by, { input: { text } });
  }

  async function send(
    query: string,
    by: RequestContext = clinic,
  ): Promise<{ readonly found: Answer['json']; readonly errors: readonly unknown[] }> {
    const operation = compileOperation(schema, parse(query), undefined);
    if (!('run' in operation)) throw new Error('the document is wrong');
    const settings = { extensionBase: 'https://andiron.example/fhir', maxDepth: 64 };
    const context = createGatewayContext(opened.core, by, { settings, parsed });
    const { data, errors = [] } = await operation.run({ context, variables: {} });
    return {
      found: JSON.parse(JSON.stringify(data)),
      errors: errors.map(({ originalError, path }) => [
        originalError instanceof FhirError ? originalError.key : originalError,
        path,
      ]),
    };
  }
  async function ask(query: string, by: RequestContext = clinic): Promise<Answer['json']> {
    const { errors, found } = await send(query, by);
    expect(errors).toEqual([]);
    return found;
  }

  beforeAll(async () => {
    schema = createSchema(releaseDefinitions(release), { assumeValid: true });
    [clinic, elsewhere] = [
      await opened.context('system', release),
      await opened.context('elsewhere', release),
    ];
    reader = { ...clinic, access: { ...NO_ACCESS, scopes: ['system/Observation.rs'] } };
    veiled = { ...clinic, access: { ...NO_ACCESS, scopes: ['system/*.cruds'], policies: ['veil'] } };
    await opened.core.jobs.importCodeSystem(clinic, {
      ...{ head: toJson(headOf(IN_TABLES)), digest: Buffer.from('one') },
      async *concepts() {
        for (const concept of CONCEPTS) yield Promise.resolve(toJson(concept));
      },
    });
    await put(
      clinic,
      { ...headOf(IN_MEMORY), id: 'in-memory', concept: CONCEPTS },
      ...SYSTEMS.flatMap((url) => [supplementOf(url, 'es', 'active'), supplementOf(url, 'pt', 'retired')]),
    );
    const coded = SYSTEMS.flatMap((system, of) =>
      CONCEPTS.map(({ code }, index) =>
        observation(`o-${of}-${String(index).padStart(2, '0')}`, {
          coding: [{ system, code, display: `stored ${index}` }],
        }),
      ),
    );
    await put(clinic, ...coded);
    await put(elsewhere, coded[0] ?? {});
  });

  /** The statements of tables of concepts, and all others, while `work` goes on. */
  async function statementsOf(work: () => Promise<unknown>): Promise<{ concepts: number; all: number }> {
    const watching = jest.spyOn(Client.prototype, 'query');
    try {
      await work();
      const texts = watching.mock.calls.map(([config]: readonly unknown[]) =>
        typeof config === 'string' ? config : String((config as { text?: unknown } | undefined)?.text),
      );
      return {
        concepts: texts.filter((text) => /andiron"?\."?concept"? /.test(text)).length,
        all: texts.filter((text) => /andiron"?\./.test(text)).length,
      };
    } finally {
      watching.mockRestore();
    }
  }

  const displayIn = async (language: string, ids = 'o-0-07,o-1-07'): Promise<readonly string[]> => {
    const { ObservationList } = await ask(
      `{ ObservationList(_id: "${ids}", _sort: "_id") { code { coding { display(language: "${language}") } } } }`,
    );
    return (ObservationList as { code: { coding: { display: string }[] } }[]).map(
      ({ code }) => code.coding[0]?.display ?? '',
    );
  };

  it.each([
    ['the language of the code system', 'en', 'Fruit 7'],
    ['a variant of it', 'en-US', 'Fruit 7'],
    ['a designation, and no abbreviation', 'de', 'Obst 7'],
    ['the variant that is asked for', 'de-AT', 'Früchtchen 7'],
    ['another script', 'ja', '果物 7'],
    ['the first of several that there is', 'sv, fr;q=0.9, de;q=0.5', 'Fruit (fr) 7'],
    ['a supplement', 'es', 'es 7'],
    ['the stored one in place of a supplement that is retired', 'pt', 'stored 7'],
    ['the stored one where nothing better is known', 'sv', 'stored 7'],
    ['the stored one in any language', '*', 'stored 7'],
  ])('is %s, also of concepts in tables', async (_what, language, display) => {
    expect(await displayIn(language)).toEqual([display, display]);
  });

  it('is read at once for a hundred codes, and leaves the stored element as it is', async () => {
    const list = (count: number, fields: string): string =>
      `{ ObservationList(_count: ${count}, _sort: "-_id") { code { ${fields} } } }`;
    const fields =
      'text(language: "de") coding { code display de: display(language: "de") es: display(language: "es") }';
    let found: Answer['json'];
    await ask(list(2, fields));
    const ofMany = await statementsOf(async () => (found = await ask(list(2 * COUNT, fields))));
    const ofFew = await statementsOf(() =>
      ask(`{ ObservationList(_id: "o-0-01,o-1-01") { code { ${fields} } } }`),
    );
    expect(found.ObservationList).toEqual(
      [...SYSTEMS].reverse().flatMap(() =>
        CONCEPTS.map((_concept, index) => ({
          code: {
            text: `Obst ${index}`,
            coding: [
              { code: `c${index}`, display: `stored ${index}`, de: `Obst ${index}`, es: `es ${index}` },
            ],
          },
        })).reverse(),
      ),
    );
    expect(ofMany.concepts).toBe(1);
    expect(ofFew.concepts).toBe(1);
    expect(ofMany.all).toBeLessThanOrEqual(ofFew.all + 2);
  });

  it('is that of the resource where code or system are unknown, and any where the coding has none', async () => {
    const unknown = { code: 'none', display: 'stored', _display: TRANSLATION };
    await put(
      clinic,
      observation('x-1', { coding: [{ system: IN_MEMORY, ...unknown }] }),
      observation('x-2', { coding: [{ system: IN_TABLES, ...unknown }] }),
      observation('x-3', { coding: [{ system: 'http://example.org/missing', ...unknown }] }),
      observation('x-4', { coding: [unknown] }),
      observation('x-5', { coding: [{ system: IN_TABLES, version: '2', code: 'c1', display: 'stored' }] }),
      observation('x-6', { coding: [{ system: IN_TABLES, version: '1', code: 'c1' }] }),
      observation('x-7', { coding: [{ system: 'urn:iso:std:iso:3166', code: 'NZ' }] }),
    );
    const { ObservationList } = await ask(`{
      ObservationList(_id: "x-1,x-2,x-3,x-4,x-5,x-6,x-7", _sort: "_id") {
        code { coding { display de: display(language: "de") sv: display(language: "sv") } }
      }
    }`);
    const foreign = { display: 'stored', de: 'stored', sv: 'Frukt' };
    expect((ObservationList as { code: { coding: unknown[] } }[]).map(({ code }) => code.coding[0])).toEqual([
      ...[foreign, foreign, foreign, foreign],
      { display: 'stored', de: 'stored', sv: 'stored' },
      { display: null, de: 'Obst 1', sv: 'Fruit 1' },
      { display: null, de: 'New Zealand', sv: 'New Zealand' },
    ]);
  });

  it('is a text of its concept, by what the user chose and what is known', async () => {
    const [first, second] = SYSTEMS.map((system, index) => ({ system, code: `c${index}` }));
    const missing = { system: 'http://example.org/missing', code: 'm', display: 'other' };
    await put(
      clinic,
      observation('y-1', { text: 'stored', _text: TRANSLATION, coding: [first] }),
      observation('y-2', { text: 'stored', coding: [first, { ...second, userSelected: true }] }),
      observation('y-3', { text: 'stored', coding: [missing, second] }),
      observation('y-4', { coding: [missing] }),
      observation('y-5', { text: 'stored' }),
    );
    const { ObservationList } = await ask(`{
      ObservationList(_id: "y-1,y-2,y-3,y-4,y-5", _sort: "_id") {
        code { text de: text(language: "de") sv: text(language: "sv") }
      }
    }`);
    expect((ObservationList as { code: unknown }[]).map(({ code }) => code)).toEqual([
      { text: 'stored', de: 'Obst 0', sv: 'Frukt' },
      { text: 'stored', de: 'Obst 1', sv: 'stored' },
      { text: 'stored', de: 'Obst 1', sv: 'stored' },
      { text: null, de: 'other', sv: 'other' },
      { text: 'stored', de: 'stored', sv: 'stored' },
    ]);
  });

  it('needs the rights of $lookup, which the stored element does not', async () => {
    const coding = (field: string): string =>
      `{ Observation(id: "o-0-01") { code { coding { code display${field} } } } }`;
    const { errors, found } = await send(coding('(language: "de")'), reader);
    expect(errors).toEqual([['forbidden', ['Observation', 'code', 'coding', 0, 'display']]]);
    expect(found.Observation.code.coding).toEqual([{ code: 'c1', display: null }]);
    expect((await ask(coding(''), reader)).Observation.code.coding[0].display).toBe('stored 1');
  });

  it('comes from codes that the client sees, and never from hidden elements', async () => {
    const { Observation } = await ask(
      '{ Observation(id: "o-0-01") { code { coding { display de: display(language: "de") sv: display(language: "sv") } } } }',
      veiled,
    );
    expect(Observation.code.coding).toEqual([{ display: null, de: 'Obst 1', sv: 'Fruit 1' }]);
  });

  it('is never that of a code system of another tenant', async () => {
    const { Observation } = await ask(
      '{ Observation(id: "o-0-00") { code { coding { display(language: "de") } } } }',
      elsewhere,
    );
    expect(Observation.code.coding).toEqual([{ display: 'stored 0' }]);
  });

  it('costs a statement and a row for each, and no level; the stored element nothing', () => {
    const costOf = (field: string): readonly number[] => {
      const document = parse(`{ ObservationList(_count: 20) { code { coding { display${field} } } } }`);
      const [operation] = document.definitions;
      if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('there is no operation');
      const { cost, levels } = costOfOperation(schema, document, operation, {});
      return [cost, levels];
    };
    expect([costOf(''), costOf('(language: "de")')]).toEqual([
      [30, 1],
      [30 + 10 + 20, 1],
    ]);
  });

  it.each(['not a language', 'd'.repeat(201)])('is refused for %s', async (language) => {
    const { errors } = await send(
      `{ Observation(id: "o-0-01") { code { coding { display(language: "${language}") } } } }`,
    );
    expect(errors).toEqual([['invalidValue', ['Observation', 'code', 'coding', 0, 'display']]]);
  });

  it.each(SYSTEMS)('is offered in a pick list, also by a supplement that is named: %s', async (system) => {
    const page = async (given: string): Promise<unknown> => {
      const args = `url: "${system}?fhir_vs", count: 2, ${given}`;
      const { ValueSetExpand } = await ask(
        `{ ValueSetExpand(${args}) { expansion { total contains { code display } } } }`,
      );
      return ValueSetExpand.expansion;
    };
    const spanish = `useSupplement: "${system}/es", displayLanguage: "es"`;
    expect(await page(`offset: 0, ${spanish}`)).toEqual({
      total: COUNT,
      contains: [0, 1].map((index) => ({ code: `c${index}`, display: `es ${index}` })),
    });
    expect(await page(`offset: ${COUNT - 1}, ${spanish}`)).toEqual({
      total: COUNT,
      contains: [{ code: `c${COUNT - 1}`, display: `es ${COUNT - 1}` }],
    });
    expect(await page('offset: 0, filter: "obst 49", displayLanguage: "fr"')).toEqual({
      total: 1,
      contains: [{ code: 'c49', display: 'Fruit (fr) 49' }],
    });
  });

  it('is offered page by page of a large code system, with and without the inactive codes', async () => {
    const url = 'http://example.org/large';
    const isInactive = (number: number): boolean => number % 10 === 0;
    const numbers = Array.from({ length: 20_100 }, (_none, number) => number);
    await opened.core.jobs.importCodeSystem(clinic, {
      ...{ head: toJson(headOf(url)), digest: Buffer.from('large') },
      async *concepts() {
        for (const number of numbers)
          yield Promise.resolve({
            ...{ code: `n${number}`, display: `Number ${number}` },
            ...(isInactive(number) ? { property: [{ code: 'inactive', valueBoolean: true }] } : {}),
          });
      },
    });
    const page = async (offset: number, activeOnly: boolean): Promise<unknown> => {
      const args = `url: "${url}?fhir_vs", count: 3, offset: ${offset}, activeOnly: ${activeOnly}`;
      const { ValueSetExpand } = await ask(
        `{ ValueSetExpand(${args}) { expansion { total contains { code } } } }`,
      );
      return ValueSetExpand.expansion;
    };
    const active = numbers.filter((number) => !isInactive(number));
    const pageOf = (all: readonly number[], offset: number): readonly object[] =>
      all.slice(offset, offset + 3).map((number) => ({ code: `n${number}` }));
    for (const offset of [0, 12_345, active.length - 1])
      expect(await page(offset, true)).toEqual({ total: null, contains: pageOf(active, offset) });
    for (const offset of [0, 12_345])
      expect(await page(offset, false)).toEqual({ total: 20_100, contains: pageOf(numbers, offset) });
  });

  it('changes with the code system, also in the document that changes it', async () => {
    const url = 'http://example.org/changed';
    const changed = {
      ...headOf(url),
      id: 'changed',
      concept: [{ code: 'a', display: 'Before' }],
    };
    await put(clinic, changed, observation('z', { coding: [{ system: url, code: 'a' }] }));
    const update = (
      status: string,
    ): string => `ObservationUpdate(id: "z", res: {resourceType: "Observation", id: "z",
      status: "${status}", code: {coding: [{system: "${url}", code: "a"}]}}) {
        resource { code { coding { display(language: "en") } } }
      }`;
    const { found, errors } = await send(`mutation {
      a: ${update('final')}
      CodeSystemPatch(id: "changed", patch: [{op: replace, path: "/concept/0/display", value: "After"}]) { resource { id } }
      b: ${update('amended')}
    }`);
    expect(errors).toEqual([]);
    expect([found.a, found.b].map(({ resource }) => resource.code.coding[0].display)).toEqual([
      'Before',
      'After',
    ]);
  });
});
