/** Subscriptions for tests, and what their endpoints are sent. */
import type { Release } from '../../src/core';
import type { Received } from './endpoint';
import { eventually } from './eventually';
import type { TestServer } from './server';

export const TOPIC = 'https://andiron.example/fhir/SubscriptionTopic';
export const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';

export interface Wanted {
  /** Address of the endpoint. */
  readonly endpoint?: string;
  readonly criteria?: string;
  readonly filters?: readonly string[];
  readonly content?: 'empty' | 'id-only' | 'full-resource';
  readonly status?: string;
  readonly headers?: readonly string[];
  readonly end?: string;
  readonly type?: string;
  /** Extensions of the channel. */
  readonly extension?: readonly object[];
}

/** A topic-based Subscription to all changes of Patients, unless another topic is wanted. */
export function subscription(wanted: Wanted = {}): Record<string, unknown> {
  const { filters = [], headers = [], content = 'id-only', type = 'rest-hook', extension = [] } = wanted;
  return {
    resourceType: 'Subscription',
    status: wanted.status ?? 'requested',
    reason: 'A ward wants to know of its patients',
    criteria: wanted.criteria ?? `${TOPIC}/Patient`,
    ...(filters.length === 0
      ? {}
      : {
          _criteria: {
            extension: filters.map((valueString) => ({
              url: `${BACKPORT}/backport-filter-criteria`,
              valueString,
            })),
          },
        }),
    ...(wanted.end === undefined ? {} : { end: wanted.end }),
    channel: {
      type,
      ...(wanted.endpoint === undefined ? {} : { endpoint: wanted.endpoint }),
      ...(headers.length === 0 ? {} : { header: headers }),
      payload: 'application/fhir+json',
      _payload: { extension: [{ url: `${BACKPORT}/backport-payload-content`, valueCode: content }] },
      ...(extension.length === 0 ? {} : { extension }),
    },
  };
}

/** A classic Subscription; without `payload` its notifications have no body. */
export function classic(criteria: string, endpoint: string, payload?: string): Record<string, unknown> {
  return {
    resourceType: 'Subscription',
    status: 'requested',
    reason: 'An integration engine follows results',
    criteria,
    channel: { type: 'rest-hook', endpoint, ...(payload === undefined ? {} : { payload }) },
  };
}

export type Sender = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly json: Record<string, unknown> }>;

/** Sends JSON to a server and reads JSON. `headers`: such as those of a token. */
export function sender(
  server: Pick<TestServer, 'request'>,
  headers: Readonly<Record<string, string>> = {},
): Sender {
  return async (method, path, body) => {
    const { status, text } = await server.request(
      method,
      path,
      body === undefined ? undefined : JSON.stringify(body),
      { 'content-type': 'application/fhir+json', ...headers },
    );
    return { status, json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
  };
}

/** Stores a Subscription and waits until it has the status. Returns its id. */
export async function makeSubscription(
  send: Sender,
  root: string,
  resource: object,
  status = 'active',
): Promise<string> {
  const made = await send('POST', `${root}/Subscription`, resource);
  if (made.status !== 201) throw new Error(`${made.status} ${JSON.stringify(made.json)}`);
  const id = String(made.json['id']);
  await untilStatus(send, root, id, status);
  return id;
}

export async function untilStatus(send: Sender, root: string, id: string, status: string): Promise<void> {
  await eventually(async () => (await send('GET', `${root}/Subscription/${id}`)).json['status'] === status);
}

export interface Notified {
  readonly type: string;
  readonly status: string;
  readonly numbers: readonly number[];
  readonly focus: readonly (string | undefined)[];
  /** The entries after that of the status. */
  readonly entries: readonly {
    readonly fullUrl?: string;
    readonly resource?: Record<string, unknown>;
    readonly request?: Record<string, unknown>;
  }[];
}

interface Parameter {
  readonly name: string;
  readonly part?: readonly Parameter[];
  readonly valueCode?: string;
  readonly valueString?: string;
  readonly valueReference?: { readonly reference: string };
}

/** Reads the Bundle of a topic-based notification. */
export function readNotification(release: Release, { body }: Pick<Received, 'body'>): Notified {
  const { entry } = JSON.parse(body) as { entry: Notified['entries'] };
  const status = entry[0]?.resource ?? {};
  const entries = entry.slice(1);
  if (release === 'r4b') {
    const events = (status['notificationEvent'] ?? []) as {
      eventNumber: string;
      focus?: { reference: string };
    }[];
    return {
      type: String(status['type']),
      status: String(status['status']),
      numbers: events.map(({ eventNumber }) => Number(eventNumber)),
      focus: events.map(({ focus }) => focus?.reference),
      entries,
    };
  }
  const parameters = status['parameter'] as readonly Parameter[];
  const find = (some: readonly Parameter[] | undefined, name: string): Parameter | undefined =>
    some?.find((one) => one.name === name);
  const events = parameters.filter(({ name }) => name === 'notification-event');
  return {
    type: find(parameters, 'type')?.valueCode ?? '',
    status: find(parameters, 'status')?.valueCode ?? '',
    numbers: events.map(({ part }) => Number(find(part, 'event-number')?.valueString)),
    focus: events.map(({ part }) => find(part, 'focus')?.valueReference?.reference),
    entries,
  };
}
