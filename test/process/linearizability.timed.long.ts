/**
 * Reads and writes of a resource are linearizable: eight clients of each release work on a few resources over two server
 * processes. Each acknowledged write is one version, versions count from 1 without gaps, and no read is older than what any
 * client had read or written before the read began. This holds while Redis stops and returns. Both releases run at once on
 * the same ids, and neither sees the other's resources.
 */
import { RELEASE_NAMES, type Release } from '../../src/core';
import { startTestRedis, type TestRedis } from '../support/redis';
import type { Answer } from '../support/http';
import { startProcess, type ServerProcess } from '../support/process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { rounds } from '../support/rounds';

/** The clients of each release. */
const CLIENTS = 8;
const RESOURCES = ['one', 'two', 'three'];
const DURATION_MS = rounds(5_000, 10_000);
/** Steps of each client, however slow the machine is: each kind of request four times. */
const LEAST_STEPS = 28;
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };

let database: TestDatabase;
let redis: TestRedis;
let servers: readonly ServerProcess[];
beforeAll(async () => {
  database = await createTestDatabase();
  redis = await startTestRedis();
  const environment = { REDIS_HOST: redis.host, REDIS_PORT: String(redis.port) };
  servers = await Promise.all([
    startProcess({ database, environment }),
    startProcess({ database, environment }),
  ]);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await redis.stop();
  await database.drop();
});

/** One request as its client saw it: times of sending and answer, and the version of the answer. */
interface Event {
  readonly kind: 'read' | 'write';
  readonly id: string;
  readonly sent: number;
  readonly answered: number;
  readonly version: number;
  /** A text that only this write has written. */
  readonly mark: string;
}

interface Patient {
  readonly meta: { readonly versionId: string };
  readonly name: readonly { readonly text: string }[];
}

const markOf = (resource: Patient): string => resource.name[0]?.text ?? '';

class Client {
  readonly events: Event[] = [];
  readonly refused: number[] = [];
  private step = 0;

  constructor(
    private readonly number: number,
    private readonly server: ServerProcess,
    readonly release: Release,
  ) {}

  async run(until: number): Promise<void> {
    while (Date.now() < until || this.step < LEAST_STEPS) {
      const step = this.step++;
      const id = RESOURCES[(step + this.number) % RESOURCES.length] ?? '';
      const mark = `client ${this.number} of ${this.release} step ${step}`;
      const kinds = [
        () => this.put(id, mark),
        () => this.read(id),
        () => this.patch(id, mark),
        () => this.putIfMatch(id, mark),
        () => this.putWhere(id, mark),
        () => this.transaction(id, mark),
        () => this.read(id),
      ];
      await kinds[(step * 5 + this.number) % kinds.length]?.();
    }
  }

  private get root(): string {
    return this.server.path('system', this.release);
  }

  private body(id: string, mark: string): object {
    return { resourceType: 'Patient', id, identifier: [{ value: id }], name: [{ text: mark }] };
  }

  private async put(id: string, mark: string, headers: Record<string, string> = {}): Promise<void> {
    await this.write(id, mark, () =>
      this.server.request('PUT', `${this.root}/Patient/${id}`, this.body(id, mark), headers),
    );
  }

  private async putIfMatch(id: string, mark: string): Promise<void> {
    const version = await this.read(id);
    if (version !== undefined) await this.put(id, mark, { 'if-match': `W/"${version}"` });
  }

  private async putWhere(id: string, mark: string): Promise<void> {
    await this.write(id, mark, () =>
      this.server.request('PUT', `${this.root}/Patient?identifier=${id}`, this.body(id, mark)),
    );
  }

  private async patch(id: string, mark: string): Promise<void> {
    const operations = [{ op: 'replace', path: '/name/0/text', value: mark }];
    await this.write(id, mark, () =>
      this.server.request('PATCH', `${this.root}/Patient/${id}`, operations, JSON_PATCH),
    );
  }

  /** Two of the resources at once: both or none. */
  private async transaction(id: string, mark: string): Promise<void> {
    const other = RESOURCES[(RESOURCES.indexOf(id) + 1) % RESOURCES.length] ?? '';
    const entry = [id, other].map((each) => ({
      resource: this.body(each, mark),
      request: { method: 'PUT', url: `Patient/${each}` },
    }));
    const sent = performance.now();
    const { status, json } = await this.server.request('POST', this.root, {
      resourceType: 'Bundle',
      type: 'transaction',
      entry,
    });
    const answered = performance.now();
    if (status !== 200) {
      this.refused.push(status);
      return;
    }
    for (const [index, each] of [id, other].entries()) {
      const version = Number(/\d+/.exec(json.entry[index].response.etag)?.[0]);
      this.events.push({ kind: 'write', id: each, sent, answered, version, mark });
    }
  }

  private async write(id: string, mark: string, send: () => Promise<Answer>): Promise<void> {
    const sent = performance.now();
    const { status, json } = await send();
    const answered = performance.now();
    if (status !== 200 && status !== 201) {
      this.refused.push(status);
      return;
    }
    const version = Number(json.meta.versionId);
    expect(markOf(json)).toBe(mark);
    this.events.push({ kind: 'write', id, sent, answered, version, mark });
  }

  private async read(id: string): Promise<number | undefined> {
    const sent = performance.now();
    const { status, json } = await this.server.request('GET', `${this.root}/Patient/${id}`);
    const answered = performance.now();
    if (status !== 200) {
      this.refused.push(status);
      return undefined;
    }
    const version = Number(json.meta.versionId);
    this.events.push({ kind: 'read', id, sent, answered, version, mark: markOf(json) });
    return version;
  }
}

/** The largest version that any client had received before this event was sent is not larger than its own. */
function requireNothingOlder(events: readonly Event[]): void {
  const byAnswer = [...events].sort((one, other) => one.answered - other.answered);
  let newest = 0;
  let next = 0;
  for (const event of [...events].sort((one, other) => one.sent - other.sent)) {
    for (
      let largest = byAnswer[next];
      largest !== undefined && largest.answered < event.sent;
      largest = byAnswer[++next]
    )
      newest = Math.max(newest, largest.version);
    if (event.kind === 'read') expect(event.version).toBeGreaterThanOrEqual(newest);
    else expect(event.version).toBeGreaterThan(newest);
  }
}

async function historyOf(server: ServerProcess, release: Release, id: string): Promise<Patient[]> {
  const versions: Patient[] = [];
  let address: string | undefined = `${server.path('system', release)}/Patient/${id}/_history?_count=1000`;
  while (address !== undefined) {
    const { json }: Answer = await server.request('GET', address);
    const page: { entry: { resource: Patient }[]; link: { relation: string; url: string }[] } = json;
    versions.push(...page.entry.map(({ resource }) => resource));
    const following = page.link.find(({ relation }) => relation === 'next');
    address = following === undefined ? undefined : following.url.slice(server.base.length);
  }
  return versions.reverse();
}

async function createResources(server: ServerProcess, release: Release): Promise<void> {
  for (const id of RESOURCES) {
    const body = {
      resourceType: 'Patient',
      id,
      identifier: [{ value: id }],
      name: [{ text: `begin ${id}` }],
    };
    const { status } = await server.request('PUT', `${server.path('system', release)}/Patient/${id}`, body);
    expect(status).toBe(201);
  }
}

async function requireOneAfterTheOther(
  server: ServerProcess,
  release: Release,
  events: readonly Event[],
): Promise<void> {
  for (const kind of ['read', 'write'] as const)
    expect(events.filter((event) => event.kind === kind).length).toBeGreaterThan(50);
  for (const id of RESOURCES) {
    const own = events.filter((event) => event.id === id);
    const versions = await historyOf(server, release, id);
    expect(versions.map(({ meta }) => Number(meta.versionId))).toEqual(versions.map((_, index) => index + 1));
    // Every acknowledged write is there, under its number, and no other.
    const written = own.filter(({ kind }) => kind === 'write');
    expect(versions).toHaveLength(1 + written.length);
    for (const { version, mark } of own) {
      const stored = versions[version - 1];
      expect(stored === undefined ? undefined : markOf(stored)).toBe(mark);
    }
    requireNothingOlder(own);
  }
}

it('eight clients of each release and two processes write and read a few resources as if one after the other, while Redis restarts', async () => {
  const [first] = servers;
  if (first === undefined) throw new Error('there is no server');
  for (const release of RELEASE_NAMES) await createResources(first, release);
  const clients = RELEASE_NAMES.flatMap((release) =>
    Array.from(
      { length: CLIENTS },
      (_, number) => new Client(number, servers[number % servers.length] ?? first, release),
    ),
  );
  const until = Date.now() + DURATION_MS;
  const running = Promise.all(clients.map((client) => client.run(until)));
  await new Promise((resolve) => setTimeout(resolve, DURATION_MS / 3));
  await redis.restart();
  await running;

  const refused = new Set(clients.flatMap((client) => client.refused));
  // Only writes that required a version that was no longer current.
  for (const status of refused) expect(status).toBe(412);
  for (const release of RELEASE_NAMES) {
    const own = clients.filter((client) => client.release === release);
    await requireOneAfterTheOther(
      first,
      release,
      own.flatMap(({ events }) => events),
    );
  }
});
