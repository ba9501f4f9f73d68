/** Files of exports in a folder or a bucket: complete, for their client only, and gone when they must be. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { makeClient, type MadeClient } from '../support/access';
import { ASYNC, pathOf, readFiles, waitForExport } from '../support/bulk';
import { eventually } from '../support/eventually';
import { openFakeBucket, type FakeBucket } from '../support/fake-bucket';
import { patientDeadline } from '../support/patience';
import { startServer, type Answer, type TestServer } from '../support/server';

const ENFORCED = { AUTH_MODE: 'enforced', AUDIT: 'on' };
const IDS = Array.from({ length: 7 }, (_none, number) => `p${number}`);

interface FileEntry {
  readonly type: string;
  readonly url: string;
  readonly count: number;
  readonly fileSize?: number;
}

const folder = mkdtempSync(path.join(tmpdir(), 'andiron-exports-'));
let bucket: FakeBucket;
beforeAll(async () => {
  bucket = await openFakeBucket();
});
afterAll(async () => {
  await bucket.close();
  rmSync(folder, { recursive: true });
});

const STORES = {
  folder: {
    environment: () => ({ EXPORT_STORE: 'folder', CONTENT_FOLDER: folder }),
    names: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile())
        .map(({ name }) => name)
        .sort(),
  },
  bucket: {
    environment: () => ({ ...bucket.environment, CONTENT_STORE: 'database', EXPORT_STORE: 'bucket' }),
    names: () => [...bucket.objects.keys()].sort(),
  },
} as const;

describe.each(['folder', 'bucket'] as const)('files of exports in the %s', (store) => {
  const { names } = STORES[store];
  let server: TestServer;
  let owner: Client;
  let client: MadeClient;
  let root: string;

  const send = (method: string, address: string, body?: object, as = client, headers = {}): Promise<Answer> =>
    server.request(method, address, body, { authorization: as.basic, ...headers });
  const put = async (
    resource: { readonly resourceType: string; readonly id: string },
    below = root,
    as = client,
  ) => {
    const { status, text } = await send(
      'PUT',
      `${below}/${resource.resourceType}/${resource.id}`,
      resource,
      as,
    );
    if (status > 201) throw new Error(text);
  };
  const patient = (id: string) => ({ resourceType: 'Patient', id, name: [{ family: id }] });
  const begin = async (address: string, as = client, headers: object = ASYNC): Promise<string> => {
    const accepted = await send('GET', address, undefined, as, headers);
    if (accepted.status !== 202) throw new Error(accepted.text);
    return pathOf(accepted);
  };
  const make = async (
    address = `${root}/$export`,
    as = client,
    headers: object = ASYNC,
  ): Promise<{ readonly job: string; readonly manifest: Answer }> => {
    const job = await begin(address, as, headers);
    const manifest = await waitForExport(server, job, { authorization: as.basic });
    if (manifest.status !== 200) throw new Error(manifest.text);
    return { job, manifest };
  };
  /** Loads a file as a client does that has read the manifest. */
  const load = async ({ json }: Answer, { url }: FileEntry): Promise<string> => {
    const headers = json.requiresAccessToken ? { authorization: client.basic } : undefined;
    const answer = await fetch(url, headers === undefined ? {} : { headers });
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    expect(answer.headers.get('content-type')).toMatch(/^application\/fhir\+ndjson/);
    return answer.text();
  };
  const gone = (): Promise<void> => eventually(() => names().length === 0);

  beforeAll(async () => {
    const environment = { ...ENFORCED, EXPORT_FILE_LINES: '3', ...STORES[store].environment() };
    server = await startServer({ because: 'its settings say where files are stored', environment });
    owner = new Client(server.database.settings);
    await owner.connect();
    await server.app.core.tenants.create('ward', {});
    client = await makeClient(server.app.core, 'ward', { isAdministrator: true });
    root = server.path('ward', 'r4');
    for (const id of IDS) await put(patient(id));
    await put({
      ...{ resourceType: 'DocumentReference', id: 'd', status: 'current' },
      content: [{ attachment: { contentType: 'text/plain', url: 'Binary/letter' } }],
    } as never);
  });
  afterAll(async () => {
    await owner.end();
    await server.close();
  });

  it('have the lines of a download, and their sizes', async () => {
    const { job, manifest } = await make();
    const { json } = manifest;
    const output = json.output as readonly FileEntry[];
    expect(output.map(({ type, count }) => [type, count])).toEqual([
      ['DocumentReference', 1],
      ...[3, 3, 1].map((count) => ['Patient', count]),
    ]);
    expect(names()).toHaveLength(4);
    expect(json.requiresAccessToken).toBe(store === 'folder');
    const texts: string[] = [];
    for (const file of output) {
      const text = await load(manifest, file);
      expect(file.fileSize).toBe(Buffer.byteLength(text));
      texts.push(text);
    }
    const plain = await startServer({
      database: server.database,
      environment: { ...ENFORCED, EXPORT_FILE_LINES: '3' },
    });
    for (const [index, text] of texts.entries()) {
      const read = await plain.request('GET', `${job}/${index + 1}`, undefined, {
        authorization: client.basic,
      });
      expect(read.text.replaceAll(plain.base, server.base)).toBe(text);
    }
    await plain.close();
    expect(texts[0]).toContain(`"${server.base}${root}/Binary/letter"`);
    await send('DELETE', job);
    await gone();
  });

  it('are loaded by the client of the export alone', async () => {
    const { job, manifest } = await make(`${root}/Patient/$export`);
    const { url } = manifest.json.output[0] as FileEntry;
    const { pathname } = new URL(url);
    if (store === 'folder') {
      expect((await fetch(url)).status).toBe(401);
      const { headers } = await send('GET', pathname);
      expect(Number(headers['content-length'])).toBe(manifest.json.output[0].fileSize);
      expect(headers['etag']).toMatch(/^"[0-9a-f-]{36}"$/);
    } else {
      const unsigned = url.replace(/\?.*/, '');
      expect((await fetch(unsigned, { headers: { authorization: client.basic } })).status).toBe(403);
      expect((await fetch(url.replace(/[0-9a-f]{8}$/, '00000000'))).status).toBe(403);
      const seconds = Number(new URL(url).searchParams.get('X-Amz-Expires'));
      expect(seconds).toBeLessThanOrEqual(3600);
      expect(Date.parse(String(manifest.headers['expires']))).toBeLessThanOrEqual(Date.now() + 3_600_000);
      // The server sends it too, to its client.
      expect((await send('GET', `${job}/1`)).status).toBe(200);
    }
    const other = await makeClient(server.app.core, 'ward');
    expect((await send('GET', job, undefined, other)).status).toBe(404);
    expect((await send('GET', `${job}/1`, undefined, other)).status).toBe(404);
    expect((await server.request('GET', `${job}/1`)).status).toBe(401);
    await send('DELETE', job);
    await gone();
  });

  it('are those of one tenant', async () => {
    await server.app.core.tenants.create('other', {});
    const others = await makeClient(server.app.core, 'other', { isAdministrator: true });
    const below = server.path('other', 'r4');
    await put(patient('elsewhere'), below, others);
    const theirs = await make(`${below}/$export`, others);
    const ours = await make();
    const id = theirs.job.split('/').at(-1) ?? '';
    expect((await send('GET', `${root}/_bulk/${id}`)).status).toBe(404);
    expect((await send('GET', `${root}/_bulk/${id}/1`)).status).toBe(404);
    const [theirFile] = theirs.manifest.json.output as readonly [FileEntry];
    const text =
      store === 'bucket'
        ? await (await fetch(theirFile.url)).text()
        : (await send('GET', new URL(theirFile.url).pathname, undefined, others)).text;
    expect(text).toContain('"elsewhere"');
    for (const file of ours.manifest.json.output)
      expect(await load(ours.manifest, file)).not.toContain('elsewhere');
    const before = names().length;
    const removal = await server.app.core.tenants.remove('other', patientDeadline());
    expect(removal?.isComplete).toBe(true);
    expect(names()).toHaveLength(before - 1);
    await send('DELETE', ours.job);
    await gone();
  });

  it('are given up when a resource is erased, and the rest is answered', async () => {
    const { job, manifest } = await make();
    await put(patient('erased'));
    const second = await make();
    expect(names()).toHaveLength(8);
    const purged = await send('POST', `${root}/Patient/erased/$purge`);
    expect(purged.json.parameter).toContainEqual({ name: 'complete', valueBoolean: true });
    expect(names()).toEqual([]);
    const after = await send('GET', second.job);
    expect(after.json).toMatchObject({ requiresAccessToken: true });
    expect(JSON.stringify(after.json)).not.toContain('fileSize');
    const found = await readFiles(server, after.json.output, { authorization: client.basic });
    expect(found.get('Patient')?.map(({ id }) => id)).toEqual(IDS);
    if (store === 'bucket') expect((await fetch(manifest.json.output[0].url)).status).toBe(404);
    for (const one of [job, second.job]) await send('DELETE', one);
  });

  it('have nothing of what is erased when the erasure is interrupted', async () => {
    await put(patient('half'));
    const of = { status: 'final', code: { text: 'pulse' }, subject: { reference: 'Patient/half' } };
    await put({ resourceType: 'Observation', id: 'half', ...of });
    const first = await make(`${root}/$export?_type=Patient`);
    const holder = new Client(server.database.settings);
    await holder.connect();
    const waiting = async (text: string): Promise<readonly { readonly pid: number }[]> => {
      const { rows } = await owner.query<{ pid: number }>(
        `select pid from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0`,
        [text],
      );
      return rows;
    };
    const isWaiting = (text: string): Promise<void> =>
      eventually(async () => (await waiting(text)).length === 1);
    // The erasure of the Patient stops before its commit, and then that of the Observation before it begins.
    await holder.query('begin');
    await holder.query(
      `select 1 from andiron.resource r join andiron.resource_version v using (space, resource_type, resource_key)
       where v.body like '{"resourceType":"Observation"%' and v.body like '%Patient/half%' for update of r`,
    );
    await holder.query('savepoint files');
    await holder.query('select 1 from andiron.content for update');
    const purged = send('POST', `${root}/Patient/half/$purge`);
    await isWaiting('update andiron.content c set dead');
    const second = await begin(`${root}/$export?_type=Patient`);
    await isWaiting('begin_job_content');
    await holder.query('rollback to files');
    await isWaiting('for update of h');
    await owner.query('select pg_terminate_backend($1)', [(await waiting('for update of h'))[0]?.pid]);
    expect((await purged).status).toBe(503);
    await holder.query('rollback');
    await holder.end();
    await waitForExport(server, second, { authorization: client.basic });
    await gone();
    if (store === 'bucket') expect((await fetch(first.manifest.json.output[0].url)).status).toBe(404);
    for (const job of [first.job, second]) {
      const { json } = await send('GET', job);
      expect(JSON.stringify(json)).not.toContain('fileSize');
      const found = await readFiles(server, json.output, { authorization: client.basic });
      expect(found.get('Patient')?.map(({ id }) => id)).toEqual(IDS);
    }
    const report = await send('POST', `${root}/Patient/half/$purge`);
    expect(report.json.parameter).toContainEqual({ name: 'complete', valueBoolean: true });
    for (const job of [first.job, second]) await send('DELETE', job);
  });

  it('are not handed out when the client may not read all of them any more', async () => {
    const reader = await makeClient(server.app.core, 'ward', { scopes: ['system/*.rs'] });
    const { job, manifest } = await make(`${root}/$export`, reader);
    expect(manifest.json.output[0].fileSize).toBeGreaterThan(0);
    await server.app.core.tenants.clients.change('ward', reader.id, {
      scopes: ['system/Patient.rs?family=p1', 'system/DocumentReference.rs'],
    });
    await eventually(
      async () => (await send('GET', job, undefined, reader)).json.requiresAccessToken === true,
    );
    const { json } = await send('GET', job, undefined, reader);
    expect(JSON.stringify(json)).not.toContain('fileSize');
    const found = await readFiles(server, json.output, { authorization: reader.basic });
    expect(found.get('Patient')?.map(({ id }) => id)).toEqual(['p1']);
    await send('DELETE', job, undefined, reader);
    await gone();
  });

  it('are not stored for a client that reads only some resources of a type', async () => {
    const reader = await makeClient(server.app.core, 'ward', { scopes: ['system/Patient.rs?family=p2'] });
    const { job, manifest } = await make(`${root}/$export?_type=Patient`, reader);
    expect(manifest.json).toMatchObject({ requiresAccessToken: true });
    expect(names()).toEqual([]);
    const found = await readFiles(server, manifest.json.output, { authorization: reader.basic });
    expect(found.get('Patient')?.map(({ id }) => id)).toEqual(['p2']);
    await send('DELETE', job, undefined, reader);
  });

  it('are with the file of what was ignored', async () => {
    const lenient = { prefer: 'respond-async, handling=lenient' };
    const { job, manifest } = await make(
      `${root}/$export?organizeOutputBy=Patient&_type=Patient`,
      client,
      lenient,
    );
    const [error] = manifest.json.error as readonly [FileEntry];
    const text = await load(manifest, error);
    expect(text).toContain('organizeOutputBy');
    expect(error.fileSize).toBe(Buffer.byteLength(text));
    await send('DELETE', job);
    await gone();
  });

  it('go when the export expires', async () => {
    const { job } = await make(`${root}/$export?_type=Patient`);
    expect(names()).toHaveLength(3);
    await owner.query(`update andiron.job set expires = now() - interval '1 second' where id = $1`, [
      job.split('/').at(-1),
    ]);
    expect((await send('GET', job)).status).toBe(404);
    await gone();
    const { rows } = await owner.query('select 1 from andiron.content');
    expect(rows).toEqual([]);
  });

  it('are recorded when they are handed out', async () => {
    const reader = await makeClient(server.app.core, 'ward', { scopes: ['system/*.rs'] });
    const { job } = await make(`${root}/$export?_type=Patient`, reader);
    await send('GET', `${job}/1`, undefined, reader);
    await send('DELETE', job, undefined, reader);
    const { json } = await send('GET', `${root}/AuditEvent?altid=${reader.id}&_count=50`);
    const events = (json.entry ?? []) as readonly {
      readonly resource: { readonly entity?: readonly { readonly query?: string }[] };
    }[];
    const queries = events.flatMap(({ resource: { entity = [] } }) =>
      entity.flatMap(({ query }) => (query === undefined ? [] : Buffer.from(query, 'base64').toString())),
    );
    const id = job.split('/').at(-1) ?? '';
    const handedOut = store === 'bucket' ? [`$export?_files=${id}`] : [];
    const expected = ['$export?_type=Patient', `$export?_file=${id}/1`, `$export?_cancel=${id}`];
    expect(queries.sort()).toEqual([...expected, ...handedOut].sort());
    await gone();
  });

  if (store === 'bucket') {
    it('have nothing of what is erased while they are written', async () => {
      await put(patient('late'));
      let written: () => void = () => undefined;
      const isWritten = new Promise<void>((resolve) => (written = resolve));
      let purged: () => void = () => undefined;
      const isPurged = new Promise<void>((resolve) => (purged = resolve));
      // The version of the erased Patient is on its way to the bucket.
      bucket.fault = async (method) => {
        if (method !== 'PUT') return undefined;
        written();
        await isPurged;
        return undefined;
      };
      const job = await begin(`${root}/$export?_type=Patient`);
      await isWritten;
      const report = await send('POST', `${root}/Patient/late/$purge`);
      bucket.fault = undefined;
      purged();
      expect(report.json.parameter).toContainEqual({ name: 'complete', valueBoolean: true });
      const manifest = await waitForExport(server, job, { authorization: client.basic });
      const lines = await Promise.all(manifest.json.output.map((file: FileEntry) => load(manifest, file)));
      expect([...lines.join('').matchAll(/"id":"(\w+)"/g)].map(([, id]) => id)).toEqual(IDS);
      await eventually(() => names().length === manifest.json.output.length);
      await send('DELETE', job);
      await gone();
    });

    it('are read from the database while the bucket is away', async () => {
      bucket.fault = (method) => (method === 'GET' ? undefined : 503);
      const { job, manifest } = await make(`${root}/$export?_type=Patient`);
      bucket.fault = undefined;
      expect(manifest.json.requiresAccessToken).toBe(true);
      const found = await readFiles(server, manifest.json.output, { authorization: client.basic });
      expect(found.get('Patient')).toHaveLength(IDS.length);
      expect(names()).toEqual([]);
      await send('DELETE', job);
    });
  }
});
