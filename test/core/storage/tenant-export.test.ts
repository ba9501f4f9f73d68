/** An export and import of a tenant is exact to the last byte; damaged input creates no tenant. */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { readFolder, writeFolder } from '../../../src/cli/tenant-files';
import { EXPORT_PARTS, RELEASE_NAMES, type ExportLine, type RequestContext } from '../../../src/core';
import { OwnerSession } from '../../../src/core/storage/connection/owner-session';
import { defineStatement, template } from '../../../src/core/storage/connection/statement';
import { readOwnedTables } from '../../../src/core/storage/schema/owned-tables';
import {
  beginRemoval,
  endRemoval,
  findOwned,
  lockTenant,
} from '../../../src/core/storage/tenants/tenant-removal';
import { readRowTables, TENANT_TABLES } from '../../../src/core/storage/schema/tenant-tables';
import { openCore, type OpenedCore } from '../../support/core';
import { eventually } from '../../support/eventually';

/** The sessions that have just tried to lock a tenant. */
const TRIES_TO_LOCK = defineStatement(
  template(sql`
    select 1 from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and query like '%pg_try_advisory_lock%' limit 10`),
  { named: false },
);

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore({ environment: { PURGE_OPEN: 'on', AUDIT: 'on' } });
  await opened.core.tenants.create(
    'first',
    { 'time-zone': 'Europe/Copenhagen', validation: 'structure' },
    'The first',
  );
  for (const release of RELEASE_NAMES) await fill(await opened.context('first', release));
  await fillAccess();
});
afterAll(() => opened.close());

/** Versions, deletions, foreign and own ids, digits, extensions of meta, a search parameter, and a number that was purged. */
async function fill(context: RequestContext): Promise<void> {
  const { core } = opened;
  const put = (text: string) => {
    const { resourceType, id } = JSON.parse(text) as { resourceType: string; id: string };
    return core.interactions.update(
      { ...context, actor: 'clerk' },
      { type: resourceType, id, input: { text } },
    );
  };
  const weight = (value: string) =>
    `{ "resourceType":"Observation",\n "id":"w", "status":"final", "code":{"text":"Ünïcode \\u2028 \\"q\\""},
       "subject":{"reference":"Patient/ann"}, "effectiveDateTime":"2020-01-01", "valueQuantity":{"value":${value}}}`;
  for (const value of ['1.00', '1.000', '12345678901234567890.10']) await put(weight(value));
  const extension = [{ url: 'http://example.org/x', valueString: 'mine' }];
  const tag = [{ system: 'http://example.org', code: 't' }];
  await put(
    JSON.stringify({
      id: 'ann',
      meta: { tag, extension },
      resourceType: 'Patient',
      name: [{ given: ['Ann'] }],
    }),
  );
  const made = await core.interactions.create(context, 'Patient', {
    text: '{"resourceType":"Patient","name":[{"family":"Own"}]}',
  });
  await core.interactions.delete(context, 'Patient', made.version.id);
  await core.interactions.create(context, 'Patient', { text: '{"resourceType":"Patient","active":true}' });
  await put(JSON.stringify({ resourceType: 'Basic', id: 'gone', code: { text: 'x' } }));
  await core.interactions.invoke(context, {
    level: 'instance',
    type: 'Basic',
    id: 'gone',
    code: 'purge',
    safe: false,
  });
  await put(
    JSON.stringify({
      resourceType: 'SearchParameter',
      id: 'nick',
      url: 'http://example.org/nick',
      name: 'Nick',
      status: 'active',
      description: 'x',
      code: 'nick',
      base: ['Patient'],
      type: 'string',
      expression: 'Patient.name.given',
    }),
  );
}

let credentials = '';

/** A client with a secret, an issuer of tokens, and a policy. */
async function fillAccess(): Promise<void> {
  const { clients, issuers, policies } = opened.core.tenants;
  const { id } = await clients.create('first', {
    name: 'Ward "app"',
    scopes: ['system/*.rs'],
    policies: ['ward'],
    isAuditor: true,
  });
  const made = await clients.addSecret('first', id);
  credentials = Buffer.from(`${id}:${made?.secret ?? ''}`).toString('base64');
  await issuers.put('first', {
    ...{
      issuer: 'https://login.example',
      client: id,
      audience: 'andiron',
      jwksUrl: 'https://login.example/keys',
    },
    ...{
      scopeClaim: 'groups',
      scopeMap: { doctors: ['user/*.rs'] },
      userClaim: 'user',
      patientClaim: 'patient',
    },
  });
  await policies.put('first', 'ward', { rules: [{ types: ['Observation'], interactions: 'rs' }] });
}

async function linesOf(name: string, which: 'all' | 'current' = 'all'): Promise<ExportLine[]> {
  const lines: ExportLine[] = [];
  for await (const line of (await opened.core.tenants.export(name, which)) ?? []) lines.push(line);
  return lines;
}

async function exported(name: string): Promise<AsyncGenerator<ExportLine>> {
  return (await opened.core.tenants.export(name)) ?? Promise.reject(new Error(`there is no ${name}`));
}

async function* texts(lines: readonly { readonly text: string }[]): AsyncGenerator<string> {
  for (const { text } of lines) yield await Promise.resolve(text);
}

it('A tenant is exported, imported under another name, and exported again: only the name differs', async () => {
  const { core } = opened;
  const lines = await linesOf('first');
  const { versions } = await core.tenants.import('second', texts(lines));
  expect(versions).toBe(lines.filter((line) => line.kind === 'line' && line.part !== 'tenant').length);
  // Nothing that can be there is missing.
  for (const part of EXPORT_PARTS)
    expect([part, lines.filter((line) => line.kind === 'line' && line.part === part).length]).not.toEqual([
      part,
      0,
    ]);
  const again = await linesOf('second');
  const [header = { text: '' }] = again;
  expect([
    { ...header, text: header.text.replace('"name":"second"', '"name":"first"') },
    ...again.slice(1),
  ]).toEqual(lines);
  expect(await opened.differences('second')).toEqual([]);
  for (const release of RELEASE_NAMES) {
    const [before, after] = await Promise.all(
      ['first', 'second'].map((name) => opened.context(name, release)),
    );
    if (before === undefined || after === undefined) throw new Error('no tenant');
    for (const type of ['Patient', 'Observation']) {
      const found = await core.interactions.search(before, { type, parameters: [['_sort', '_lastUpdated']] });
      const same = await core.interactions.search(after, { type, parameters: [['_sort', '_lastUpdated']] });
      expect(same.matches.map(({ text }) => text)).toEqual(found.matches.map(({ text }) => text));
      expect(same.matches.length).toBeGreaterThan(0);
    }
    const last = await core.streams.lastSequence(before);
    expect(await core.streams.lastSequence(after)).toBe(last);
    const history = (await core.interactions.history(after, {})).versions.map(({ text, sequence }) => [
      sequence,
      text,
    ]);
    expect(history).toEqual(
      (await core.interactions.history(before, {})).versions.map((one) => [one.sequence, one.text]),
    );
  }
  const [had, has] = await Promise.all(['first', 'second'].map((name) => core.tenants.describe(name)));
  expect(has?.usage).toEqual(had?.usage);
  // The next change has the next number of the tenant.
  const [r4, r4b] = await Promise.all(RELEASE_NAMES.map((release) => opened.context('second', release)));
  if (r4 === undefined || r4b === undefined) throw new Error('no tenant');
  const next = Math.max(await core.streams.lastSequence(r4), await core.streams.lastSequence(r4b)) + 1;
  const { version } = await core.interactions.create(r4, 'Patient', { text: '{"resourceType":"Patient"}' });
  expect(version.sequence).toBe(next);
  expect(await core.tenants.describe('second')).toMatchObject({
    display: 'The first',
    status: 'active',
    settings: { 'time-zone': 'Europe/Copenhagen', validation: 'structure' },
  });
});

it('Clients, issuers and policies are exported, signing keys are not; secrets stay valid, and are not in the export', async () => {
  const { core } = opened;
  const lines = await linesOf('first');
  const [, secret = ''] = Buffer.from(credentials, 'base64').toString().split(':');
  expect(lines.map(({ text }) => text).join()).not.toContain(secret);
  const space = await core.access.findSpace('second', 'r4');
  const authorization = `Basic ${credentials}`;
  const caller = await core.access.identify({ tenant: 'second', space, authorization, address: '127.0.0.1' });
  expect(caller.access).toMatchObject({ scopes: ['system/*.rs'], policies: ['ward'], isAuditor: true });
  expect(await core.tenants.policies.list('second')).toEqual(await core.tenants.policies.list('first'));
  const owner = await OwnerSession.open(opened.database.settings);
  const owned = (await readOwnedTables(owner)).map(({ name }) => name);
  const exported = await readRowTables(owner);
  await owner.close();
  // A new table needs an entry in TENANT_TABLES.
  expect(owned.filter((name) => TENANT_TABLES[name] === undefined)).toEqual([]);
  expect(exported).toEqual(expect.arrayContaining(['client_application', 'client_secret', 'token_issuer']));
});

it('An interrupted import can be continued, from a folder too; meanwhile the tenant does not exist', async () => {
  const { core } = opened;
  const folder = path.join(await mkdtemp(path.join(tmpdir(), 'andiron-export-')), 'first');
  try {
    await writeFolder(folder, await exported('first'));
    async function* half(): AsyncGenerator<string> {
      let count = 0;
      for await (const line of readFolder(folder)) {
        if (++count > 20) throw new Error('killed');
        yield line;
      }
    }
    await expect(core.tenants.import('third', half())).rejects.toThrow('killed');
    expect(await core.access.findSpace('third', 'r4')).toBeUndefined();
    expect(await core.tenants.export('third')).toBeUndefined();
    await expect(core.tenants.enable('third')).rejects.toMatchObject({ key: 'tenantBusy' });
    await core.tenants.import('third', readFolder(folder));
    expect((await linesOf('third')).slice(1)).toEqual((await linesOf('first')).slice(1));
    expect(await opened.differences('third')).toEqual([]);
    const manifest = JSON.parse(await readFile(path.join(folder, 'manifest.json'), 'utf8')) as {
      end: { r4: { lines: number } };
    };
    expect(manifest.end.r4.lines).toBe(
      (await readFile(path.join(folder, 'r4.ndjson'), 'utf8')).split('\n').length - 1,
    );
    await expect(writeFolder(folder, await exported('first'))).rejects.toThrow('not empty');
  } finally {
    await rm(path.dirname(folder), { recursive: true });
  }
});

it('Two concurrent imports of a tenant create it once', async () => {
  const { core } = opened;
  const lines = await linesOf('first');
  const results = await Promise.allSettled([1, 2].map(() => core.tenants.import('both', texts(lines))));
  const failures = results.filter((result) => result.status === 'rejected');
  expect(failures).toHaveLength(1);
  expect(['tenantBusy', 'tenantExists']).toContain((failures[0]?.reason as { key: string }).key);
  expect((await linesOf('both')).slice(1)).toEqual(lines.slice(1));
  expect(await opened.differences('both')).toEqual([]);
});

it('An import that waits for another process does not create a tenant that this one removes', async () => {
  const { core, database } = opened;
  const lines = await linesOf('first');
  await expect(core.tenants.import('given-up', texts(lines.slice(0, 20)))).rejects.toThrow();
  const session = await OwnerSession.open(database.settings);
  try {
    const tenant = (await findOwned(session, 'given-up'))?.tenant ?? NaN;
    expect(await lockTenant(session, tenant)).toBe(true);
    const waiting = core.tenants.import('given-up', texts(lines)).catch((error: unknown) => error);
    await eventually(async () => (await session.run(TRIES_TO_LOCK)).length > 0);
    await beginRemoval(session, tenant);
    await endRemoval(session, tenant);
    expect(await findOwned(session, 'given-up')).toBeUndefined();
    await session.close();
    expect(await waiting).toMatchObject({ key: 'tenantBusy' });
    const look = await OwnerSession.open(database.settings);
    expect(await findOwned(look, 'given-up')).toBeUndefined();
    await look.close();
  } finally {
    await session.close();
  }
});

it('A Subscription that requests notifications is turned off, and a code of two search parameters stays that of the first', async () => {
  const { core } = opened;
  await core.tenants.create('calling');
  const context = await opened.context('calling', 'r4');
  const put = (resource: {
    readonly resourceType: string;
    readonly id: string;
    readonly [member: string]: unknown;
  }) =>
    core.interactions.update(context, {
      type: resource.resourceType,
      id: resource.id,
      input: { text: JSON.stringify(resource) },
    });
  const subscription = {
    ...{
      resourceType: 'Subscription',
      id: 'calls',
      status: 'off',
      reason: 'x',
      criteria: 'Patient?active=true',
    },
    channel: { type: 'rest-hook', endpoint: 'https://stranger.example' },
  };
  for (const status of ['off', 'error']) await put({ ...subscription, status });
  const parameter = (id: string) => ({
    ...{ resourceType: 'SearchParameter', id, url: `http://example.org/${id}`, name: 'N', status: 'active' },
    ...{
      description: 'x',
      code: 'shared',
      base: ['Patient'],
      type: 'string',
      expression: 'Patient.name.given',
    },
  });
  const owners = ['m', 'a', 'z'];
  for (const id of owners) await put(parameter(id));
  await put({ ...parameter('m'), description: 'y' });
  const given = await linesOf('calling');
  // As a tenant of a server that let them be active would have been exported.
  const lines = given.map((line) =>
    line.kind === 'line' ? { ...line, text: line.text.replace('"status":"off"', '"status":"active"') } : line,
  );
  const hash = createHash('sha256');
  for (const line of lines)
    if (line.kind === 'line' && line.part === 'r4') hash.update(line.text).update('\n');
  const sha256 = hash.digest('hex');
  const all = lines.map(({ kind, text }) => {
    if (!text.startsWith('{"end"')) return { kind, text };
    const { end } = JSON.parse(text) as { end: { r4: object } };
    return { kind, text: JSON.stringify({ end: { ...end, r4: { ...end.r4, sha256 } } }) };
  });
  expect(await core.tenants.import('called', texts(all))).toMatchObject({ subscriptionsOff: 1 });
  expect((await linesOf('called')).slice(1)).toEqual(given.slice(1));
  const progress = async (tenant: string) => {
    const result = await core.interactions.invoke(await opened.context(tenant, 'r4'), {
      ...{ level: 'system', code: 'reindex-status', safe: true },
    });
    const text = 'text' in result ? result.text : '';
    return owners.filter(
      (owner) => text.includes(`SearchParameter/${owner}"`) || text.includes(`/${owner}"`),
    );
  };
  expect([await progress('calling'), await progress('called')]).toEqual([['m'], ['m']]);
  expect(await opened.differences('called')).toEqual([]);
});

it('Damaged input creates no tenant, and the error names the line', async () => {
  const { core } = opened;
  const all = await linesOf('first');
  const lines = all.map(({ text }) => ({ text }));
  const first = all.findIndex((line) => line.kind === 'line' && line.part === 'r4');
  const changed = (index: number, change: (text: string) => string) =>
    lines.map(({ text }, at) => ({ text: at === index ? change(text) : text }));
  const end = lines.length - 1;
  const damaged: [string, { text: string }[]][] = [
    ['early', lines.slice(0, -1)],
    ['resource', changed(first + 1, (text) => text.replace('1.000', '1.001'))],
    ['missing', lines.filter((_line, at) => at !== first + 2)],
    ['order', changed(first + 1, (text) => text.replace(/"sequence":\d+/, '"sequence":1'))],
    ['type', changed(first + 1, (text) => text.replace('"type":"Observation"', '"type":"Patient"'))],
    ['json', changed(first + 3, (text) => text.slice(1))],
    ['header', changed(0, () => '{}')],
    ['policies', changed(0, (text) => text.replace('"policies":{', '"policies":{"x":7,'))],
    ['table', changed(1, (text) => text.replace('"table":"', '"table":"signing_key'))],
    ['column', changed(1, (text) => text.replace('"row":{', '"row":{"tenant":1,'))],
    ['row', changed(1, (text) => text.replace('"row":{', '"row":{"created":"never",'))],
    ['end', changed(end, (text) => text.replace('"lines":', '"lines":1'))],
  ];
  for (const [name, given] of damaged) {
    await expect(core.tenants.import(`damaged-${name}`, texts(given))).rejects.toMatchObject({
      key: 'invalidValue',
    });
    expect(await core.access.findSpace(`damaged-${name}`, 'r4')).toBeUndefined();
    await core.tenants.remove(`damaged-${name}`);
  }
  await expect(core.tenants.import('first', texts(lines))).rejects.toMatchObject({ key: 'tenantExists' });
});

it('Current resources are exported as they are answered', async () => {
  const context = await opened.context('first', 'r4');
  const lines = await linesOf('first', 'current');
  const { matches } = await opened.core.interactions.search(context, {
    parameters: [['_sort', '_lastUpdated']],
  });
  const ofR4 = lines.filter((line) => line.kind === 'line' && line.part === 'r4');
  expect(ofR4.map(({ text }) => text).sort()).toEqual(matches.map(({ text }) => text).sort());
});
