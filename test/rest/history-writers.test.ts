/** Histories that are long, or that others write while they are read: https://hl7.org/fhir/R4/http.html#history. */
import type { Release } from '../../src/core';
import { namesOf, nextOf, openHistory, readAll, type HistoryTenant } from '../support/histories';
import { connectTo } from '../support/shared-database';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { rounds } from '../support/rounds';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

/** That there are before others write. */
const VERSIONS = rounds(300, 1000);

const openTenant = (release: Release): Promise<HistoryTenant> => openHistory(server, release);

it.each(TESTED_RELEASES)(
  'pages through hundreds of versions of %s neither skip nor repeat one while four writers change them',
  async (release) => {
    const tenant = await openTenant(release);
    const { send, put } = tenant;
    const code = { text: 'x' };
    for (let start = 0; start < VERSIONS; start += 100)
      await Promise.all(Array.from({ length: 100 }, (_, at) => put('Basic', `b${start + at}`, { code })));
    const atStart = new Set(Array.from({ length: VERSIONS }, (_, at) => `Basic/b${at}/1`));
    const LONG = 60;
    for (let version = 0; version < LONG; version++) await put('Basic', 'long', { code });
    let isOver = false;
    let writes = 0;
    const write = async (change: (turn: number) => Promise<unknown>): Promise<void> => {
      for (let turn = 0; !isOver; turn++, writes++) await change(turn);
    };
    const writers = [
      write(() => send('POST', '/Basic', { resourceType: 'Basic', code })),
      write((turn) => put('Basic', `b${turn % VERSIONS}`, { code })),
      write((turn) => send('DELETE', `/Basic/b${VERSIONS - 1 - (turn % VERSIONS)}`)),
      write((turn) => (turn % 3 === 2 ? send('DELETE', '/Basic/long') : put('Basic', 'long', { code }))),
    ];
    for (const first of [
      '/_history?_count=17',
      '/Basic/_history?_count=17',
      '/Basic/_history?_since=2020&_count=17',
    ]) {
      const seen = await readAll(tenant, first);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((name) => atStart.has(name))).toHaveLength(VERSIONS);
    }
    // Every version of one resource, from the newest at the start down to the first.
    for (const rest of ['?_count=7', '?_since=2020&_count=7']) {
      const seen = await readAll(tenant, `/Basic/long/_history${rest}`);
      expect(seen.length).toBeGreaterThanOrEqual(LONG);
      expect(seen).toEqual(seen.map((_, index) => `Basic/long/${seen.length - index}`));
    }
    isOver = true;
    await Promise.all(writers);
    expect(writes).toBeGreaterThan(50);
  },
);

it('a page with long versions ends early, and the next page continues', async () => {
  const tenant = await openTenant('r4');
  const data = Buffer.alloc(2_600_000, 'x').toString('base64');
  for (const id of ['one', 'two', 'three'])
    await tenant.put('Binary', id, { contentType: 'text/plain', data });
  const first = await tenant.history('/_history');
  expect(namesOf(first)).toEqual(['Binary/three/1', 'Binary/two/1']);
  expect(namesOf(await tenant.history(nextOf(first, tenant.root) ?? ''))).toEqual(['Binary/one/1']);
});

it('a history of a period has all its versions, even if their times differ slightly from their order', async () => {
  const tenant = await openTenant('r4');
  const { put, remove } = tenant;
  const code = { text: 'x' };
  for (let round = 0; round < 6; round++) {
    await Promise.all(Array.from({ length: 50 }, (_, at) => put('Basic', `b${at}`, { code })));
    if (round % 2 === 1) await Promise.all([1, 2, 3].map((at) => remove('Basic', `b${at}`)));
    await put('Patient', `p${round}`);
  }
  const owner = await connectTo(server);
  const space = await owner.spaceOf(tenant.tenant, 'r4');
  let versions: { name: string; sequence: number; made: number; ended: number }[];
  const [start, minute] = [Date.UTC(2024, 0, 1), 60_000];
  try {
    // A version each three minutes, up to four early or late; those of one resource stay in their order.
    await owner.query(
      `update andiron.resource_version
          set last_updated = $2::bigint + sequence * 180000::bigint + case when id in ('b1', 'b2', 'b3') then 0 else (sequence * 197 % 480 - 240) * 1000 end
        where space = $1`,
      [space, start],
    );
    const { rows } = await owner.query<{
      name: string;
      sequence: number;
      made: string;
      ended: string | null;
    }>(
      `select case when v.resource_type = first_value(v.resource_type) over (order by v.sequence desc) then 'Patient/'
                   else 'Basic/' end || v.id || '/' || v.version as name, v.sequence::int as sequence, v.last_updated as made,
              lead(v.last_updated) over (partition by v.resource_type, v.resource_key order by v.version) as ended
         from andiron.resource_version v where v.space = $1 order by v.sequence desc`,
      [space],
    );
    versions = rows.map(({ name, sequence, made, ended }) => ({
      name,
      sequence,
      made: Number(made),
      ended: ended === null ? Infinity : Number(ended),
    }));
  } finally {
    await owner.close();
  }
  expect(versions).toHaveLength(315);
  const listed = (level: string, isMeant: (version: (typeof versions)[number]) => boolean): string[] =>
    versions
      .filter(({ name }) => name.startsWith(level.slice(1)))
      .filter(isMeant)
      .map(({ name }) => name);
  for (let step = -20; step < 1000; step += 97) {
    const time = start + step * minute;
    const written = encodeURIComponent(new Date(time).toISOString());
    for (const level of ['', '/Basic', '/Patient']) {
      const since = listed(level, ({ made }) => made >= time);
      const at = listed(level, ({ made, ended }) => made < time + 1 && ended > time);
      expect(await readAll(tenant, `${level}/_history?_since=${written}&_count=200`)).toEqual(since);
      expect(await readAll(tenant, `${level}/_history?_at=${written}&_count=40`)).toEqual(at);
      const { total } = await tenant.history(`${level}/_history?_since=${written}&_count=0`);
      expect(total).toBe(since.length);
    }
  }
});
