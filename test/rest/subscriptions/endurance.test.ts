import { Client } from 'pg';
import { startEndpoint, type TestEndpoint } from '../../support/endpoint';
import { eventually } from '../../support/eventually';
import { startServer, type TestServer } from '../../support/server';
import {
  BACKPORT,
  makeSubscription,
  readNotification,
  sender,
  subscription,
  TOPIC,
  untilStatus,
  type Sender,
} from '../../support/subscriptions';

let server: TestServer;
let endpoint: TestEndpoint;
let send: Sender;
let owner: Client;
beforeAll(async () => {
  server = await startServer({
    because: 'OUTBOUND_ALLOWED_HOSTS, without Redis',
    environment: {
      ...{ OUTBOUND_ALLOWED_HOSTS: '127.0.0.1:*', VALIDATION: 'structure' },
      // Nobody listens there.
      REDIS_PORT: '1',
    },
  });
  endpoint = await startEndpoint();
  send = sender(server);
  owner = new Client(server.database.settings);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.close();
  await endpoint.close();
});

const root = (): string => server.path('system', 'r4');
const numbersAt = (path: string): readonly number[] =>
  endpoint.received.filter((one) => one.path === path).flatMap((one) => readNotification('r4', one).numbers);

const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);

/** Waits until a Subscription has failed, and lets two days go by for it; after one it gets the status error. */
async function failForTwoDays(): Promise<void> {
  await eventually(async () => {
    const { rowCount } = await owner.query(
      'update andiron.subscription set failing_since = $1 where failing_since > $2',
      [daysAgo(2), daysAgo(1)],
    );
    return rowCount === 1;
  });
}

it('without Redis changes are told too', async () => {
  await makeSubscription(
    send,
    root(),
    subscription({ endpoint: `${endpoint.base}/alone`, criteria: `${TOPIC}/Device` }),
  );
  for (let index = 0; index < 3; index++) await send('POST', `${root()}/Device`, { resourceType: 'Device' });
  await eventually(async () => numbersAt('/alone').length === 3);
  expect(numbersAt('/alone')).toEqual([1, 2, 3]);
});

it('a Subscription whose heartbeats fail for too long gets the status error', async () => {
  const resource = subscription({
    endpoint: `${endpoint.base}/faint`,
    criteria: `${TOPIC}/Slot`,
    extension: [{ url: `${BACKPORT}/backport-heartbeat-period`, valueUnsignedInt: 1 }],
  });
  const id = await makeSubscription(send, root(), resource);
  endpoint.behave(({ path }, response) => {
    response.statusCode = path === '/faint' ? 500 : 200;
    response.end();
  });
  await failForTwoDays();
  await untilStatus(send, root(), id, 'error');
  endpoint.behave(undefined);
});

it('a Subscription whose notifications fail for too long gets the status error, counts on, and may begin again', async () => {
  const resource = subscription({ endpoint: `${endpoint.base}/down`, criteria: `${TOPIC}/Group` });
  const id = await makeSubscription(send, root(), resource);
  endpoint.behave(({ path }, response) => {
    response.statusCode = path === '/down' ? 500 : 200;
    response.end();
  });
  const group = { resourceType: 'Group', type: 'person', actual: true };
  await send('POST', `${root()}/Group`, group);
  await failForTwoDays();
  await untilStatus(send, root(), id, 'error');
  const { json } = await send('GET', `${root()}/Subscription/${id}`);
  expect(json['error']).toBe('Notifications have failed for too long: the endpoint answers 500');
  endpoint.behave(undefined);
  const before = endpoint.received.length;
  await send('POST', `${root()}/Group`, group);
  await eventually(async () => {
    const { text } = await server.request('GET', `${root()}/Subscription/${id}/$status`);
    return text.includes('"events-since-subscription-start","valueString":"2"');
  });
  expect(endpoint.received.slice(before).filter(({ path }) => path === '/down')).toEqual([]);
  await send('PUT', `${root()}/Subscription/${id}`, { ...json, status: 'requested' });
  await untilStatus(send, root(), id, 'active');
  await eventually(async () => numbersAt('/down').includes(2));
  expect(numbersAt('/down').slice(-2)).toEqual([1, 2]);
});
