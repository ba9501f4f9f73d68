import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import type { Release } from '../../../src/core';
import { type TestServer } from '../../support/server';
import { createSender, gatewayPath, readExample } from '../gateway-client';
import { type Subscriber, subscribeByEvents, type SubscribeOptions } from './subscriber';
import { startTwoServers, type TwoServers } from './two-servers';

/** The poll without a notice never comes: what is reported came by a notice. */
const POLL_MS = 3_600_000;

let two: TwoServers;
let server: TestServer;
let other: TestServer;
const subscribers: Subscriber[] = [];
beforeAll(async () => {
  two = await startTwoServers({ SUBSCRIPTION_POLL_MS: String(POLL_MS) });
  ({ server, other } = two);
});
afterEach(() => {
  for (const subscriber of subscribers.splice(0)) subscriber.close();
});
afterAll(() => two.close());

async function subscribe(options: Partial<SubscribeOptions> = {}): Promise<Subscriber> {
  const subscriber = await subscribeByEvents({ base: server.base, tenant: 'north', ...options });
  subscribers.push(subscriber);
  return subscriber;
}

interface Stored {
  readonly resourceType: string;
  readonly id: string;
  readonly [name: string]: unknown;
}
interface Place {
  readonly of?: TestServer;
  readonly tenant?: string;
  readonly release?: Release;
}
async function put(resource: Stored | string, { of = server, tenant = 'north', release = 'r4' }: Place = {}) {
  const { resourceType, id } = typeof resource === 'string' ? (JSON.parse(resource) as Stored) : resource;
  const answer = await of.request('PUT', `${of.path(tenant, release)}/${resourceType}/${id}`, resource);
  if (answer.status >= 300) throw new Error(answer.text);
}
async function remove(address: string): Promise<void> {
  await server.request('DELETE', `${server.path('north', 'r4')}/${address}`);
}
const patient = (id: string, family: string, more: object = {}): Stored => ({
  resourceType: 'Patient',
  id,
  name: [{ family }],
  ...more,
});
const basic = (id: string, text = 'x'): Stored => ({ resourceType: 'Basic', id, code: { text } });

/** Waits until earlier writes have been reported, if at all. */
async function settled(...subscribed: readonly Subscriber[]): Promise<void> {
  await put(basic('mark', String(Math.random())));
  const mark = await subscribe({ variables: { type: 'Basic', id: 'mark' } });
  await put(basic('mark', String(Math.random())));
  await mark.received(1);
  await delay(50);
  expect(subscribed.every(({ isOver }) => !isOver)).toBe(true);
}

describe('a live query', () => {
  it('reports created, updated and deleted resources, each with its version, in the order of the changes', async () => {
    const all = await subscribe();
    const created = await server.request('POST', `${server.path('north', 'r4')}/Patient`, {
      resourceType: 'Patient',
      name: [{ family: 'Chalmers' }],
    });
    const { id } = created.json as { id: string };
    await put(patient(id, 'Windsor'));
    await remove(`Patient/${id}`);
    const changes = await all.received(3);
    expect(all.lines()).toEqual([
      `Patient/${id} 1 CREATE`,
      `Patient/${id} 2 UPDATE`,
      `Patient/${id} 3 DELETE`,
    ]);
    expect(changes[1]?.json).toMatchObject({ name: [{ family: 'Windsor' }], meta: { versionId: '2' } });
    expect(changes[2]?.json).toBeNull();
    const sequences = changes.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
  });

  it('reports at once the writes of another process, and of batches, transactions and patches', async () => {
    const subscribed = await subscribe({ variables: { type: 'Patient' } });
    await put(patient('far', 'Away'), { of: other });
    await subscribed.received(1);
    await other.request('POST', other.path('north', 'r4'), {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: ['t1', 't2'].map((id) => ({
        resource: patient(id, 'Both'),
        request: { method: 'PUT', url: `Patient/${id}` },
      })),
    });
    await createSender(
      other,
      'north',
      'r4',
    )(
      'mutation { patch(type: Patient, id: "far", patch: [{op: add, path: "/active", value: true}]) { versionId } }',
    );
    await subscribed.received(4);
    expect(subscribed.lines()).toEqual([
      'Patient/far 1 UPDATE',
      'Patient/t1 1 UPDATE',
      'Patient/t2 1 UPDATE',
      'Patient/far 2 UPDATE',
    ]);
  });

  it('keeps the digits of decimals and accepts texts with line breaks', async () => {
    const subscribed = await listen({
      query: 'subscription { resourceChanged(type: Observation) { id json } }',
    });
    const text = JSON.stringify(JSON.parse(readExample('Observation-decimal')), undefined, 2);
    await put(text.replace(/"value": [0-9.]+/, '"value": 1.00'));
    await subscribed.until('"value":1.00');
    expect(subscribed.text()).toContain('event: next');
    subscribed.stop();
  });

  it('gives its results the form of the directives', async () => {
    const query =
      'subscription { resourceChanged(type: Basic) { id @slice(path: "$this") resource @flatten { versionOf: id } } }';
    const subscribed = await listen({ query });
    await put(basic('shaped'));
    await subscribed.until('event: next');
    await subscribed.until('"id.shaped":"shaped","versionOf":"shaped"');
    subscribed.stop();
  });

  it('reports nothing of other tenants and of the other release', async () => {
    const subscribed = await subscribe();
    const elsewhere = await subscribe({ tenant: 'south' });
    const later = await subscribe({ release: 'r4b' });
    await put(patient('secret', 'South'), { tenant: 'south' });
    await put(patient('secret', 'Later'), { release: 'r4b' });
    await put(patient('open', 'North'));
    await Promise.all([subscribed.received(1), elsewhere.received(1), later.received(1)]);
    await settled();
    expect(subscribed.changes.filter(({ type }) => type === 'Patient').map(({ id }) => id)).toEqual(['open']);
    expect(elsewhere.lines()).toEqual(['Patient/secret 1 UPDATE']);
    expect(later.lines()).toEqual(['Patient/secret 1 UPDATE']);
  });
});

describe('the query of a live query', () => {
  const ward = { reference: 'Location/ward-1' };
  const observation = (id: string, code: string, more: object = {}): Stored => ({
    resourceType: 'Observation',
    id,
    status: 'final',
    code: { coding: [{ system: 'http://loinc.org', code }] },
    ...more,
  });
  it.each([
    ['Patient', 'name=chal', patient('q-2', 'Chalmers'), patient('n-2', 'Windsor')],
    ['Patient', 'family:exact=Chalmers', patient('q-3', 'Chalmers'), patient('n-3', 'chalmers')],
    ['Patient', 'family:contains=alm', patient('q-4', 'Chalmers'), patient('n-4', 'Windsor')],
    [
      'Patient',
      'birthdate=ge1990',
      patient('q-5', 'A', { birthDate: '1990-02' }),
      patient('n-5', 'A', { birthDate: '1989' }),
    ],
    [
      'Patient',
      'gender:not=male',
      patient('q-6', 'A', { gender: 'female' }),
      patient('n-6', 'A', { gender: 'male' }),
    ],
    ['Patient', 'birthdate:missing=true', patient('q-7', 'A'), patient('n-7', 'A', { birthDate: '1989' })],
    [
      'Observation',
      'code=http://loinc.org|8867-4',
      observation('q-8', '8867-4'),
      observation('n-8', '8310-5'),
    ],
    [
      'Observation',
      'subject=Patient/x&code=8867-4',
      observation('q-9', '8867-4', { subject: { reference: 'Patient/x' } }),
      observation('n-9', '8867-4'),
    ],
    [
      'Observation',
      'value-quantity=gt5.40',
      observation('q-10', 'a', { valueQuantity: { value: 5.41 } }),
      observation('n-10', 'a', { valueQuantity: { value: 5.4 } }),
    ],
    [
      'Observation',
      'code-value-quantity=8867-4$gt60',
      observation('q-11', '8867-4', { valueQuantity: { value: 61 } }),
      observation('n-11', '8867-4', { valueQuantity: { value: 6 } }),
    ],
    [
      'Observation',
      'subject:Patient.name=chained',
      observation('q-12', 'a', { subject: { reference: 'Patient/chained' } }),
      observation('n-12', 'a'),
    ],
    [
      'Observation',
      '_filter=code eq 8867-4 or status eq amended',
      observation('q-13', '8867-4'),
      observation('n-13', 'a'),
    ],
    ['Patient', '_has:Observation:subject:code=of-has', patient('chained', 'Chained'), patient('n-14', 'A')],
    ['Patient', '_content=remarkable', patient('q-15', 'Remarkable Person'), patient('n-15', 'A')],
    [
      'Encounter',
      'location=Location/ward-1',
      encounter('q-16', ward),
      encounter('n-16', { reference: 'Location/other' }),
    ],
    [
      'ValueSet',
      'url=http://example.org/a',
      valueSet('q-17', 'http://example.org/a'),
      valueSet('n-17', 'http://example.org/b'),
    ],
  ])('reports the matches of %s for %s, and nothing else', async (type, query, met, unmet) => {
    await put(patient('chained', 'Chained'));
    await put(observation('of-has', 'of-has', { subject: { reference: 'Patient/chained' } }));
    const subscribed = await subscribe({ variables: { type, query: encodeURI(query) } });
    await put(unmet);
    await put(met);
    await subscribed.received(1);
    expect(subscribed.changes.map(({ id }) => id)).toEqual([met.id]);
    expect(subscribed.errors).toEqual([]);
  });

  function encounter(id: string, location: object): Stored {
    const coding = { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'IMP' };
    return { resourceType: 'Encounter', id, status: 'in-progress', class: coding, location: [{ location }] };
  }
  function valueSet(id: string, url: string): Stored {
    return { resourceType: 'ValueSet', id, url, status: 'active' };
  }

  it('reports when a resource stops matching, matches again, and is deleted; nothing of one that never matched', async () => {
    await put(patient('w', 'Inside'));
    await put(patient('v', 'Outside'));
    const subscribed = await subscribe({ variables: { type: 'Patient', query: 'family=inside' } });
    await put(patient('w', 'Gone'));
    await put(patient('v', 'Elsewhere'));
    await put(patient('w', 'Gone Further'));
    await put(patient('w', 'Inside'));
    await remove('Patient/v');
    await remove('Patient/w');
    await subscribed.received(3);
    await settled(subscribed);
    expect(subscribed.lines()).toEqual(['Patient/w 2 LEAVE', 'Patient/w 4 UPDATE', 'Patient/w 5 DELETE']);
    expect(subscribed.changes[0]?.json).toBeNull();
  });

  it('reports one resource, before it exists too', async () => {
    const subscribed = await subscribe({ variables: { type: 'Patient', id: 'to-come' } });
    await put(patient('another', 'A'));
    await put(patient('to-come', 'B'));
    await subscribed.received(1);
    expect(subscribed.lines()).toEqual(['Patient/to-come 1 UPDATE']);
  });

  it.each([
    [{ type: 'Patient', query: 'nmae=x' }, 'not-supported', "'nmae' is not a search parameter of Patient"],
    [{ type: 'Patient', query: 'name=x&_sort=name' }, 'not-supported', 'takes criteria only'],
    [{ type: 'Patient', query: 'birthdate=yesterday' }, 'value', 'is not a value'],
    [{ query: 'name=x' }, 'required', 'needs the type'],
    [{ type: 'Patient', id: 'not an id' }, 'not-found', 'does not exist'],
    [{ type: 'Patient', after: 2_000_000_000 }, 'value', "'after' is the sequence of a change that has been"],
    [{ type: 'Patient', after: -1 }, 'value', "'after' is the sequence of a change that has been"],
    [{ type: 'Nonsense' }, 'value', 'Nonsense'],
  ])('is refused as %j with the code %s', async (variables, code, message) => {
    const subscribed = await subscribe({ variables });
    while (!subscribed.isOver) await delay(5);
    expect(subscribed.changes).toEqual([]);
    expect(subscribed.errors).toHaveLength(1);
    expect(subscribed.errors[0]?.message).toContain(message);
    expect(subscribed.errors[0]?.extensions).toMatchObject({
      code,
      resource: { resourceType: 'OperationOutcome' },
    });
  });
});

describe('resuming after a break', () => {
  it('misses nothing and repeats nothing after the number that was reported last', async () => {
    const { found } = await createSender(server, 'north', 'r4')('{ versionSequence }');
    const first = await subscribe({ variables: { type: 'Basic' } });
    for (const id of ['r1', 'r2']) await put(basic(id));
    await first.received(2);
    first.close();
    for (const id of ['r3', 'r4', 'r5']) await put(basic(id));
    const after = first.changes[0]?.sequence;
    const second = await subscribe({ variables: { type: 'Basic', after }, base: other.base });
    await put(basic('r6'));
    await second.received(5);
    expect(second.changes.map(({ id }) => id)).toEqual(['r2', 'r3', 'r4', 'r5', 'r6']);
    const third = await subscribe({ variables: { type: 'Basic', after: found.versionSequence } });
    await third.received(6);
    expect(third.changes.map(({ id }) => id)).toEqual(['r1', 'r2', 'r3', 'r4', 'r5', 'r6']);
  });

  it('is automatic for an EventSource: the numbers are the ids of the events, and Last-Event-ID has precedence over after', async () => {
    await put(basic('e1'));
    const subscribed = await listen({ query: 'subscription { resourceChanged(type: Basic) { id } }' });
    await subscribed.until('id: ');
    await put(basic('e2'));
    await subscribed.until('"e2"');
    const id = /id: (\d+)\nevent: next/.exec(subscribed.text())?.[1] ?? '';
    subscribed.stop();
    await put(basic('e3'));
    const again = await listen(
      { query: 'subscription { resourceChanged(type: Basic, after: 0) { id } }' },
      { 'last-event-id': id },
    );
    await again.until('"e3"');
    expect(again.text()).not.toContain('"e2"');
    again.stop();
  });
});

describe('the stream of events', () => {
  const path = `${gatewayPath('north', 'r4')}/stream`;
  const json = { 'content-type': 'application/json' };

  it('is for subscriptions alone, which are not served elsewhere', async () => {
    const answer = await server.request('POST', path, { query: '{ versionSequence }' }, json);
    expect(answer.text).toContain('Only subscriptions are allowed at this address');
    expect(answer.text.endsWith('event: complete\ndata:\n\n')).toBe(true);
    const query = await createSender(server, 'north', 'r4')('subscription { resourceChanged { id } }');
    expect(query.errors[0]?.message).toContain('/stream');
  });

  it.each([
    ['subscription { resourceChanged { id }', 'Syntax Error'],
    ['subscription { resourceChanged { nothing } }', 'Cannot query field'],
    ['subscription { resourceChanged { id } versionSequence }', 'versionSequence'],
    ['subscription A { resourceChanged { id } } subscription B { resourceChanged { id } }', 'Name one'],
    [`subscription { ${'a'.repeat(10)}: resourceChanged { ${'id '.repeat(600)} } }`, 'id'],
  ])('reports the error of %s', async (query, message) => {
    const answer = await server.request('POST', path, { query }, json);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(answer.text).toContain('event: next\ndata: {"errors":[{"message":"');
    expect(answer.text).toContain(message);
  });

  it('answers wrong addresses and methods as REST does', async () => {
    const unknown = await server.request('GET', '/w/nobody/api/v1/graphql/r4/stream');
    expect([unknown.status, unknown.json.resourceType]).toEqual([404, 'OperationOutcome']);
    expect((await server.request('DELETE', path)).status).toBe(405);
    expect((await server.request('GET', path, undefined, { accept: 'application/json' })).status).toBe(406);
    expect((await server.request('POST', path, '{', json)).status).toBe(400);
    expect((await server.request('POST', path, 'query', { 'content-type': 'text/plain' })).status).toBe(415);
  });
});

/** The frames that an EventSource would get. */
async function listen(
  parameters: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ text(): string; until(part: string): Promise<void>; stop(): void }> {
  const controller = new AbortController();
  const address = `${server.base}${gatewayPath('north', 'r4')}/stream?${new URLSearchParams(parameters).toString()}`;
  const response = await fetch(address, {
    signal: controller.signal,
    headers: { accept: 'text/event-stream', ...headers },
  });
  let text = '';
  void (async () => {
    const decoder = new TextDecoder();
    const reader = response.body?.getReader();
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
      text += decoder.decode(part.value, { stream: true });
  })().catch(() => undefined);
  return {
    text: () => text,
    async until(part) {
      await eventually(() => text.includes(part)).catch(() => {
        throw new Error(`No ${part} in ${text}`);
      });
    },
    stop: () => controller.abort(),
  };
}
