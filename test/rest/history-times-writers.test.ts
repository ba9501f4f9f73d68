/**
 * Histories by `_at` and `_list` whose pages are read during writes: they have the versions of the moment of the
 * first request, once each: https://hl7.org/fhir/R4/http.html#history.
 */
import { namesOf, nextOf, openHistory, readAll, type HistoryTenant } from '../support/histories';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

const RESOURCES = 60;
const VERSIONS = 4;
const WRITERS = 4;

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

/** The answer to the writer of one version. */
interface Written {
  readonly name: string;
  readonly resource: string;
  readonly version: number;
  readonly made: number;
}

const idOf = (index: number): string => `b${index}`;
const resourceOf = (name: string): string => name.slice(0, name.lastIndexOf('/'));
const versionOf = (name: string): number => Number(name.slice(name.lastIndexOf('/') + 1));
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

/** Writes and removes each resource some times, and stores the answers. */
async function begin(tenant: HistoryTenant): Promise<Written[]> {
  const written: Written[] = [];
  const resources = Array.from({ length: RESOURCES }, (_, index) =>
    index % 3 === 0 ? (['Patient', idOf(index)] as const) : (['Basic', idOf(index)] as const),
  );
  for (let version = 1; version <= VERSIONS; version++) {
    await Promise.all(
      resources.map(async ([type, id]) => {
        const more = type === 'Basic' ? { code: { text: 'x' } } : {};
        const made = Date.parse(await tenant.put(type, id, more));
        const resource = `${type}/${id}`;
        written.push({ name: `${resource}/${version}`, resource, version, made });
      }),
    );
    await pause();
  }
  return written;
}

/** The version of each resource that stood at a time: the last that was made by then. */
function standing(written: readonly Written[], time: number): Set<string> {
  const last = new Map<string, Written>();
  for (const one of written) {
    const previous = last.get(one.resource);
    if (one.made <= time && (previous === undefined || previous.version < one.version))
      last.set(one.resource, one);
  }
  return new Set([...last.values()].map(({ name }) => name));
}

/** Four writers that go on until `stop`: three change and remove existing resources, one creates new ones. */
function startWriters(tenant: HistoryTenant): { writes(): number; stop(): Promise<void> } {
  let isOver = false;
  let writes = 0;
  const run = async (writer: number): Promise<void> => {
    for (let turn = 0; !isOver; turn++, writes++) {
      const index = (turn * (WRITERS - 1) + writer) % RESOURCES;
      if (writer === WRITERS - 1) await tenant.put('Basic', `new${turn}`, { code: { text: 'x' } });
      else if (turn % 7 === 6)
        await tenant.send('DELETE', `/${index % 3 === 0 ? 'Patient' : 'Basic'}/${idOf(index)}`);
      else if (index % 3 === 0) await tenant.put('Patient', idOf(index));
      else await tenant.put('Basic', idOf(index), { code: { text: 'x' } });
      await pause();
    }
  };
  const running = Array.from({ length: WRITERS }, (_, writer) => run(writer));
  return {
    writes: () => writes,
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}

const SLOW_PAGES = 6;

/** Reads all pages, and waits after each of the first until the writers have done something. */
async function readSlowly(tenant: HistoryTenant, first: string, writes: () => number): Promise<string[]> {
  const names: string[] = [];
  let pages = 0;
  for (let next: string | undefined = first; next !== undefined;) {
    const page = await tenant.history(next);
    names.push(...namesOf(page));
    next = nextOf(page, tenant.root);
    const before = writes();
    if (pages++ < SLOW_PAGES && next !== undefined) while (writes() < before + 8) await pause();
  }
  return names;
}

function atOf(time: number): string {
  return `_at=${encodeURIComponent(new Date(time).toISOString())}`;
}

const LEVELS = ['/_history?', '/Basic/_history?', '/_history?_list=all&', '/Patient/_history?_list=all&'];

describe.each(TESTED_RELEASES)('while four writers change and remove resources of %s', (release) => {
  let tenant: HistoryTenant;
  let written: Written[];
  let writers: ReturnType<typeof startWriters>;
  beforeAll(async () => {
    tenant = await openHistory(server, release);
    written = await begin(tenant);
    const resources = [...new Set(written.map(({ resource }) => resource))];
    await tenant.put('List', 'all', {
      status: 'current',
      mode: 'working',
      entry: resources.map((reference) => ({ item: { reference } })),
    });
    writers = startWriters(tenant);
  });
  afterAll(() => writers.stop());

  const namesAt = (level: string, names: Iterable<string>): string[] => {
    const type = /^\/([A-Z]\w+)\//.exec(level)?.[1];
    return [...names].filter((name) => type === undefined || name.startsWith(`${type}/`)).sort();
  };

  it.each(LEVELS)(
    'pages of %s_at list the versions that were current at a time that is past',
    async (level) => {
      const times = written.map(({ made }) => made).sort((one, other) => one - other);
      for (const at of [0, 0.4, 0.9]) {
        const time = times[Math.floor(times.length * at)] ?? 0;
        const seen = await readSlowly(tenant, `${level}${atOf(time)}&_count=13`, () => writers.writes());
        expect([...seen].sort()).toEqual(namesAt(level, standing(written, time)));
      }
    },
  );

  it.each(LEVELS)(
    'pages of %s_at list one version of each resource of this moment, and of one that is yet to come',
    async (level) => {
      for (const time of [Date.now(), Date.now() + 1, Date.UTC(2999, 0, 1)]) {
        const seen = await readSlowly(tenant, `${level}${atOf(time)}&_count=13`, () => writers.writes());
        const resources = seen.map(resourceOf);
        expect(new Set(resources).size).toBe(resources.length);
        const wanted = namesAt(
          level,
          written.filter(({ version }) => version === VERSIONS).map(({ name }) => name),
        );
        const listed = new Map(seen.map((name) => [resourceOf(name), versionOf(name)]));
        expect(wanted.filter((name) => (listed.get(resourceOf(name)) ?? 0) < versionOf(name))).toEqual([]);
      }
    },
  );

  it('pages of one resource by _at list each version since then, newest first', async () => {
    const own = written.filter(({ resource }) => resource === 'Basic/b1');
    for (const { made, version } of own) {
      const at = `_at=${encodeURIComponent(new Date(made).toISOString())}`;
      expect(await readAll(tenant, `/Basic/b1/_history?${at}&_count=1`)).toEqual([`Basic/b1/${version}`]);
    }
    // All that stood at some moment of a year: every version from the newest at the first page down to the first.
    const year = new Date().getUTCFullYear();
    for (const list of ['', '&_list=all']) {
      const rest = `/Basic/b1/_history?_at=${year}${list}&_count=2`;
      const seen = await readSlowly(tenant, rest, () => writers.writes());
      expect(seen.length).toBeGreaterThanOrEqual(VERSIONS);
      expect(seen).toEqual(seen.map((_, index) => `Basic/b1/${seen.length - index}`));
    }
  });

  it.each(['/_history?_list=all', '/Basic/_history?_list=all', '/_history?_list=all&_at=2'])(
    'pages of %s list each version of the items of a List once',
    async (rest) => {
      const year = String(new Date().getUTCFullYear());
      const address = rest.replace('_at=2', `_at=${year}`);
      const seen = await readSlowly(tenant, `${address}&_count=31`, () => writers.writes());
      expect(new Set(seen).size).toBe(seen.length);
      const all = namesAt(
        address,
        written.map(({ name }) => name),
      );
      const listed = new Set(seen);
      expect(all.filter((name) => !listed.has(name))).toEqual([]);
      expect(seen.filter((name) => name.includes('/new'))).toEqual([]);
    },
  );
});
