/** Large content belongs to its version: it comes and goes with it, wherever it is stored, and never to another tenant. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { sweep } from '../../../src/core/content/content-sweep';
import type { OpenedBinary, RequestContext, WriteResult } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';
import { openFakeBucket, type FakeBucket } from '../../support/fake-bucket';
import { silentLog } from '../../support/log';
import { patientDeadline } from '../../support/patience';

const MB = 1024 * 1024;
const NO_SIGNAL = new AbortController().signal;

const folder = mkdtempSync(path.join(tmpdir(), 'andiron-content-'));
let bucket: FakeBucket;
beforeAll(async () => {
  bucket = await openFakeBucket();
});
afterAll(async () => {
  await bucket.close();
  rmSync(folder, { recursive: true });
});

const STORES = {
  database: { environment: () => ({}), objects: () => undefined },
  folder: {
    environment: () => ({ CONTENT_STORE: 'folder', CONTENT_FOLDER: folder }),
    objects: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length,
  },
  bucket: { environment: () => bucket.environment, objects: () => bucket.objects.size },
} as const;

describe.each(['database', 'folder', 'bucket'] as const)('content in the %s', (store) => {
  let opened: OpenedCore;
  let owner: Client;
  let context: RequestContext;
  beforeAll(async () => {
    opened = await openCore({ environment: { PURGE_OPEN: 'on', ...STORES[store].environment() } });
    owner = new Client(opened.database.settings);
    await owner.connect();
    await opened.core.tenants.create('ward', {});
    context = await opened.context('ward', 'r4');
  });
  afterAll(async () => {
    await owner.end();
    await opened.close();
  });

  async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
    for (let start = 0; start < bytes.length; start += 99_991) {
      await Promise.resolve();
      yield bytes.subarray(start, start + 99_991);
    }
  }

  const upload = (bytes: Buffer, of = context) =>
    opened.core.interactions.storeContent(of, {
      ...{ type: 'Binary', source: pieces(bytes), limit: 10 * MB, least: bytes.length },
      signal: NO_SIGNAL,
    });

  async function put(id: string, bytes: Buffer, of = context): Promise<WriteResult> {
    const content = await upload(bytes, of);
    const text = JSON.stringify({ resourceType: 'Binary', id, contentType: 'image/tiff' });
    const result = await opened.core.interactions.update(of, {
      type: 'Binary',
      id,
      input: { text, content },
    });
    await content.drop();
    return result;
  }

  async function load(id: string, versionId: string, of = context): Promise<Buffer> {
    const version = await opened.core.interactions.vread(of, 'Binary', id, versionId);
    const binary: OpenedBinary = await opened.core.interactions.openBinary(of, version);
    if (binary.bytes !== undefined) throw new Error('it is part of the text');
    const read: Buffer[] = [];
    for await (const piece of binary.read({ start: 0, end: binary.size })) read.push(piece);
    return Buffer.concat(read);
  }

  const sum = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  const sweepNow = () =>
    sweep({
      contents: {
        storeNamed: () => {
          throw new Error('nothing is stored elsewhere');
        },
      },
      owner: opened.database.settings,
      log: silentLog,
    });

  async function count(table: string): Promise<number> {
    const { rows } = await owner.query<{ count: number }>(`select count(*)::int from andiron.${table}`);
    return rows[0]?.count ?? 0;
  }

  const first = randomBytes(2 * MB + 17);
  const second = randomBytes(6 * MB);

  it('is that of its version', async () => {
    await put('scan', first);
    await put('scan', second);
    expect(sum(await load('scan', '1'))).toBe(sum(first));
    expect(sum(await load('scan', '2'))).toBe(sum(second));
    expect(await opened.differences('ward')).toEqual([]);
  });

  it('stays when a patch changes the resource alone, and is stored once', async () => {
    const before = [await count('content'), STORES[store].objects()];
    for (const code of ['lung', 'heart'])
      await opened.core.interactions.patch(context, {
        ...{ type: 'Binary', id: 'scan' },
        patch: { text: JSON.stringify([{ op: 'add', path: '/meta/tag/-', value: { code } }]) },
      });
    expect([await count('content'), STORES[store].objects()]).toEqual(before);
    for (const version of ['2', '3', '4']) expect(sum(await load('scan', version))).toBe(sum(second));
    expect(await opened.differences('ward')).toEqual([]);
  });

  it('counts for the quota of its tenant', async () => {
    const { usage } = (await opened.core.tenants.describe('ward')) ?? {};
    expect(usage?.bytes).toBeGreaterThan(first.length + second.length);
    await opened.core.tenants.create('small', { 'quota-bytes': String(3 * MB) });
    const small = await opened.context('small', 'r4');
    await put('one', first, small);
    await expect(upload(first, small)).rejects.toMatchObject({ key: 'quotaExceeded' });
    // A source that is longer than it says is refused when a version claims it.
    const content = await opened.core.interactions.storeContent(small, {
      ...{ type: 'Binary', source: pieces(first), limit: 10 * MB, least: 0 },
      signal: NO_SIGNAL,
    });
    const input = { text: '{"resourceType":"Binary","id":"two","contentType":"image/tiff"}', content };
    await expect(
      opened.core.interactions.update(small, { type: 'Binary', id: 'two', input }),
    ).rejects.toMatchObject({ key: 'quotaExceeded' });
    await content.drop();
    await opened.core.tenants.remove('small', patientDeadline());
  });

  it('moves with its tenant, byte for byte', async () => {
    const lines: string[] = [];
    for await (const { text } of (await opened.core.tenants.export('ward')) ?? []) lines.push(text);
    const given = async function* (some: readonly string[]): AsyncGenerator<string> {
      await Promise.resolve();
      yield* some;
    };
    await opened.core.tenants.import('moved', given(lines));
    const moved = await opened.context('moved', 'r4');
    expect(sum(await load('scan', '1', moved))).toBe(sum(first));
    for (const version of ['2', '3', '4']) expect(sum(await load('scan', version, moved))).toBe(sum(second));
    const kept = '"valuePositiveInt":2';
    const other = lines.map((line) => line.replace(kept, '"valuePositiveInt":3'));
    await expect(opened.core.tenants.import('other', given(other))).rejects.toThrow('its content is missing');
    await opened.core.tenants.remove('other', patientDeadline());
    const chunk = lines.findIndex((line) => line.includes('"chunk":1'));
    for (const [name, damaged] of [
      ['less', lines.filter((_line, index) => index !== chunk)],
      ['twice', [...lines.slice(0, chunk + 1), ...lines.slice(chunk)]],
      ['bare', lines.filter((line) => !line.includes('"chunk":'))],
    ] as const)
      await expect(opened.core.tenants.import(name, given(damaged))).rejects.toMatchObject({
        key: 'invalidValue',
      });
    const versions = await owner.query(
      `select 1 from andiron.content c join andiron.space s on s.number = c.space join andiron.tenant t on t.number = s.tenant
       where c.version is not null and t.name in ('less', 'twice', 'bare')`,
    );
    expect(versions.rowCount).toBe(0);
    for (const name of ['less', 'twice', 'bare']) await opened.core.tenants.remove(name, patientDeadline());
  });

  it('is not found by another tenant under the same name', async () => {
    const { core } = opened;
    const other = await opened.context('system', 'r4');
    const version = await core.interactions.vread(context, 'Binary', 'scan', '1');
    await expect(core.interactions.openBinary(other, version)).rejects.toMatchObject({
      key: 'contentUnavailable',
    });
    const content = await upload(first);
    const input = { text: '{"resourceType":"Binary","id":"stolen","contentType":"image/tiff"}', content };
    await expect(
      core.interactions.update(other, { type: 'Binary', id: 'stolen', input }),
    ).rejects.toMatchObject({ key: 'contentUnavailable' });
    await content.drop();
  });

  it('cannot be claimed twice, or after it was given up', async () => {
    const write = (id: string, content: { id: string; size: number }) =>
      opened.core.interactions.update(context, {
        ...{ type: 'Binary', id },
        input: { text: `{"resourceType":"Binary","id":"${id}","contentType":"image/tiff"}`, content },
      });
    const content = await upload(first);
    await write('claims', content);
    await expect(write('claims-again', content)).rejects.toMatchObject({ key: 'contentUnavailable' });
    await content.drop();
    expect(sum(await load('claims', '1'))).toBe(sum(first));
    const dropped = await upload(first);
    await dropped.drop();
    await expect(write('claims-late', dropped)).rejects.toMatchObject({ key: 'contentUnavailable' });
  });

  it('is purged with its resource', async () => {
    const before = STORES[store].objects();
    const result = await opened.core.interactions.invoke(context, {
      ...{ level: 'instance', type: 'Binary', id: 'scan', code: 'purge', safe: false },
    });
    if (!('text' in result)) throw new Error('no text');
    expect(JSON.parse(result.text).parameter).toContainEqual({ name: 'complete', valueBoolean: true });
    const { rows } = await owner.query(
      'select 1 from andiron.content where space = $1 and version is not null',
      [context.space.number],
    );
    // That of another resource is left.
    expect(rows).toHaveLength(1);
    expect(STORES[store].objects()).toBe(before === undefined ? undefined : before - 2);
    const moved = await opened.context('moved', 'r4');
    expect(sum(await load('scan', '1', moved))).toBe(sum(first));
  });

  it('leaves with its tenant', async () => {
    for (const name of ['ward', 'moved']) {
      const removal = await opened.core.tenants.remove(name, patientDeadline());
      expect(removal?.isComplete).toBe(true);
    }
    expect(await count('content')).toBe(0);
    expect(await count('content_chunk')).toBe(0);
    expect(STORES[store].objects() ?? 0).toBe(0);
    expect(await count('content_removal')).toBe(0);
  });

  if (store === 'database')
    it('of a process that died is swept, and no other', async () => {
      const system = await opened.context('system', 'r4');
      const left = await upload(first, system);
      const mine = await upload(first, system);
      await owner.query(`update andiron.content set beat = now() - interval '61 seconds' where id = $1`, [
        left.id,
      ]);
      await sweepNow();
      const { rows } = await owner.query<{ id: string }>('select id from andiron.content');
      expect(rows).toEqual([{ id: mine.id }]);
      const chunks = await owner.query<{ content: string }>(
        'select distinct content from andiron.content_chunk',
      );
      expect(chunks.rows).toEqual([{ content: mine.id }]);
      await mine.drop();
      await left.drop();
      await sweepNow();
      expect([await count('content'), await count('content_chunk')]).toEqual([0, 0]);
    });
});
