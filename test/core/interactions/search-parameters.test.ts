/** Search parameters of tenants and those who do not know them yet: writers, reindexes, costly expressions. */
import { parseJson, type Core, type RequestContext } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';
import { leastAwaitedMilliseconds } from '../../support/processor-time';
import { eventually } from '../../support/eventually';
import { makeParameter } from '../../support/search-parameters';

const MARK = 'http://example.org/fhir/StructureDefinition/mark';

function basic(mark: string): ReturnType<typeof parseJson> {
  const extension = [{ url: MARK, valueCode: mark }];
  return parseJson(JSON.stringify({ resourceType: 'Basic', code: { text: 'x' }, extension }));
}

function parameter(id: string, parts: Readonly<Record<string, unknown>> = {}): ReturnType<typeof parseJson> {
  const expression = `Basic.extension.where(url = '${MARK}').value`;
  return parseJson(
    JSON.stringify(makeParameter(id, { type: 'token', base: ['Basic'], expression, ...parts })),
  );
}

let opened: OpenedCore;
let core: Core;
beforeEach(async () => {
  opened = await openCore();
  ({ core } = opened);
});
afterEach(() => opened.close());

const store = (context: RequestContext, id: string): Promise<unknown> =>
  core.interactions.update(context, { type: 'SearchParameter', id, input: parameter(id) });

async function find(query: string): Promise<number> {
  const context = await opened.context('system', 'r4');
  const [name = '', value = ''] = query.split('=');
  return (await core.interactions.search(context, { type: 'Basic', parameters: [[name, value]] })).matches
    .length;
}

async function isFound(query: string, count: number): Promise<void> {
  await eventually(() =>
    find(query).then(
      () => true,
      () => false,
    ),
  );
  expect(await find(query)).toBe(count);
}

it('a search parameter finds a resource whose write began before the parameter was created', async () => {
  const before = await opened.context('system', 'r4');
  await core.interactions.create(before, 'Basic', basic('first'));
  await store(before, 'mark');
  const after = await opened.context('system', 'r4');
  expect(after.space.searchParameters?.change).toBe(1);
  expect(before.space.searchParameters).toBeUndefined();
  // The two know different parameters, and go into one gathered statement where they may.
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      core.interactions.create(index % 2 === 0 ? before : after, 'Basic', basic('second')),
    ),
  );
  core.jobs.startWork();
  await isFound('mark=second', 20);
  expect(await find('mark=first')).toBe(1);
  expect(await opened.differences('system')).toEqual([]);
});

it('an update with an outdated list of search parameters changes the rows of all of them', async () => {
  const before = await opened.context('system', 'r4');
  const { version } = await core.interactions.create(before, 'Basic', basic('old'));
  await store(before, 'mark');
  core.jobs.startWork();
  await isFound('mark=old', 1);
  const text = version.text.replace('"old"', '"new"');
  await core.interactions.update(before, { type: 'Basic', id: version.id, input: parseJson(text) });
  expect([await find('mark=old'), await find('mark=new')]).toEqual([0, 1]);
  await core.interactions.delete(before, 'Basic', version.id);
  expect(await find('mark=new')).toBe(0);
  expect(await opened.differences('system')).toEqual([]);
});

it('a reindex adds the rows of a search parameter that is being indexed, and removes none', async () => {
  const context = await opened.context('system', 'r4');
  await core.interactions.create(context, 'Basic', basic('a'));
  await store(context, 'mark');
  await core.interactions.create(context, 'Basic', basic('b'));
  expect(await opened.differences('system')).toEqual([]);
  expect(await opened.reindex({ tenant: 'system' })).toMatchObject({ repaired: 1, added: 1, removed: 0 });
  expect(await opened.reindex({ tenant: 'system' })).toMatchObject({ repaired: 0, added: 0, removed: 0 });
  await expect(find('mark=a')).rejects.toMatchObject({ key: 'unknownParameter' });
  core.jobs.startWork();
  await isFound('mark=a', 1);
  expect(await opened.differences('system')).toEqual([]);
});

it('a deleted search parameter leaves no rows, and its column in heads is reused', async () => {
  const context = await opened.context('system', 'r4');
  await core.interactions.create(context, 'Basic', basic('a'));
  core.jobs.startWork();
  await store(context, 'mark');
  await isFound('mark=a', 1);
  await core.interactions.delete(context, 'SearchParameter', 'mark');
  await expect(find('mark=a')).rejects.toMatchObject({ key: 'unknownParameter' });
  const rowsLeft = async (): Promise<number> => {
    const { repaired, removed } = await opened.reindex({ tenant: 'system' });
    return repaired + removed;
  };
  const isGone = async (): Promise<boolean> => {
    const { space } = await opened.context('system', 'r4');
    return space.searchParameters?.list.length === 0;
  };
  await eventually(isGone);
  expect(await rowsLeft()).toBe(0);
  await core.interactions.update(context, {
    type: 'SearchParameter',
    id: 'next',
    input: parameter('next', { expression: 'Basic.language', type: 'token' }),
  });
  const { space } = await opened.context('system', 'r4');
  expect(space.searchParameters?.list).toMatchObject([{ code: 'next', number: 100_001, slot: 0 }]);
  await isFound('next:missing=true', 1);
});

it('a search parameter with a too costly expression fails and does not delay writes', async () => {
  const context = await opened.context('system', 'r4');
  const costly =
    'Basic.extension.select(%resource.extension).select(%resource.extension).value.ofType(string)';
  await core.interactions.update(context, {
    type: 'SearchParameter',
    id: 'costly',
    input: parameter('costly', { expression: costly, type: 'string' }),
  });
  const extension = Array.from({ length: 2_000 }, (_, index) => ({
    url: MARK,
    valueString: `value ${index}`,
  }));
  const large = parseJson(JSON.stringify({ resourceType: 'Basic', code: { text: 'x' }, extension }));
  const spent = await leastAwaitedMilliseconds(10_000, () =>
    core.interactions.create(context, 'Basic', large),
  );
  // Two thousand times two thousand steps and more, in each of which two thousand are looked at: minutes.
  expect(spent).toBeLessThan(10_000);
  const small = `{"resourceType":"Basic","code":{"text":"x"},"extension":[{"url":"${MARK}","valueString":"small"}]}`;
  await core.interactions.create(context, 'Basic', parseJson(small));
  core.jobs.startWork();
  await expect(find('costly=small')).rejects.toMatchObject({ status: 400 });
  expect(await opened.differences('system')).toEqual([]);
});

it('a tenant can have at most 200 search parameters, and 64 of one type', async () => {
  const context = await opened.context('system', 'r4');
  const store = (id: string, base: string): Promise<unknown> =>
    core.interactions.update(context, {
      type: 'SearchParameter',
      id,
      input: parameter(id, { base: [base], expression: `${base}.extension('urn:x').value` }),
    });
  const bases = ['Basic', 'Patient', 'Observation', 'Encounter'];
  for (let number = 0; number < 64; number++) await store(`p${number}`, 'Basic');
  await expect(store('p64', 'Basic')).rejects.toMatchObject({ status: 422 });
  for (let number = 64; number < 200; number++) await store(`p${number}`, bases[1 + (number % 3)] ?? '');
  await expect(store('p200', 'Encounter')).rejects.toMatchObject({ status: 422 });
  await store('p199', 'Condition');
});
