/** Two tenants that differ only in hidden data, and their answers in a form that can be compared. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Core, Release } from '../../../src/core';
import { idOfKey } from '../../../src/core/search/rows/resource-key';
import { keyOfText } from '../../../src/core/storage/read/version-row';
import { makeClient, type MadeClient } from '../../support/access';
import { eventually } from '../../support/eventually';
import { makeParameter } from '../../support/search-parameters';
import { OPEN, startServer, type Answer, type TestServer } from '../../support/server';
import {
  CANARY,
  CHANGES,
  movers,
  observations,
  others,
  OWN_PARAMETERS,
  patients,
  VEIL,
  type Side,
} from './data';

/**
 * A request below `/w/{tenant}/api/v1`. `@next@` in the path: the page that the answer before offered; `@moment:3@` in the
 * body: the instant after the third change of both sides.
 */
export interface Question {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const TENANTS = ['left', 'right'] as const;
const POLICY = 'veil';
const JSON_TYPE = { 'content-type': 'application/json' };
const PATIENCE_MS = 60_000;

const INSTANT = /\b20(?:2[6-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
const OWN_ID = /\b[0-9a-hjkmnp-tv-z]{16}\b/g;
/** In a cursor: the placeholder of an id that the server has made. */
const OWN_KEY = /(?<=")\d{15,19}(?=")/g;
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
/**
 * The content of a cursor without its signature, which is different for every tenant; in GraphQL with the search
 * before it.
 */
const CURSOR =
  /(?<=_cursor=|"(?:endCursor|startCursor|first|previous|next|last)":"(?:[12]\.[A-Za-z0-9_-]*\.)?)[A-Za-z0-9_-]{24,}/g;
const JOB = /(?<=\/_async\/)[0-9a-f]{32}/g;
const HEADERS = [
  ...['etag', 'location', 'content-location', 'content-type', 'preference-applied', 'allow'],
  ...['cache-control', 'content-disposition', 'retry-after', 'content-length'],
] as const;

/** A target of requests: a server here, or a process. */
export type Target = Pick<TestServer, 'request'>;

/** One of the two, as one client sees it: by all servers in turn. */
export class View {
  private readonly ids = new Map<string, number>();
  private next: string | undefined;

  constructor(
    private readonly servers: readonly Target[],
    /** The index of the server of the next request. */
    private turn: number,
    private readonly tenant: string,
    private readonly authorization: string | undefined,
  ) {}

  private request(...sent: Parameters<Target['request']>): Promise<Answer> {
    const server = this.servers[this.turn++ % this.servers.length];
    if (server === undefined) throw new Error('there is no server');
    return server.request(...sent);
  }

  async send({ method, path, body, headers }: Question): Promise<Answer> {
    const credentials: Readonly<Record<string, string>> =
      this.authorization === undefined ? {} : { authorization: this.authorization };
    const address = path === '@next@' ? this.next : `/w/${this.tenant}/api/v1${path}`;
    const all = { 'x-request-id': 'hidden', ...headers, ...credentials };
    const answer = await this.request(method, address ?? `/w/${this.tenant}/none`, body, all);
    this.next = nextOf(answer, this.tenant);
    if (answer.status !== 202 || answer.headers['content-location'] === undefined) return answer;
    const at = new URL(String(answer.headers['content-location'])).pathname;
    let done = answer;
    await eventually(async () => {
      done = await this.request('GET', at, undefined, credentials);
      return done.status !== 202;
    }, PATIENCE_MS);
    return done;
  }

  /** Without random values and times. */
  describe({ status, headers, text }: Answer): string {
    const head = HEADERS.flatMap((name) =>
      headers[name] === undefined ? [] : [`${name}: ${String(headers[name])}`],
    );
    return [String(status), ...head, text]
      .join('\n')
      .replaceAll(`/w/${this.tenant}/`, '/w/TENANT/')
      .replace(CURSOR, (cursor) =>
        Buffer.from(cursor, 'base64url').subarray(16).toString('latin1').replace(OWN_KEY, toId),
      )
      .replace(INSTANT, 'INSTANT')
      .replace(/\[1[67]\d{11}(?=[,\]])/g, '[MILLISECONDS')
      .replace(UUID, 'UUID')
      .replace(JOB, 'JOB')
      .replace(OWN_ID, (id) => {
        if (!this.ids.has(id)) this.ids.set(id, this.ids.size);
        return `ID-${this.ids.get(id)}`;
      })
      .replace(/content-length: \d+/, '');
  }
}

function toId(key: string): string {
  const { high, low } = keyOfText(key);
  return idOfKey(high, low) ?? key;
}

function nextOf({ text }: Answer, tenant: string): string | undefined {
  const url = /"relation":"next","url":"([^"]+)"/.exec(text)?.[1];
  if (url === undefined) return undefined;
  const { pathname, search } = new URL(url);
  if (!pathname.startsWith(`/w/${tenant}/`)) throw new Error(`a link leads to ${url}`);
  return pathname + search;
}

export interface TwoSides {
  readonly server: TestServer;
  readonly release: Release;
  /** The fault of the answer to a request of the client without access; undefined: none. */
  compare(question: Question): Promise<string | undefined>;
  /** True when a client with full access sees a difference. */
  differs(question: Question): Promise<boolean>;
  /** The stored data of one side, as a client with full access reads them. */
  stored(side: Side, address: string): Promise<Answer>;
  readonly clients: readonly MadeClient[];
}

/**
 * The two tenants are made with the first of the releases.
 * @param others servers of the same database: what is asked of the one side is asked of another server than what is asked of
 *   the other side, and the next question the other way about
 */
export async function openTwoSides(
  server: TestServer,
  release: Release,
  others: readonly Target[] = [],
): Promise<TwoSides> {
  const { core } = server.app;
  const clients = await Promise.all(TENANTS.map((tenant) => prepare(core, tenant)));
  const root = `/fhir/${release}`;
  const servers = [server, ...others];
  const moments: string[] = [];
  for (const [index, batch] of fillings().entries()) {
    for (const [side, tenant] of TENANTS.entries()) {
      const entry = batch(side === 0 ? 0 : 1);
      const body = { resourceType: 'Bundle', type: 'transaction', entry };
      const answer = await server.request('POST', `/w/${tenant}/api/v1${root}`, body);
      if (answer.status !== 200) throw new Error(`${tenant} was not filled: ${answer.text}`);
      // While there are no resources, so that how many there were is the same on both sides.
      if (index === 0) for (const each of servers) await settle(each, tenant, release);
    }
    await delay(3);
    moments.push(new Date().toISOString());
    await delay(3);
  }
  if (moments.length !== CHANGES) throw new Error(`There are ${moments.length} changes`);
  const views = (isOpen: boolean): readonly [View, View] => {
    const [left, right] = TENANTS.map(
      (tenant, index) => new View(servers, index, tenant, isOpen ? undefined : clients[index]?.basic),
    );
    if (left === undefined || right === undefined) throw new Error('there are two sides');
    return [left, right];
  };
  const veiled = views(false);
  const open = views(true);
  const send = async (
    [left, right]: readonly [View, View],
    sentQuestion: Question,
  ): Promise<[string, string]> => {
    const question = atMoments(sentQuestion, moments);
    const [one, other] = await Promise.all([left.send(question), right.send(question)]);
    return [left.describe(one), right.describe(other)];
  };
  return {
    server,
    release,
    clients,
    async compare(question) {
      const [one, other] = await send(veiled, question);
      const sentQuestion = JSON.stringify(question);
      if (one !== other) return `${sentQuestion.slice(0, 600)}\n${difference(one, other)}`;
      if (/^5\d\d/.test(one)) return `${sentQuestion.slice(0, 600)}\n${one.slice(0, 500)}`;
      const at = sentQuestion.includes(CANARY) ? -1 : one.indexOf(CANARY);
      return at === -1
        ? undefined
        : `${sentQuestion.slice(0, 600)}\n…${one.slice(Math.max(0, at - 200), at + 100)}`;
    },
    async differs(question) {
      const [one, other] = await send(open, question);
      return one !== other;
    },
    stored: (side, address) => server.request('GET', `/w/${TENANTS[side]}/api/v1${root}/${address}`),
  };
}

async function prepare(core: Core, tenant: string): Promise<MadeClient> {
  if ((await core.access.findSpace(tenant, 'r4')) === undefined) await core.tenants.create(tenant);
  await core.tenants.policies.put(tenant, POLICY, VEIL);
  return makeClient(core, tenant, { scopes: ['system/*.cruds'], policies: [POLICY] });
}

type Entries = (side: Side) => readonly object[];

/** Each a transaction, so that resources written together have one instant on both sides. */
function fillings(): readonly Entries[] {
  const put = (resources: readonly { readonly resourceType: string; readonly id: string }[]): object[] =>
    resources.map((resource) => ({
      resource,
      request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
    }));
  const parameters = OWN_PARAMETERS.map(([code, base, type, expression]) => ({
    ...{ resourceType: 'SearchParameter', id: code },
    ...makeParameter(code, { base: [base], type, expression }),
  }));
  return [
    () => put(parameters),
    (side) => put(patients(side, 0)),
    (side) => put(observations(side, 0)),
    (side) => put(others(side)),
    (side) => put(movers(side, 0)),
    // These versions differ only in hidden data.
    (side) => put(patients(side, 1).slice(0, 2)),
    (side) => put(observations(side, 1).slice(0, 2)),
    (side) => put(movers(side, 1)),
    // Seen, then no more; and the other way about.
    (side) =>
      put(
        observations(side, 0)
          .slice(2, 3)
          .map((resource) => ({ ...resource, id: 'v9' })),
      ),
    () => ['Observation/v9', 'Condition/c2'].map((url) => ({ request: { method: 'DELETE', url } })),
  ];
}

function atMoments(question: Question, moments: readonly string[]): Question {
  if (question.body === undefined) return question;
  const text = JSON.stringify(question.body);
  if (!text.includes('@moment:')) return question;
  const filled = text.replace(/@moment:(\d+)@/g, (_whole, index) => moments[Number(index)] ?? '');
  return { ...question, body: JSON.parse(filled) };
}

async function settle(server: Target, tenant: string, release: Release): Promise<void> {
  for (const [code, base] of OWN_PARAMETERS)
    await eventually(async () => {
      const at = `/w/${tenant}/api/v1/fhir/${release}/${base}?${code}:missing=true&_count=0`;
      return (await server.request('GET', at, undefined, { prefer: 'handling=strict' })).status === 200;
    });
}

function difference(one: string, other: string): string {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const around = (text: string): string => text.slice(Math.max(0, same - 250), same + 350);
  return `  left  …${around(one)}\n  right …${around(other)}`;
}

export const TWO_SIDES_ENVIRONMENT: Readonly<Record<string, string>> = {
  ...OPEN,
  VALIDATION: 'structure',
  // Answers must not depend on the server.
  PUBLIC_URL: 'https://fhir.example.org',
};

export function startTwoSidesServer(): Promise<TestServer> {
  return startServer({
    because: 'PUBLIC_URL, and it is of two tenants alone',
    environment: TWO_SIDES_ENVIRONMENT,
  });
}

export const graphql = (release: Release, query: string, variables: object = {}): Question => ({
  method: 'POST',
  path: `/graphql/${release}`,
  body: { query, variables },
  headers: JSON_TYPE,
});
