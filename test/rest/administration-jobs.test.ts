/** Jobs of administration over HTTP: packages of implementation guides, reindexes, their progress and their end. */
import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { makeFolder, packResources } from '../packages/make-package';
import { openRegistry, type Registry } from '../packages/open-registry';
import { eventually } from '../support/eventually';
import type { Answer } from '../support/http';
import { startServer, type TestServer } from '../support/server';
import { whileNothingIsWritten } from '../support/write-lock';

const JSON_TYPE = { 'content-type': 'application/json' };
const GZIP = { 'content-type': 'application/gzip' };
const WITHIN_MS = 60_000;

let server: TestServer;
let registry: Registry;
let owner: Client;
let folder: string;
let remove: () => Promise<void>;

beforeAll(async () => {
  registry = await openRegistry();
  server = await startServer({
    because: 'PACKAGE_REGISTRY, OUTBOUND_ALLOWED_HOSTS and PURGE_OPEN',
    environment: {
      ...{ PACKAGE_REGISTRY: registry.address, OUTBOUND_ALLOWED_HOSTS: '127.0.0.1:*' },
      PURGE_OPEN: 'on',
    },
  });
  owner = new Client(server.database.settings);
  await owner.connect();
  ({ folder, remove } = await makeFolder());
});
afterAll(async () => {
  await owner.end();
  await server.close();
  await registry.close();
  await remove();
});

const at = (tenant: string, place: string): string => `/w/system/api/v1/tenants/${tenant}${place}`;
const send = (method: string, tenant: string, place: string, body?: unknown, headers = JSON_TYPE) =>
  server.request(method, at(tenant, place), body, headers);

/** Waits for the end of a job. */
async function ended(tenant: string, { json: { id } }: Answer): Promise<Answer['json']> {
  let job: Answer['json'];
  await eventually(async () => {
    ({ json: job } = await send('GET', tenant, `/jobs/${id}`));
    return !['queued', 'running'].includes(job.state);
  }, WITHIN_MS);
  return job;
}

const manifest = (name: string, dependencies: object = {}) => ({
  ...{ name, version: '1.0.0', fhirVersions: ['4.0.1'], dependencies },
});
const valueSet = (id: string, status = 'active') => ({
  ...{ resourceType: 'ValueSet', id, url: `http://clinic.example/${id}`, status },
});
const patient = { resourceType: 'Patient', id: 'ana' };

describe('the import of a package', () => {
  it('of the registry is a job, whose progress and result can be read, and the package is listed', async () => {
    await server.createTenant('guided');
    await registry.publish(
      'rooms.example',
      '1.0.0',
      await packResources(folder, manifest('rooms.example'), { 'ValueSet-rooms.json': valueSet('rooms') }),
    );
    const needs = { 'rooms.example': '1.0.0', 'nowhere.example': '3.0.0' };
    await registry.publish(
      'clinic.example',
      '1.0.0',
      await packResources(folder, manifest('clinic.example', needs), {
        'ValueSet-wards.json': valueSet('wards'),
        'notes.json': { note: 'x' },
        'example/Patient-ana.json': patient,
      }),
    );
    const asked = { package: 'clinic.example@1.0.0', release: 'r4', examples: true, dependencies: true };
    const begun = await send('POST', 'guided', '/packages', asked);
    expect(begun.status).toBe(202);
    expect(begun.headers['location']).toBe(`${server.base}${at('guided', `/jobs/${begun.json.id}`)}`);
    expect(begun.json).toMatchObject({ kind: 'import-package', cancelling: false, request: asked });
    const job = await ended('guided', begun);
    expect(job).toMatchObject({
      state: 'done',
      progress: { package: 'clinic.example@1.0.0', resources: 3, stored: 2, unchanged: 0, refused: 1 },
      result: {
        packages: [
          { name: 'rooms.example', version: '1.0.0', release: 'r4', stored: 1, refused: [], notListed: 0 },
          {
            ...{ name: 'clinic.example', stored: 2 },
            types: [
              { type: 'Patient', stored: 1, unchanged: 0 },
              { type: 'ValueSet', stored: 1, unchanged: 0 },
            ],
            refused: [{ file: 'notes.json', reason: expect.stringContaining('resourceType') }],
          },
        ],
        leftOut: [{ package: 'nowhere.example@3.0.0', reason: expect.stringContaining('404') }],
      },
    });
    expect(Date.parse(job.created)).toBeLessThanOrEqual(Date.parse(job.started));
    expect(Date.parse(job.started)).toBeLessThanOrEqual(Date.parse(job.ended));
    expect((await server.request('GET', `${server.path('guided', 'r4')}/Patient/ana`)).status).toBe(200);
    const { json } = await send('GET', 'guided', '/packages');
    expect(json.packages).toEqual([
      { release: 'r4', name: 'clinic.example', version: '1.0.0', resources: 2, imported: expect.any(String) },
      { release: 'r4', name: 'rooms.example', version: '1.0.0', resources: 1, imported: expect.any(String) },
    ]);
  });

  it('fetches no more than 120 times a minute for a tenant', async () => {
    await server.createTenant('greedy');
    await server.createTenant('modest');
    const needs = Object.fromEntries(Array.from({ length: 90 }, (_, each) => [`nowhere-${each}.example`, '1.0.0']));
    for (const name of ['hungry.example', 'hungrier.example'])
      await registry.publish(name, '1.0.0', await packResources(folder, manifest(name, needs), {}));
    const lists = async (tenant: string, name: string): Promise<string[]> => {
      const job = await ended(tenant, await send('POST', tenant, '/packages', { package: `${name}@1.0.0`, dependencies: true }));
      return (job.result?.leftOut ?? [{ reason: job.failure }]).map(({ reason }: { reason: string }) => reason);
    };
    const begun = performance.now();
    const reasons = [...(await lists('greedy', 'hungry.example')), ...(await lists('greedy', 'hungrier.example'))];
    const fetched = reasons.filter((reason) => reason.includes('404')).length;
    const refused = reasons.filter((reason) => reason.includes('fetched too much within a minute')).length;
    expect(fetched).toBeGreaterThanOrEqual(90);
    expect(fetched + refused).toBe(180);
    // Two more in each second: on a slow machine all of them are fetched.
    expect(fetched).toBeLessThanOrEqual(120 + Math.ceil((performance.now() - begun) / 500));
    const [first] = await lists('modest', 'rooms.example');
    expect(first).toBeUndefined();
  }); // prettier-ignore

  it('of the latest version begins again with the version that it was before its process ended', async () => {
    await server.createTenant('resumed');
    for (const version of ['1.0.0', '2.0.0']) {
      const moving = { ...manifest('moving.example'), version };
      const file = await packResources(folder, moving, { 'ValueSet-beds.json': valueSet('beds') });
      await registry.publish('moving.example', version, file);
    }
    const id = 'f'.repeat(32);
    await owner.query(
      `with job as (
         insert into andiron.job (space, id, tenant, kind, most_runs)
         select min(s.number), $1, t.number, 'import-package', 3
         from andiron.tenant t join andiron.space s on s.tenant = t.number and s.kind = 'data'
         where t.name = 'resumed' group by t.number returning space, id
       )
       insert into andiron.job_content (space, id, request, progress) select space, id, $2, $3 from job`,
      [
        id,
        { package: 'moving.example@latest' },
        { resolved: [{ package: 'moving.example@latest', version: '1.0.0' }] },
      ],
    );
    // Wakes the process, which looks for jobs of others every few seconds.
    await send('POST', 'resumed', '/reindex');
    const resumed = await ended('resumed', await send('GET', 'resumed', `/jobs/${id}`));
    expect(resumed).toMatchObject({
      state: 'done',
      progress: { resolved: [{ package: 'moving.example@latest', version: '1.0.0' }] },
      result: { packages: [{ name: 'moving.example', version: '1.0.0', requested: 'latest' }] },
    });
    const begun = await send('POST', 'resumed', '/packages', { package: 'moving.example@latest' });
    expect(await ended('resumed', begun)).toMatchObject({
      progress: { resolved: [{ package: 'moving.example@latest', version: '2.0.0' }] },
      result: { packages: [{ version: '2.0.0', requested: 'latest' }] },
    });
  });

  it('can be sent as a file, and a later import with more resources is counted', async () => {
    await server.createTenant('sent');
    const file = await readFile(
      await packResources(folder, manifest('sent.example'), {
        'ValueSet-rooms.json': valueSet('rooms'),
        'example/Patient-ana.json': patient,
      }),
    );
    const counts: unknown[] = [];
    for (const examples of ['false', 'true', 'false']) {
      const begun = await send('POST', 'sent', `/packages?release=r4&examples=${examples}`, file, GZIP);
      expect([begun.status, begun.json.request]).toEqual([
        202,
        { bytes: file.length, release: 'r4', examples: examples === 'true', dependencies: false },
      ]);
      expect(await ended('sent', begun)).toMatchObject({ state: 'done' });
      counts.push((await send('GET', 'sent', '/packages')).json.packages[0].resources);
    }
    expect(counts).toEqual([1, 2, 2]);
    // The file is not kept.
    const { rows } = await owner.query('select 1 from andiron.job_content where content is not null');
    expect(rows).toEqual([]);
  });

  it('fails with a reason for what is not a package, and for one that the registry does not have', async () => {
    await server.createTenant('refused');
    const broken = await send('POST', 'refused', '/packages', Buffer.from('no gzip'), GZIP);
    expect(await ended('refused', broken)).toMatchObject({
      state: 'failed',
      failure: 'The package cannot be read: it is not a gzip file, or is damaged',
    });
    const unknown = await send('POST', 'refused', '/packages', { package: 'nobody.example@1.0.0' });
    const failed = await ended('refused', unknown);
    expect(failed).toMatchObject({ state: 'failed', failure: expect.stringContaining('nobody.example') });
    const other = await send('POST', 'refused', '/packages', { package: 'rooms.example@1.0.0', release: 'r4b' });
    expect(await ended('refused', other)).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('not for r4b'),
    });
  }); // prettier-ignore

  it.each([
    [{}, '"package" must be NAME@VERSION'],
    [{ package: '/etc/passwd' }, '"package" must be NAME@VERSION'],
    [{ package: 'a@1', release: 'r5' }, '"release" must be r4 or r4b'],
    [{ package: 'a@1', examples: 'yes' }, '"examples" must be true or false'],
    [{ package: 'a@1', example: true }, "'example' is not allowed"],
  ])('is refused at once for %j', async (body, words) => {
    const { status, json } = await send('POST', 'system', '/packages', body);
    expect([status, json.issue[0].diagnostics]).toEqual([400, expect.stringContaining(words)]);
  });

  it('is refused at once for a file with unknown options, without content, or of another type', async () => {
    const file = Buffer.from('x');
    for (const [place, body] of [
      ['/packages?example=true', file],
      ['/packages?examples=yes', file],
      ['/packages', Buffer.alloc(0)],
    ] as const)
      expect((await send('POST', 'system', place, body, GZIP)).status).toBe(400);
    const asText = { 'content-type': 'text/plain' };
    expect((await send('POST', 'system', '/packages', 'x', asText)).status).toBe(415);
  });

  it('is refused for a tenant that does not exist or is disabled', async () => {
    await server.createTenant('idle');
    await send('PATCH', 'idle', '', { status: 'disabled' });
    const asked = { package: 'rooms.example@1.0.0' };
    expect((await send('POST', 'idle', '/packages', asked)).status).toBe(409);
    expect((await send('GET', 'idle', '/packages')).status).toBe(409);
    expect((await send('POST', 'nobody', '/packages', asked)).status).toBe(404);
    expect((await send('GET', 'nobody', '/packages')).status).toBe(404);
    expect((await send('GET', 'nobody', '/jobs')).status).toBe(404);
  });
});

describe('jobs', () => {
  it('of a kind follow each other in a tenant: a second one is 409, and a running one can be cancelled', async () => {
    await server.createTenant('busy');
    const asked = { package: 'rooms.example@1.0.0' };
    let begun: Answer | undefined;
    await whileNothingIsWritten(server.database.settings, async () => {
      begun = await send('POST', 'busy', '/packages', asked);
      const place = `/jobs/${begun.json.id}`;
      await eventually(async () => (await send('GET', 'busy', place)).json.state === 'running', WITHIN_MS);
      const second = await send('POST', 'busy', '/packages', asked);
      expect([second.status, second.json.issue[0].diagnostics]).toEqual([
        409,
        `The tenant 'busy' has a job of the kind 'import-package' that has not ended, ${begun.json.id}; wait for its end, or DELETE it`,
      ]);
      const cancelled = await send('DELETE', 'busy', place);
      expect([cancelled.status, cancelled.json]).toMatchObject([202, { state: 'running', cancelling: true }]);
    });
    if (begun === undefined) throw new Error('no job was begun');
    expect(await ended('busy', begun)).toMatchObject({ state: 'cancelled', cancelling: false });
    expect((await send('GET', 'busy', '/packages')).json.packages).toEqual([]);
    expect(await ended('busy', await send('POST', 'busy', '/packages', asked))).toMatchObject({ state: 'done' });
  }); // prettier-ignore

  it('of all tenants that have not ended are listed for the operator, who stops them: imports and requests', async () => {
    const all = '/w/system/api/v1/server/jobs';
    const tenants = ['one', 'two'];
    for (const tenant of tenants) await server.createTenant(tenant);
    const packed = await packResources(folder, manifest('held.example'), { 'ValueSet-held.json': valueSet('held') });
    await registry.publish('held.example', '1.0.0', packed);
    const listed = async (): Promise<readonly { id: string; tenant: string; kind: string; state: string }[]> =>
      (await server.request('GET', all)).json.jobs;
    let begun: Answer | undefined;
    await whileNothingIsWritten(server.database.settings, async () => {
      begun = await send('POST', 'one', '/packages', { package: 'held.example@1.0.0' });
      const muster = { resourceType: 'Patient', name: [{ family: 'Muster' }] };
      const entry = [{ resource: muster, request: { method: 'POST', url: 'Patient' } }];
      const bundle = { resourceType: 'Bundle', type: 'batch', entry };
      const asked = await server.request('POST', server.path('two', 'r4'), bundle, { prefer: 'respond-async' });
      expect(asked.status).toBe(202);
      await eventually(async () => (await listed()).filter(({ state }) => state === 'running').length === 2, WITHIN_MS);
      const { text } = await server.request('GET', all);
      expect(text).not.toMatch(/Muster|Patient/);
      const jobs = await listed();
      expect(jobs.map(({ tenant, kind }) => [tenant, kind])).toEqual([['one', 'import-package'], ['two', 'request']]);
      for (const { id } of jobs) expect((await server.request('DELETE', `${all}/${id}`)).status).toBe(202);
      const status = new URL(String(asked.headers['content-location'])).pathname;
      expect((await server.request('GET', status)).status).toBe(404);
    });
    if (begun === undefined) throw new Error('no job was begun');
    expect(await ended('one', begun)).toMatchObject({ state: 'cancelled' });
    await eventually(async () => (await listed()).length === 0);
    for (const id of [begun.json.id, 'x', "x'--"])
      expect((await server.request('DELETE', `${all}/${encodeURIComponent(id)}`)).status).toBe(404);
  }); // prettier-ignore

  it('that have ended are listed, the newest first, and can be forgotten', async () => {
    await server.createTenant('past');
    const ids: string[] = [];
    for (let time = 0; time < 2; time++) {
      const begun = await send('POST', 'past', '/reindex', {});
      await ended('past', begun);
      ids.unshift(begun.json.id);
    }
    const listed = async (): Promise<string[]> =>
      (await send('GET', 'past', '/jobs')).json.jobs.map(({ id }: { id: string }) => id);
    expect(await listed()).toEqual(ids);
    const [newest = '', oldest] = ids;
    const forgotten = await send('DELETE', 'past', `/jobs/${newest}`);
    expect([forgotten.status, forgotten.json]).toEqual([200, { removed: newest }]);
    expect(await listed()).toEqual([oldest]);
    for (const method of ['GET', 'DELETE'])
      for (const id of [newest, 'nothing', oldest])
        expect((await send(method, id === oldest ? 'system' : 'past', `/jobs/${id}`)).status).toBe(404);
  });

  it('are kept for seven days, and 100 of a tenant', async () => {
    await server.createTenant('long');
    await owner.query(
      `with job as (
         insert into andiron.job (space, id, tenant, kind, state, created, ended, expires)
         select s.space, md5(n::text), s.tenant, 'reindex', 'done', now() - n * interval '1 minute', now(),
                now() + case when n = 200 then interval '-1 second' else interval '6 days' end
         from generate_series(1, 200) as n,
              (select min(s.number) as space, t.number as tenant
               from andiron.tenant t join andiron.space s on s.tenant = t.number and s.kind = 'data'
               where t.name = 'long' group by t.number) s
         returning space, id
       )
       insert into andiron.job_content (space, id, request) select space, id, '{}' from job`,
    );
    await ended('long', await send('POST', 'long', '/reindex'));
    expect((await send('GET', 'long', '/jobs')).json.jobs).toHaveLength(100);
    await owner.query(
      `update andiron.job set expires = expires - interval '7 days'
       where tenant = (select number from andiron.tenant where name = 'long')`,
    );
    expect((await send('GET', 'long', '/jobs')).json.jobs).toEqual([]);
  });

  it('are visible to connections of their own tenant alone, and cannot be changed there', async () => {
    await server.createTenant('seen');
    await ended('seen', await send('POST', 'seen', '/reindex'));
    const asApplication = async (tenant: string, statement: string): Promise<unknown[]> => {
      const space = await server.app.core.access.findSpace(tenant, 'r4');
      await owner.query('begin');
      try {
        await owner.query('set local role andiron_application');
        await owner.query(`select set_config('andiron.space', $1, true)`, [String(space?.number)]);
        return (await owner.query(statement)).rows;
      } finally {
        await owner.query('rollback');
      }
    };
    const all = 'select distinct t.name from andiron.job j join andiron.tenant t on t.number = j.tenant';
    expect(await asApplication('seen', all)).toEqual([{ name: 'seen' }]);
    expect(await asApplication('system', `${all} where t.name = 'seen'`)).toEqual([]);
    for (const change of ['delete from', 'update'])
      await expect(
        asApplication('seen', `${change} andiron.job ${change === 'update' ? 'set runs = 0' : ''}`),
      ).rejects.toMatchObject({ code: '42501' });
  }); // prettier-ignore

  it('are removed with their tenant, and where an erasure finds the erased resource in them', async () => {
    await server.createTenant('leaving');
    await ended('leaving', await send('POST', 'leaving', '/reindex'));
    const place = `${server.path('leaving', 'r4')}/Patient/ana`;
    expect((await server.request('PUT', place, patient)).status).toBe(201);
    const [job] = (await send('GET', 'leaving', '/jobs')).json.jobs;
    await owner.query('update andiron.job_content set result = $1 where id = $2', [
      { packages: [{ renamed: [{ file: 'x.json', reason: 'as Patient/ana' }] }] },
      job.id,
    ]);
    expect((await server.request('POST', `${place}/$purge`)).status).toBe(200);
    expect((await send('GET', 'leaving', '/jobs')).json.jobs).toEqual([]);
    const removal = await send('DELETE', 'leaving', '?confirm=leaving');
    expect(removal.json.tables).toContainEqual(expect.objectContaining({ table: 'job', left: 0 }));
  });
});

describe('a reindex', () => {
  it('is a job that repairs a row that was removed by hand, and its result is that of the command', async () => {
    await server.createTenant('indexed');
    const root = server.path('indexed', 'r4');
    const ana = { ...patient, name: [{ family: 'Lund' }] };
    expect((await server.request('PUT', `${root}/Patient/ana`, ana)).status).toBe(201);
    const found = async (): Promise<number> =>
      (await server.request('GET', `${root}/Patient?family=lund&_total=accurate`)).json.total;
    expect(await found()).toBe(1);
    await owner.query(
      `delete from andiron.string_index i using andiron.space s, andiron.tenant t
       where i.space = s.number and s.tenant = t.number and t.name = 'indexed'`,
    );
    const begun = await send('POST', 'indexed', '/reindex', { release: 'r4' });
    expect([begun.status, begun.json]).toMatchObject([202, { kind: 'reindex', request: { release: 'r4' } }]);
    const job = await ended('indexed', begun);
    expect(job).toMatchObject({
      state: 'done',
      progress: { release: 'r4', repaired: 1 },
      result: { repaired: 1, removed: 0, count: 0, losses: [] },
    });
    expect(Object.keys(job.result).sort()).toEqual(
      ['added', 'compared', 'count', 'losses', 'removed', 'repaired'].sort(),
    );
    expect(job.result.added).toBeGreaterThan(0);
    expect(job.progress.compared).toBe(job.progress.resources);
    expect(await found()).toBe(1);
  });

  it('is possible in a disabled tenant, and refused for an unknown release', async () => {
    await server.createTenant('asleep');
    await send('PATCH', 'asleep', '', { status: 'disabled' });
    expect(await ended('asleep', await send('POST', 'asleep', '/reindex'))).toMatchObject({ state: 'done' });
    expect((await send('POST', 'asleep', '/reindex', { release: 'r5' })).status).toBe(400);
  });
});

it('the state of the server names the parts that PostgreSQL did not answer in time, and shows the others', async () => {
  const state = async (): Promise<Answer['json']> => (await server.request('GET', '/w/system/api/v1/server')).json;
  await owner.query('begin');
  try {
    await owner.query('lock table andiron.subscription in access exclusive mode');
    await eventually(async () => (await state()).late.includes('queues'), WITHIN_MS);
    const { processes, queues } = await state();
    expect([processes.length, queues]).toEqual([1, undefined]);
  } finally {
    await owner.query('rollback');
  }
  await eventually(async () => (await state()).late.length === 0, WITHIN_MS);
  expect((await state()).queues.deliveries).toBeDefined();
}); // prettier-ignore
