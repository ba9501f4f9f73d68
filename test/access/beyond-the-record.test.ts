/**
 * A client with the scopes of a patient gets answers as if only that record existed, in rare requests too. Two tenants
 * have the same record of that patient and different other data; their answers to every rare request are equal.
 */
import type { Release } from '../../src/core';
import { makeKey, serveKeys, toJwt, WITH_LOCAL_KEYS, type KeyServer } from '../support/access';
import { startServer, type Answer, type TestServer } from '../support/server';
import { TWO_SIDES_ENVIRONMENT, View, type Question } from '../security/hidden/two-sides';
import { IS_FULL } from '../support/rounds';
import { oddQuestions } from './record/odd-questions';
import {
  CANARY,
  later,
  mine,
  movers,
  rootOf,
  theirs,
  toEntries,
  WORLDS,
  type World,
} from './record/two-worlds';

const ISSUER = 'https://login.example';
/** Ways in which one may have the record of a patient, and no other. */
const WAYS = {
  'scopes of the patient': { scope: 'patient/*.cruds', patient: 'mine' },
  'scopes of the user, who is the patient': { scope: 'user/*.cruds', fhirUser: 'Patient/mine' },
} as const;
type Way = keyof typeof WAYS;

/** Answers that must differ between the two worlds for a client that reaches everything. */
const LEAST_DIFFERING = 100;

let server: TestServer;
let keyServer: KeyServer;
/** The tokens of the first world and of the second. */
const tokens: Record<Way, string[]> = {
  'scopes of the patient': [],
  'scopes of the user, who is the patient': [],
};
/** A token of the first world for another patient, of the same client. */
let otherPatient: string | undefined;

beforeAll(async () => {
  const because = 'its answers must not depend on time limits, and requests without credentials see all';
  server = await startServer({ because, environment: { ...TWO_SIDES_ENVIRONMENT, ...WITH_LOCAL_KEYS } });
  const { core } = server.app;
  const key = makeKey('idp', 'P-256');
  keyServer = await serveKeys([key]);
  for (const world of WORLDS) {
    await core.tenants.create(world);
    const scopes = ['patient/*.cruds', 'user/*.cruds'];
    const { id } = await core.tenants.clients.create(world, { name: 'Portal', scopes });
    await core.tenants.issuers.put(world, {
      issuer: ISSUER,
      client: id,
      audience: 'andiron',
      jwksUrl: keyServer.url,
      release: 'both',
    });
    const exp = Math.floor(Date.now() / 1000) + 3_600;
    const claims = { iss: ISSUER, aud: 'andiron', sub: 'u', exp };
    const tokenOf = (more: object): string =>
      `Bearer ${toJwt({ alg: 'ES256', kid: 'idp' }, { ...claims, ...more }, key.privateKey)}`;
    for (const way of Object.keys(WAYS) as Way[]) tokens[way].push(tokenOf(WAYS[way]));
    otherPatient ??= tokenOf({ scope: 'patient/*.cruds', patient: 'theirs' });
  }
});
afterAll(async () => {
  await keyServer.close();
  await server.close();
});

describe.each<[Release, Way]>([
  ['r4', 'scopes of the patient'],
  ['r4b', 'scopes of the user, who is the patient'],
])('%s, with %s', (release, way) => {
  const [ownToken, ownElsewhere] = [() => tokens[way][0] ?? '', () => tokens[way][1] ?? ''];
  const moments: string[] = [];
  /** All in R4; in R4B a third of the reads, and with `ROUNDS=full` all: both run the same code. */
  const takenOf = (questions: readonly Question[]): readonly Question[] =>
    questions.filter(({ method, path }, index) => {
      const isLone = method === 'GET' && path !== '@next@' && questions[index + 1]?.path !== '@next@';
      return IS_FULL || release === 'r4' || !isLone || index % 3 === 0;
    });

  beforeAll(async () => {
    const fillings: readonly ((world: World) => readonly object[])[] = [
      (world) => toEntries([...theirs(world), ...movers(world, 0)]),
      () => toEntries(mine()),
      (world) => toEntries(movers(world, 1)),
      later,
    ];
    for (const filling of fillings) {
      for (const world of [0, 1] as const) {
        const body = { resourceType: 'Bundle', type: 'transaction', entry: filling(world) };
        const { status, text } = await server.request('POST', rootOf(world, release), body);
        if (status !== 200) throw new Error(text);
      }
      moments.push(new Date().toISOString());
    }
  });

  const fill = (question: Question): Question => {
    const { body } = question;
    if (body === undefined) return question;
    const text = JSON.stringify(body).replace(
      /@moment:(\d+)@/g,
      (_whole, index) => moments[Number(index)] ?? '',
    );
    return { ...question, body: JSON.parse(text) };
  };
  const viewsOf = (authorizations: readonly (string | undefined)[]): readonly View[] =>
    WORLDS.map((world, index) => new View([server], 0, world, authorizations[index]));

  it('data of others are in no answer to a client with the record of one patient', async () => {
    const own = viewsOf(tokens[way]);
    const open = viewsOf([undefined, undefined]);
    const wrong: string[] = [];
    let differing = 0;
    let having = 0;
    for (const oddQuestion of takenOf(oddQuestions(release))) {
      const question = fill(oddQuestion);
      const [left = '', right = ''] = await Promise.all(
        own.map(async (view) => view.describe(await view.send(question))),
      );
      const label = JSON.stringify(oddQuestion).slice(0, 300);
      if (/Patient\/mine|"m1"/.test(left)) having++;
      if (left !== right) wrong.push(`${label}\n${around(left, right)}`);
      // A document that GraphQL refuses as a whole proves nothing.
      const isRefused =
        /^5\d\d/.test(left) || (question.path.startsWith('/graphql') && left.startsWith('400'));
      if (isRefused) wrong.push(`${label}\n${left.slice(0, 500)}`);
      if (left.includes(CANARY) && !JSON.stringify(oddQuestion).includes(CANARY))
        wrong.push(`${label}\n${left}`);
      // So many of one release are enough to show that there are differences to be found.
      if (
        release === 'r4' &&
        differing <= LEAST_DIFFERING &&
        (oddQuestion.method === 'GET' || oddQuestion.path.startsWith('/graphql'))
      ) {
        if (JSON.stringify(oddQuestion.body ?? '').includes('mutation')) continue;
        const [one, other] = await Promise.all(
          open.map(async (view) => view.describe(await view.send(question))),
        );
        if (one !== other) differing++;
      }
    }
    expect(wrong).toEqual([]);
    if (release === 'r4') expect(differing).toBeGreaterThan(LEAST_DIFFERING);
    expect(having).toBeGreaterThan(IS_FULL || release === 'r4' ? 60 : 20);
  });

  describe('cursors of another client', () => {
    const sendAs = (
      method: string,
      url: string,
      authorization: string | undefined,
      { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
    ): Promise<Answer> =>
      server.request(method, url, body, {
        ...headers,
        ...(authorization === undefined ? {} : { authorization }),
      });
    const root = rootOf(0, release);
    const nextOf = ({ json }: Answer): string => {
      const link = json.link.find(({ relation }: { relation: string }) => relation === 'next');
      const { pathname, search } = new URL(link.url);
      return pathname + search;
    };

    it.each([
      'Observation?_count=1',
      'Observation?_count=1&_sort=-value-quantity',
      'Patient/theirs/*?_count=1',
      '?_type=Observation,Encounter&_count=1',
      'Observation/_history?_count=1',
      '_history?_count=1',
      'Patient/$everything?_count=1',
      'Patient/theirs/$everything?_count=1',
      'Observation?_include=Observation:encounter&_count=1',
    ])('the next page of %s shows nothing of others', async (url) => {
      let at = nextOf(await sendAs('GET', `${root}/${url}`, undefined));
      let pages = 0;
      for (; pages < 3; pages++) {
        const { status, text } = await sendAs('GET', at, ownToken());
        expect([200, 400, 403, 404]).toContain(status);
        expect(text).not.toContain(CANARY);
        expect(text).not.toContain('"id":"only-one"');
        const open = await sendAs('GET', at, undefined);
        if (!open.text.includes('"next"')) break;
        at = nextOf(open);
      }
    });

    it.each([
      'ObservationConnection(_count: 1)',
      'ObservationConnection(_count: 1, _sort: "-value-quantity")',
    ])('the next page of %s shows nothing of others', async (field) => {
      const page = (cursor?: string): string =>
        `{ ${cursor === undefined ? field : field.replace('(', `(_cursor: "${cursor}", `)} { count next edges { resource { id json } } } }`;
      const send = async (query: string, authorization?: string): Promise<Answer> =>
        sendAs('POST', `/w/left/api/v1/graphql/${release}`, authorization, {
          body: { query },
          headers: { 'content-type': 'application/json' },
        });
      let cursor: string | undefined;
      for (let pages = 0; pages < 4; pages++) {
        const open = await send(page(cursor));
        expect(open.json.errors).toBeUndefined();
        cursor = open.json.data.ObservationConnection.next;
        if (typeof cursor !== 'string') break;
        const { text } = await send(page(cursor), ownToken());
        expect(text).not.toContain(CANARY);
        expect(text).not.toContain('"id":"only-one"');
      }
    });

    it('an asynchronous answer is visible only with the same patient, also for the same client', async () => {
      const accepted = await sendAs('GET', `${root}/Observation`, ownToken(), {
        headers: { prefer: 'respond-async' },
      });
      const at = new URL(String(accepted.headers['content-location'])).pathname;
      const elsewhere = at.replace('/w/left/', '/w/right/');
      for (;;) {
        expect((await sendAs('GET', at, otherPatient)).status).toBe(404);
        expect((await sendAs('DELETE', at, otherPatient)).status).toBe(404);
        expect((await sendAs('GET', elsewhere, ownElsewhere())).status).toBe(404);
        const { status } = await sendAs('GET', at, ownToken());
        if (status !== 202) {
          expect(status).toBe(200);
          break;
        }
      }
      expect((await sendAs('GET', at, otherPatient)).status).toBe(404);
    });
  });

  it('entries with addresses of another tenant are not executed', async () => {
    const urls = [
      'Patient/theirs',
      'Patient/mine',
      'Observation?_count=1',
      'Patient/theirs/$everything',
    ].flatMap((url) =>
      ['https://fhir.example.org', '', '//fhir.example.org', '../../../../../..'].map(
        (host) => `${host}${rootOf(1, release)}/${url}`,
      ),
    );
    for (const type of ['batch', 'transaction']) {
      for (const method of ['GET', 'DELETE']) {
        for (const url of urls) {
          const body = { resourceType: 'Bundle', type, entry: [{ request: { method, url } }] };
          const { status, text, json } = await server.request('POST', rootOf(0, release), body, {
            authorization: ownToken(),
          });
          const label = type === 'batch' ? Number(json.entry[0].response.status.slice(0, 3)) : status;
          expect([url, label]).toEqual([url, 400]);
          expect(text).not.toContain(CANARY);
        }
      }
    }
    expect((await server.request('GET', `${rootOf(1, release)}/Patient/theirs`)).status).toBe(200);
  });
});

function around(one: string, other: string): string {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const part = (text: string): string => text.slice(Math.max(0, same - 200), same + 300);
  return `  left  …${part(one)}\n  right …${part(other)}`;
}
