/** Purged data is removed from every table, cache and answer; other data stays. */
import { Client } from 'pg';
import { type Release, type RequestContext } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';
import { TESTED_RELEASES } from '../../support/releases';

let opened: OpenedCore;
let owner: Client;
beforeAll(async () => {
  opened = await openCore({ environment: { PURGE_OPEN: 'on' } });
  owner = new Client(opened.database.settings);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await opened.close();
});

interface Report {
  readonly complete: boolean;
  readonly resources: number;
  readonly kept: readonly string[];
  readonly table: (name: string) => { removed: number; left: number; mentions: number };
  readonly left: number;
}

type Member = { name: string; [value: string]: unknown; part?: Member[] };

async function purge(context: RequestContext, reference: string, compartment?: boolean): Promise<Report> {
  const [type = '', id = ''] = reference.split('/');
  const parameter = [{ name: 'compartment', valueBoolean: compartment }];
  const result = await opened.core.interactions.invoke(context, {
    level: 'instance',
    type,
    id,
    code: 'purge',
    safe: false,
    ...(compartment === undefined
      ? {}
      : { input: { text: JSON.stringify({ resourceType: 'Parameters', parameter }) } }),
  });
  if (!('text' in result)) throw new Error('no text');
  const members = (JSON.parse(result.text) as { parameter: Member[] }).parameter;
  const value = (of: readonly Member[], name: string): unknown =>
    Object.entries(of.find((one) => one.name === name) ?? {}).find(([key]) => key.startsWith('value'))?.[1];
  const tables = members.filter(({ name }) => name === 'table').map(({ part = [] }) => part);
  return {
    complete: value(members, 'complete') === true,
    resources: Number(value(members, 'resources')),
    kept: members
      .filter(({ name }) => name === 'keptResource')
      .map(({ part = [] }) => `${String(value(part, 'reference'))} ${String(value(part, 'reason'))}`)
      .sort(),
    table(name) {
      const table = tables.find((part) => value(part, 'name') === name) ?? [];
      return {
        removed: Number(value(table, 'removed')),
        left: Number(value(table, 'left')),
        mentions: Number(value(table, 'mentions')),
      };
    },
    left: tables.reduce((sum, part) => sum + Number(value(part, 'left')), 0),
  };
}

/** Rows in which the text stands, of all tables. */
async function rowsWith(text: string): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'andiron' and c.relkind = 'r'`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await owner.query(
      `select 1 from andiron."${name}" t where position($1 in lower(t::text)) > 0`,
      [text.toLowerCase()],
    );
    if (rowCount !== 0) found.push(`${name} ${rowCount}`);
  }
  return found;
}

async function put(context: RequestContext, resource: { resourceType: string; id: string }): Promise<void> {
  await opened.core.interactions.update(context, {
    type: resource.resourceType,
    id: resource.id,
    input: { text: JSON.stringify(resource) },
  });
}

const observation = (id: string, patient: string) => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { text: `Of ${patient}` },
  subject: { reference: `Patient/${patient}` },
  effectiveDateTime: '2020-01-01',
});

describe.each(TESTED_RELEASES)('in %s', (release: Release) => {
  let context: RequestContext;
  beforeAll(async () => {
    await opened.core.tenants.create(`purge-${release}`);
    context = await opened.context(`purge-${release}`, release);
  });

  it('a resource is removed with all its versions, and others stay', async () => {
    const patient = (id: string, family: string) => ({ resourceType: 'Patient', id, name: [{ family }] });
    for (const family of ['Zyxw', 'Zyxwv']) await put(context, patient('one', family));
    await put(context, patient('other', 'Kept'));
    await opened.core.interactions.read(context, 'Patient', 'one');
    const last = await opened.core.streams.lastSequence(context);
    await put(context, patient('one', 'Zyxwvu'));
    const report = await purge(context, 'Patient/one', false);
    expect(report).toMatchObject({ complete: true, resources: 1, left: 0 });
    expect(report.table('resource_version')).toEqual({ removed: 3, left: 0, mentions: 0 });
    expect(report.table('string_index').removed).toBeGreaterThan(0);
    expect(await rowsWith('zyxw')).toEqual([]);
    await expect(opened.core.interactions.read(context, 'Patient', 'one')).rejects.toMatchObject({
      key: 'notFound',
    });
    await expect(opened.core.interactions.vread(context, 'Patient', 'one', '1')).rejects.toMatchObject({
      status: 404,
    });
    const { versions } = await opened.core.interactions.history(context, {});
    expect(versions.map(({ id }) => id)).toEqual(['other']);
    expect(
      (await opened.core.interactions.search(context, { type: 'Patient', parameters: [] })).matches,
    ).toHaveLength(1);
    // Its sequences stay used: subscribers continue, and the next change has the next sequence.
    expect(await opened.core.streams.lastSequence(context)).toBe(last + 1);
    const stream = await opened.core.interactions.follow(context, { parameters: [], after: last + 1 });
    await put(context, patient('one', 'Anew'));
    const change = await stream.next();
    stream.close();
    expect(change?.version).toMatchObject({ id: 'one', versionId: 1, sequence: last + 2 });
    expect(await opened.differences(`purge-${release}`)).toEqual([]);
  });

  it('the compartment of a patient is removed, with deleted resources; shared resources stay and are reported', async () => {
    const ann = { resourceType: 'Patient', id: 'ann', name: [{ family: 'Qrstuv' }] };
    await put(context, ann);
    await put(context, { ...ann, id: 'bob' });
    for (const id of ['a1', 'a2']) await put(context, observation(id, 'ann'));
    const { version } = await opened.core.interactions.create(context, 'Observation', {
      text: JSON.stringify({ ...observation('x', 'ann'), id: undefined }),
    });
    await opened.core.interactions.delete(context, 'Observation', 'a2');
    await put(context, observation('moved', 'ann'));
    await put(context, observation('moved', 'bob'));
    await put(context, observation('b1', 'bob'));
    const actor = (id: string) => ({ actor: { reference: `Patient/${id}` }, status: 'accepted' });
    const shared = {
      resourceType: 'Appointment',
      id: 'both',
      status: 'proposed',
      participant: [actor('ann'), actor('bob')],
    };
    await put(context, shared);
    const task = {
      resourceType: 'Task',
      id: 'mentions',
      status: 'draft',
      intent: 'plan',
      for: { reference: 'Patient/ann' },
    };
    await put(context, task);
    await expect(purge(context, 'Observation/b1', true)).rejects.toMatchObject({ key: 'notSupported' });
    const report = await purge(context, 'Patient/ann');
    expect(report).toMatchObject({ complete: true, resources: 4, left: 0 });
    expect(report.kept).toEqual([
      'Appointment/both shared',
      'Observation/moved elsewhere',
      'Task/mentions mentions',
    ]);
    expect(report.table('resource_version').mentions).toBe(3);
    const { matches } = await opened.core.interactions.search(context, {
      type: 'Observation',
      parameters: [],
    });
    expect(matches.map(({ id }) => id).sort()).toEqual(['b1', 'moved']);
    await expect(opened.core.interactions.read(context, 'Observation', version.id)).rejects.toMatchObject({
      status: 404,
    });
    await expect(opened.core.interactions.vread(context, 'Observation', 'a2', '1')).rejects.toMatchObject({
      status: 404,
    });
    const again = await purge(context, 'Patient/ann');
    expect(again).toMatchObject({ complete: true, resources: 0, left: 0 });
    expect(await opened.differences(`purge-${release}`)).toEqual([]);
  });

  it('is for administrators', async () => {
    const access = { client: 'c', scopes: ['system/*.cruds'], policies: [], isAuditor: false };
    await put(context, observation('mine', 'x'));
    await expect(
      purge({ ...context, access: { ...access, isAdministrator: false } }, 'Observation/mine'),
    ).rejects.toMatchObject({ status: 403 });
    expect(
      await purge({ ...context, access: { ...access, isAdministrator: true } }, 'Observation/mine'),
    ).toMatchObject({ complete: true, resources: 1 });
  });

  it('removes everything while others read and write data of the patient', async () => {
    const id = 'throng';
    await put(context, { resourceType: 'Patient', id });
    let isOver = false;
    let made = 0;
    const work = async (number: number): Promise<void> => {
      for (let round = 0; !isOver; round++) {
        await opened.core.interactions.search(context, {
          type: 'Observation',
          parameters: [['subject', `Patient/${id}`]],
        });
        await put(context, observation(`throng-${number}-${round % 7}`, id));
        made += 1;
        await opened.core.interactions.find(context, 'Patient', id);
      }
    };
    const writers = Array.from({ length: 4 }, (_, number) => work(number));
    try {
      while (made < 20) await opened.core.interactions.find(context, 'Patient', id);
      await purge(context, `Patient/${id}`);
    } finally {
      isOver = true;
      await Promise.all(writers);
    }
    expect(await purge(context, `Patient/${id}`)).toMatchObject({ complete: true, left: 0 });
    expect(await rowsWith(`Patient/${id}`)).toEqual([]);
    expect(await rowsWith('throng-')).toEqual([]);
    expect(await opened.differences(`purge-${release}`)).toEqual([]);
  });
});
