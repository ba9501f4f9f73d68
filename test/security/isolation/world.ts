/** One tenant of one server over HTTP, and its answers without random values and times. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { eventually } from '../../support/eventually';
import type { Release } from '../../../src/core';
import type { Answer, TestServer } from '../../support/server';

/** The server's own address: the same in all worlds. */
export const PUBLIC_URL = 'https://fhir.example.org';

/** A request below `/w/{tenant}/api/v1`. `@id:3@` in it is the third id of the server, `@next:3@` a page. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer is fetched when it is there (`respond-async`). */
  readonly isLater?: boolean;
}

const INSTANT = /\b20(?:2[6-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
const OWN_ID = /\b[0-9a-hjkmnp-tv-z]{16}\b/g;
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const CURSOR = /(_cursor=)[^&"\\\s]+/g;
const GRAPHQL_CURSOR =
  /("(?:endCursor|startCursor|cursor|first|previous|next|last)":")[A-Za-z0-9_.~=-]{24,}(")/g;
/** Redis gets its entries after the answers, so that their number at a moment is not the same twice. */
const CACHED_TEXTS = /(\\?"cachedTexts\\?",\\?"valueUnsignedInt\\?":)\d+/g;
/** Headers that say something of the answer; times, lengths and connections do not. */
const HEADERS = [
  'etag',
  'location',
  'content-location',
  'content-type',
  'preference-applied',
  'allow',
  'accept-patch',
  'vary',
  'cache-control',
  'warning',
  'retry-after',
  'www-authenticate',
];
const SORTED_BY_TIME = /[?&]_sort=[^&]*_lastUpdated/;
const ENTRY = /(?<=[[,])\{"fullUrl":.*?"search":\{"mode":"\w+"\}\}(?=[,\]])/g;
// Only a server that hangs takes this long; a busy machine takes minutes.
const PATIENCE_MS = 300_000;
const MOST_TRIES = 30;
const RETRY_MS = 500;

/**
 * The entries of a page in the order of their addresses. The statements of one transaction have the same millisecond in
 * one world and two in another, so that an order by `_lastUpdated` is not the same twice.
 */
function inOrderOfAddress(text: string): string {
  const entries = (text.match(ENTRY) ?? []).toSorted();
  return text.replace(ENTRY, () => entries.shift() ?? '');
}

/** Nothing was done: there was no connection to the database. */
const isUnavailable = ({ text }: Answer): boolean => text.includes('cannot be reached at the moment');

export class World {
  private readonly ids = new Map<string, number>();
  private readonly idList: string[] = [];
  /** Pages that were offered, as addresses below `/w/{tenant}/api/v1`. */
  readonly pages: string[] = [];
  /** Addresses of asynchronous requests. */
  readonly jobs: string[] = [];

  private constructor(
    readonly server: TestServer,
    readonly tenant: string,
    private readonly owner: Client,
  ) {}

  static async open(server: TestServer, tenant: string): Promise<World> {
    const owner = new Client(server.database.settings);
    await owner.connect();
    await server.app.core.tenants.create(tenant);
    return new World(server, tenant, owner);
  }

  close(): Promise<void> {
    return this.owner.end();
  }

  /**
   * `foreign`: the same tenant's neighbour, which `@foreign-…@` refers to. `note` records the ids and pages of an
   * answer.
   */
  async send(request: Sent, foreign: World): Promise<Answer> {
    const path = `/w/${this.tenant}/api/v1${this.fill(request.path, foreign)}`;
    const body = request.body === undefined ? undefined : this.fill(request.body, foreign);
    const headers = { 'x-request-id': 'isolation', ...request.headers };
    let answer = await this.server.request(request.method, path, body, headers);
    // On a busy machine even a connection to the database takes too long.
    for (let tries = 1; tries < MOST_TRIES && answer.status === 503 && isUnavailable(answer); tries++) {
      await delay(RETRY_MS);
      answer = await this.server.request(request.method, path, body, headers);
    }
    return request.isLater === true && answer.status === 202 ? this.fetch(answer) : answer;
  }

  private async fetch(accepted: Answer): Promise<Answer> {
    const at = new URL(String(accepted.headers['content-location'])).pathname;
    this.jobs.push(at.slice(`/w/${this.tenant}/api/v1`.length));
    let answer = accepted;
    await eventually(async () => {
      answer = await this.server.request('GET', at, undefined, { 'x-request-id': 'isolation' });
      return answer.status !== 202;
    }, PATIENCE_MS);
    return answer;
  }

  private fill(text: string, foreign: World): string {
    if (!text.includes('@')) return text;
    return text.replace(/@(foreign-)?(id|next|job):(\d+)@/g, (_whole, neighbour, what, number) => {
      const world = neighbour === undefined ? this : foreign;
      const list = what === 'id' ? world.idList : what === 'next' ? world.pages : world.jobs;
      return list[Number(number) % Math.max(1, list.length)] ?? '/fhir/r4/Basic/none';
    });
  }

  /** Ids and pages of an answer, in their order, which is the same in all worlds. */
  private note(text: string): void {
    for (const [id] of text.matchAll(OWN_ID)) {
      if (this.ids.has(id)) continue;
      this.ids.set(id, this.ids.size);
      this.idList.push(id);
    }
    for (const [, url = ''] of text.matchAll(/"relation":"next","url":"([^"]+)"/g)) {
      const { pathname, search } = new URL(url);
      this.pages.push(pathname.slice(`/w/${this.tenant}/api/v1`.length) + search);
      if (this.pages.length > 200) this.pages.splice(0, 100);
    }
  }

  /** The parts of an answer that a client can compare, without random values and times. */
  describe(answer: Answer, { path }: Sent): string {
    const head = HEADERS.flatMap((name) => {
      const value = answer.headers[name];
      return value === undefined ? [] : [`${name}: ${String(value)}`];
    });
    this.note(answer.text);
    const text = [String(answer.status), ...head, answer.text]
      .join('\n')
      .replace(INSTANT, 'INSTANT')
      .replace(UUID, 'UUID')
      .replace(CACHED_TEXTS, '$1SOME')
      .replace(CURSOR, '$1CURSOR')
      .replace(GRAPHQL_CURSOR, '$1CURSOR$2')
      .replace(OWN_ID, (id) => `ID-${this.ids.get(id) ?? 'unknown'}`);
    return SORTED_BY_TIME.test(path) ? inOrderOfAddress(text) : text;
  }

  /** Waits until the search parameters that the tenant has made are indexed, and this server uses them. */
  async settle(): Promise<void> {
    await eventually(async () => {
      // Two statements: Citus does not plan them as one.
      const [changes, waiting] = [
        await this.owner.query<{ change: number }>(
          `select c.search_parameters as change
           from andiron.tenant t join andiron.change_counter c on c.tenant = t.number where t.name = $1`,
          [this.tenant],
        ),
        await this.owner.query<{ count: number }>(
          `select count(*)::int as count from andiron.search_parameter p
           join andiron.space s on s.number = p.space join andiron.tenant t on t.number = s.tenant
           where t.name = $1 and p.state <> 'active'`,
          [this.tenant],
        ),
      ];
      const space = await this.server.app.core.access.findSpace(this.tenant, 'r4');
      const change = changes.rows[0]?.change;
      if (change === undefined || waiting.rows[0]?.count !== 0) return false;
      return change === 0 || space?.searchParameters?.change === change;
    }, PATIENCE_MS);
  }

  gateway(release: Release): { readonly base: string; readonly tenant: string; readonly release: Release } {
    return { base: this.server.base, tenant: this.tenant, release };
  }
}
