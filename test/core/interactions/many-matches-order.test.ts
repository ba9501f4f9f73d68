/**
 * More matches than are gathered, in orders that no index has: page by page while others write, over several types, and
 * where only the texts tell the order. A search gathers none here, so that a few dozen are many.
 */
import { toResourceInput, type RequestContext } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { TESTED_RELEASES } from '../../support/releases';

let database: TestDatabase;
/** Gathers the matches and sorts what their texts say. */
let few: OpenedCore;
/** Gathers none. */
let many: OpenedCore;
beforeAll(async () => {
  database = await createTestDatabase();
  const environment = { SECRET_KEYS: 'one-secret-key-of-thirty-two-characters' };
  few = await openCore({ database, environment });
  many = await openCore({ database, environment: { ...environment, SEARCH_SORT_LIMIT: '0' } });
});
afterAll(async () => {
  await few.close();
  await many.close();
  await database.drop();
});

/** More digits than a double tells, so that the order of such numbers is in texts alone. */
const LONG = '2.00000000000000000000000000001';

function observation(number: number): string {
  const subject = number % 5 === 4 ? '' : `"subject":{"reference":"Patient/p${number % 2}"},`;
  const value = number % 6 === 0 ? LONG : number % 4;
  return `{"resourceType":"Observation","status":"final",${subject}"identifier":[{"value":"i${number % 8}"}],
    "effectiveDateTime":"2020-0${1 + (number % 3)}","code":{"coding":[{"code":"c${number % 3}"}]},"valueQuantity":{"value":${value}}}`;
}

const withId = (text: string, id: string): string => text.replace('{', `{"id":"${id}",`);

async function put(context: RequestContext, type: string, id: string, text: string): Promise<void> {
  await many.core.interactions.update(context, {
    type,
    id,
    input: toResourceInput(withId(text, id), { maxDepth: 64 }),
  });
}

type Parameters = readonly (readonly [string, string])[];

/** Ids, or types and ids, of all pages; `cores` take turns. */
async function follow(
  cores: readonly OpenedCore[],
  context: RequestContext,
  type: string | undefined,
  parameters: Parameters,
  beside: (page: number, last: string | undefined) => Promise<unknown> = () => Promise.resolve(),
): Promise<{ readonly ids: string[]; readonly totals: (number | undefined)[] }> {
  const ids: string[] = [];
  const totals: (number | undefined)[] = [];
  let cursor: string | undefined;
  do {
    const core = (cores[totals.length % cores.length] as OpenedCore).core;
    const further = cursor === undefined ? [] : [['_cursor', cursor] as const];
    const [page] = await Promise.all([
      core.interactions.search(context, {
        ...(type === undefined ? {} : { type }),
        parameters: [...parameters, ...further],
      }),
      beside(totals.length, ids.at(-1)),
    ]);
    ids.push(...page.matches.map((match) => (type === undefined ? `${match.type}/${match.id}` : match.id)));
    totals.push(page.total);
    cursor = page.next;
  } while (cursor !== undefined);
  return { ids, totals };
}

describe('while other requests insert, update and delete', () => {
  const KEPT = 33;
  const OTHERS = 24;
  let context: RequestContext;
  let numberOfNext = 0;

  beforeAll(async () => {
    context = await many.context('system', 'r4');
    for (let number = 0; number < KEPT; number++)
      await put(context, 'Observation', `kept-${number}`, observation(number));
  });

  /** One of the others comes, one moves to another place, and one goes: where the last page ended, if that is one. */
  async function write(page: number, last: string | undefined): Promise<void> {
    const gone = last?.startsWith('other-') === true ? last : `other-${(page * 5) % OTHERS}`;
    const moved = `other-${(page * 7 + 3) % OTHERS}`;
    await Promise.all([
      put(context, 'Observation', `new-${numberOfNext++}`, observation(numberOfNext)),
      many.core.interactions.delete(context, 'Observation', gone),
      ...(moved === gone ? [] : [put(context, 'Observation', moved, observation(numberOfNext + 1))]),
    ]);
  }

  it.each(['-code', '_id', 'subject,-code', '-combo-value-quantity'])(
    'each unchanged resource is returned once and in order by %s',
    async (sort) => {
      for (let number = 0; number < OTHERS; number++)
        await put(context, 'Observation', `other-${number}`, observation(number + 1));
      const parameters = [
        ['status', 'final'],
        ['_sort', sort],
      ] as const;
      const isKept = (id: string): boolean => id.startsWith('kept-');
      const before = await follow([few], context, 'Observation', [...parameters, ['_count', '1000']]);
      expect(before.ids.filter(isKept)).toHaveLength(KEPT);
      const met = await follow([many], context, 'Observation', [...parameters, ['_count', '7']], write);
      expect(met.totals.length).toBeGreaterThan(KEPT / 7);
      expect(met.ids.filter(isKept)).toEqual(before.ids.filter(isKept));
    },
  );
});

describe.each(TESTED_RELEASES)('a search of several types in %s', (release) => {
  let context: RequestContext;
  beforeAll(async () => {
    context = await many.context('system', release);
    const report = (number: number): string =>
      `{"resourceType":"DiagnosticReport","status":"${number % 2 === 0 ? 'final' : 'partial'}",
      "effectiveDateTime":"2020-0${1 + (number % 2)}","subject":{"reference":"Patient/p${number % 3}"},
      "code":{"coding":[{"code":"c${(number % 4) + 1}"}]}}`;
    for (let number = 0; number < 14; number++) {
      await put(context, 'Observation', `o${number}`, observation(number));
      await put(context, 'DiagnosticReport', `r${number}`, report(number));
    }
    const codes = (type: string, name: string): string =>
      `{"resourceType":"${type}","status":"draft","url":"urn:${name}","name":"${name}"${type === 'CodeSystem' ? ',"content":"not-present"' : ''}}`;
    for (const name of ['Own', 'AdministrativeGender', 'Other']) {
      await put(context, 'ValueSet', `v-${name}`, codes('ValueSet', name));
      await put(context, 'CodeSystem', `s-${name}`, codes('CodeSystem', name));
    }
  });

  async function expectSame(sort: string, parameters: Parameters, least: number): Promise<void> {
    const of = [...parameters, ['_sort', sort] as const, ['_total', 'accurate'] as const];
    const whole = await follow([few], context, undefined, [...of, ['_count', '1000']]);
    expect(whole.ids.length).toBeGreaterThanOrEqual(least);
    expect(whole.totals).toEqual([whole.ids.length]);
    const paged = await follow([many], context, undefined, [...of, ['_count', '5']]);
    expect([sort, paged.ids]).toEqual([sort, whole.ids]);
    expect(new Set(paged.totals)).toEqual(new Set(whole.totals));
    // However the page before was found.
    const mixed = await follow([few, many], context, undefined, [...of, ['_count', '9'], ['_offset', '4']]);
    expect([sort, mixed.ids]).toEqual([sort, whole.ids.slice(4)]);
  }

  // The same code for both releases; each of them shows a half.
  it.each(
    release === 'r4' ? ['code', '-subject,_id', '-date,code'] : ['subject', '-status,-_lastUpdated', '_id'],
  )('sorts by %s in the same order as a search with few matches', (sort) =>
    expectSame(sort, [['_type', 'Observation,DiagnosticReport']], 28),
  );

  it.each(release === 'r4' ? ['-name'] : ['url,-_id'])(
    "sorts base resources by %s among the tenant's resources",
    (sort) =>
      expectSame(
        sort,
        [
          ['_type', 'CodeSystem,ValueSet'],
          ['name', 'Administrative,Own,Other'],
        ],
        8,
      ),
  );
});

it.each(TESTED_RELEASES)(
  'a value set of the tenant replaces a base value set with the same URL, among many others (%s)',
  async (release) => {
    const context = await many.context('system', release);
    const named = (): Promise<{ ids: string[] }> =>
      follow([many], context, 'ValueSet', [['name', 'ObservationStatus']]);
    expect((await named()).ids).toHaveLength(1);
    // Ten urls are looked for at once, in their order.
    for (let number = 0; number < 25; number++)
      await putValueSet(context, `vs${number}`, `http://a.example/${number}`);
    expect((await named()).ids).toHaveLength(1);
    await putValueSet(context, 'own-status', 'http://hl7.org/fhir/ValueSet/observation-status');
    expect((await named()).ids).toEqual([]);
  },
);

async function putValueSet(context: RequestContext, id: string, url: string): Promise<void> {
  await put(
    context,
    'ValueSet',
    id,
    `{"resourceType":"ValueSet","status":"draft","name":"Own","url":"${url}"}`,
  );
}
