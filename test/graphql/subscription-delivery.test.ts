/** The status and the events of Subscriptions as a front end asks for them: the same document in both releases. */
import type { Release } from '../../src/core';
import { administerWell, createClient, type MadeClient } from '../support/access';
import { startEndpoint, type TestEndpoint } from '../support/endpoint';
import { eventually } from '../support/eventually';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import {
  classic,
  makeSubscription,
  sender,
  subscription,
  TOPIC,
  type Sender,
  type Wanted,
} from '../support/subscriptions';
import { createSender, type GatewayAnswer, type SendQuery } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
let guarded: SharedServer;
let endpoint: TestEndpoint;
beforeAll(async () => {
  server = await openSharedServer('structure');
  guarded = await openSharedServer('audited');
  await guarded.createTenant('acme', { validation: 'structure' });
  endpoint = await startEndpoint();
});
afterAll(async () => {
  await server.close();
  await guarded.close();
  await endpoint.close();
});

const DELIVERY = `query($id: ID!, $since: Int, $until: Int) {
  subscriptionDelivery(id: $id) {
    id status topic content eventsSinceStart error
    events(since: $since, until: $until) {
      number timestamp change focus
      resource { resourceType id meta { versionId } ... on Device { patient { resource { id } } } }
    }
  }
}`;
const STATUS =
  'query($id: ID!) { subscriptionDelivery(id: $id) { id status topic content eventsSinceStart error } }';

interface Event {
  readonly number: number;
  readonly timestamp: string;
  readonly change: string | null;
  readonly focus: string | null;
  readonly resource: Record<string, unknown> | null;
}

const eventsIn = ({ found }: GatewayAnswer): readonly Event[] =>
  found.subscriptionDelivery.events as readonly Event[];

describe.each(TESTED_RELEASES)('%s', (release: Release) => {
  const send: Sender = (...of) => sender(server)(...of);
  const root = (): string => server.path('system', release);
  const ask: SendQuery = (...of) => createSender(server, 'system', release)(...of);

  const wanted = (path: string, more: Wanted = {}): Record<string, unknown> =>
    subscription({ endpoint: `${endpoint.base}/${release}/${path}`, criteria: `${TOPIC}/Device`, ...more });
  const make = (path: string, more: Wanted = {}): Promise<string> =>
    makeSubscription(send, root(), wanted(path, more));
  const device = async (more: object = {}): Promise<string> =>
    String((await send('POST', `${root()}/Device`, { resourceType: 'Device', ...more })).json['id']);
  const untilEvents = async (id: string, count: number, by = ask): Promise<void> => {
    await eventually(
      async () => (await by(STATUS, { id })).found.subscriptionDelivery.eventsSinceStart === count,
    );
  };

  it('a front end gets the status, the topic and the number of events of an active Subscription', async () => {
    const id = await make('status');
    await device();
    await untilEvents(id, 1);
    const { status, found, errors } = await ask(STATUS, { id });
    expect([status, errors]).toEqual([200, []]);
    expect(found.subscriptionDelivery).toEqual({
      ...{ id, status: 'ACTIVE', topic: `${TOPIC}/Device`, content: 'ID_ONLY' },
      ...{ eventsSinceStart: 1, error: null },
    });
  });

  it('a Subscription in error says why, and a classic one has no topic', async () => {
    const path = `/${release}/closed`;
    endpoint.behave(({ path: called }, response) => {
      response.statusCode = called === path ? 403 : 200;
      response.end();
    });
    const id = await makeSubscription(send, root(), wanted('closed'), 'error');
    endpoint.behave(undefined);
    expect((await ask(STATUS, { id })).found.subscriptionDelivery).toMatchObject({
      status: 'ERROR',
      error: expect.stringContaining('403'),
    });
    const search = classic('Device?status=active', `${endpoint.base}/${release}/classic`);
    const old = await makeSubscription(send, root(), search);
    expect((await ask(STATUS, { id: old })).found.subscriptionDelivery).toMatchObject({
      ...{ status: 'ACTIVE', topic: null },
    });
  });

  it('events come in order with their resources, and with what these refer to', async () => {
    const id = await make('events', { content: 'full-resource' });
    const patient = String((await send('POST', `${root()}/Patient`, { resourceType: 'Patient' })).json['id']);
    const [one, two] = [await device({ patient: { reference: `Patient/${patient}` } }), await device()];
    await send('PUT', `${root()}/Device/${two}`, { resourceType: 'Device', id: two, status: 'active' });
    await send('DELETE', `${root()}/Device/${two}`);
    await untilEvents(id, 4);
    const answer = await ask(DELIVERY, { id });
    expect(answer.errors).toEqual([]);
    const shown = (of: string, versionId: string, to: object | null): object => ({
      ...{ resourceType: 'Device', id: of, meta: { versionId } },
      patient: to,
    });
    expect(eventsIn(answer)).toMatchObject([
      ...[{ number: 1, change: 'CREATE', focus: `Device/${one}` }],
      ...[{ number: 2, change: 'CREATE', focus: `Device/${two}` }],
      ...[{ number: 3, change: 'UPDATE', focus: `Device/${two}` }],
      { number: 4, change: 'DELETE', focus: `Device/${two}`, resource: null },
    ]);
    expect(eventsIn(answer)[0]?.resource).toEqual(shown(one, '1', { resource: { id: patient } }));
    expect(eventsIn(answer)[1]?.resource).toEqual(shown(two, '1', null));
    expect(eventsIn(answer)[2]?.resource).toEqual(shown(two, '2', null));
    for (const { timestamp } of eventsIn(answer)) expect(Date.parse(timestamp)).not.toBeNaN();
    const numbers = async (range: object): Promise<readonly number[]> =>
      eventsIn(await ask(DELIVERY, { id, ...range })).map(({ number }) => number);
    expect(await numbers({ since: 2, until: 3 })).toEqual([2, 3]);
    expect(await numbers({ since: 4 })).toEqual([4]);
    expect(await numbers({ since: 0, until: 1 })).toEqual([1]);
    expect(await numbers({ since: 5 })).toEqual([]);
  });

  it('an erased resource leaves its number alone', async () => {
    const id = await make('erased', { content: 'full-resource' });
    const [erased, other] = [await device(), await device()];
    await untilEvents(id, 2);
    await send('POST', `${root()}/Device/${erased}/$purge`);
    const answer = await ask(DELIVERY, { id });
    expect(answer.errors).toEqual([]);
    expect(eventsIn(answer)).toMatchObject([
      { number: 1, change: null, focus: null, resource: null },
      { number: 2, change: 'CREATE', focus: `Device/${other}`, resource: { id: other } },
    ]);
    expect(answer.text).not.toContain(erased);
  });

  it('events tell no more than the Subscription requests', async () => {
    const [named, empty] = [await make('named'), await make('empty', { content: 'empty' })];
    const made = await device();
    for (const id of [named, empty]) await untilEvents(id, 1);
    expect(eventsIn(await ask(DELIVERY, { id: named }))).toMatchObject([
      { number: 1, change: 'CREATE', focus: `Device/${made}`, resource: null },
    ]);
    const answer = await ask(DELIVERY, { id: empty });
    expect(answer.found.subscriptionDelivery.content).toBe('EMPTY');
    expect(eventsIn(answer)).toMatchObject([{ number: 1, change: null, focus: null, resource: null }]);
  });

  it('an unknown and a deleted Subscription are null without an error, as in every read', async () => {
    const id = await make('deleted');
    await send('DELETE', `${root()}/Subscription/${id}`);
    for (const missing of ['nobody', id]) {
      const { found, errors } = await ask(DELIVERY, { id: missing });
      expect([found, errors]).toEqual([{ subscriptionDelivery: null }, []]);
    }
  });

  it('a range that ends before it begins is an error, and the status is there', async () => {
    const id = await make('range');
    const { found, errors } = await ask(DELIVERY, { id, since: 3, until: 2 });
    expect(found.subscriptionDelivery).toMatchObject({ status: 'ACTIVE', events: null });
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining("'until' must not be less than 'since'"),
        path: ['subscriptionDelivery', 'events'],
        extensions: { status: 400 },
      },
    ]);
  });

  it('its cost counts the events that the range may have', async () => {
    const id = await make('cost');
    const cost = async (range: object): Promise<number> => {
      const { json } = await ask(DELIVERY, { id, ...range }, { 'x-graphql-cost': '1' });
      return json.extensions.cost.cost as number;
    };
    const [three, all] = [await cost({ since: 2, until: 4 }), await cost({})];
    // One for each read of an event and of the patient of its resource, and as many rows.
    expect(three).toBe(2 + 10 + 3 + 3 + 1 + 3);
    expect(all).toBe(2 + 10 + 500 + 500 + 2 + 500);
  });

  describe('with enforced access', () => {
    const acme = (): string => guarded.path('acme', release);
    const as = ({ basic }: MadeClient): { readonly rest: Sender; readonly graphql: SendQuery } => ({
      rest: sender(guarded, { authorization: basic }),
      graphql: (query, variables) =>
        createSender(guarded, 'acme', release)(query, variables, { authorization: basic }),
    });
    const client = async (
      scopes: readonly string[],
      more: { readonly administrator?: boolean; readonly auditor?: boolean } = {},
    ): Promise<ReturnType<typeof as>> => as(await createClient(guarded, 'acme', { scopes, ...more }));
    const observe = async (by: Sender): Promise<void> => {
      for (const status of ['final', 'preliminary'])
        await by('POST', `${acme()}/Observation`, {
          ...{ resourceType: 'Observation', status, code: { text: 'pulse' } },
        });
    };

    it('others than its author see the status, and get an error for the events', async () => {
      const author = await client(['system/Subscription.cruds', 'system/Observation.cruds']);
      const resource = wanted('guarded', { criteria: `${TOPIC}/Observation`, content: 'full-resource' });
      const id = await makeSubscription(author.rest, acme(), resource);
      await observe(author.rest);
      await untilEvents(id, 2, author.graphql);
      expect(eventsIn(await author.graphql(DELIVERY, { id }))).toMatchObject([
        ...[{ number: 1, resource: { resourceType: 'Observation' } }],
        { number: 2, resource: { resourceType: 'Observation' } },
      ]);

      const reader = await client(['system/Subscription.rs', 'system/Observation.rs']);
      const refused = await reader.graphql(DELIVERY, { id });
      expect(refused.found.subscriptionDelivery).toMatchObject({
        ...{ status: 'ACTIVE', eventsSinceStart: 2, events: null },
      });
      expect(refused.errors).toMatchObject([
        {
          message: expect.stringContaining(
            `Only the author of Subscription/${id} may receive its notifications`,
          ),
          extensions: { code: 'forbidden', status: 403 },
        },
      ]);

      const blind = await client(['system/Observation.rs']);
      const { found, errors } = await blind.graphql(STATUS, { id });
      expect([found, errors]).toMatchObject([
        { subscriptionDelivery: null },
        [{ extensions: { code: 'forbidden', status: 403 } }],
      ]);

      const finals = ['system/Subscription.rs', 'system/Observation.rs?status=final'];
      const administrator = await client(finals, { administrator: true });
      expect(eventsIn(await administrator.graphql(DELIVERY, { id }))).toMatchObject([
        { number: 1, change: 'CREATE', resource: { resourceType: 'Observation' } },
        { number: 2, change: null, focus: null, resource: null },
      ]);
    });

    it('hidden elements are in no resource of an event', async () => {
      await administerWell(guarded, 'PUT', `/tenants/${guarded.tenant('acme')}/policies/no-code-${release}`, {
        rules: [{ types: ['Subscription', 'Observation'], interactions: 'cruds' }],
        hidden: ['Observation.code'],
      });
      const author = as(await createClient(guarded, 'acme', { policies: [`no-code-${release}`] }));
      const resource = wanted('hidden', { criteria: `${TOPIC}/Observation`, content: 'full-resource' });
      const id = await makeSubscription(author.rest, acme(), resource);
      await observe((await client(['system/Observation.cruds'])).rest);
      await untilEvents(id, 2, author.graphql);
      const answer = await author.graphql(
        'query($id: ID!) { subscriptionDelivery(id: $id) { events { resource { id json } } } }',
        { id },
      );
      expect(answer.errors).toEqual([]);
      expect(eventsIn(answer).map(({ resource: one }) => typeof one?.['id'])).toEqual(['string', 'string']);
      expect(answer.text).toContain('final');
      expect(answer.text).not.toContain('pulse');
    });

    it('both are in the audit trail, as the operations are', async () => {
      const author = await client(['system/Subscription.cruds', 'system/Device.cruds']);
      const id = await makeSubscription(author.rest, acme(), wanted('audited'));
      await author.graphql(DELIVERY, { id, since: 1 });
      const auditor = await client(['system/*.rs'], { auditor: true });
      const trail = async (): Promise<string> =>
        JSON.stringify((await auditor.rest('GET', `${acme()}/AuditEvent?subtype=operation`)).json);
      const toBase64 = (text: string): string => Buffer.from(text).toString('base64');
      const status = toBase64(`Subscription/${id}/$status?`);
      const events = toBase64(`Subscription/${id}/$events?eventsSinceNumber=1&content=full-resource`);
      await eventually(async () => {
        const text = await trail();
        return text.includes(status) && text.includes(events);
      });
    });
  });
});
