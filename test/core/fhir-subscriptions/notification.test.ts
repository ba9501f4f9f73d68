import {
  notificationBundle,
  statusBundle,
  statusResource,
} from '../../../src/core/operations/notification-text';
import { type Notification, type NotifiedEvent } from '../../../src/core/api/notification';
import { errorsOf } from '../fhir/validate/judged';
import { TESTED_RELEASES } from '../../support/releases';

const ROOT = 'https://fhir.example/w/ward/api/v1/fhir/r4';
const TOPIC = 'http://hospital.example/SubscriptionTopic/admission';
const PATIENT = `{"resourceType":"Patient","id":"ann","name":[{"family":"Larsen"}]}`;
/** The digits of a decimal must survive. */
const OBSERVATION = `{"resourceType":"Observation","id":"weight","status":"final","code":{"text":"Weight"},"valueQuantity":{"value":70.00}}`;

type Focus = NonNullable<NotifiedEvent['focus']>;

const focusOn = (reference: string, change: Focus['change'], text?: string): Focus => ({
  fullUrl: `${ROOT}/${reference}`,
  reference,
  change,
  ...(text === undefined ? {} : { text }),
});

const EVENTS: readonly NotifiedEvent[] = [
  {
    number: 3,
    timestamp: '2024-05-29T11:44:13.188Z',
    focus: focusOn('Observation/weight', 'create', OBSERVATION),
    context: [{ fullUrl: `${ROOT}/Patient/ann`, reference: 'Patient/ann', text: PATIENT }],
  },
  {
    number: 4,
    timestamp: '2024-05-29T11:44:14.188Z',
    focus: focusOn('Observation/weight', 'update', OBSERVATION),
    context: [{ fullUrl: `${ROOT}/Patient/ann`, reference: 'Patient/ann', text: PATIENT }],
  },
];

const DELETION: NotifiedEvent = {
  number: 5,
  timestamp: '2024-05-29T11:44:15.188Z',
  focus: focusOn('Observation/weight', 'delete', OBSERVATION),
};

const ERASED: NotifiedEvent = { number: 6, timestamp: '2024-05-29T11:44:16.188Z' };

const notification = (members: Partial<Notification> = {}): Notification => ({
  type: 'event-notification',
  status: 'active',
  subscription: { fullUrl: `${ROOT}/Subscription/admissions`, id: 'admissions' },
  topic: TOPIC,
  content: 'id-only',
  eventsSinceStart: 4,
  events: EVENTS,
  ...members,
});

interface Reference {
  readonly reference: string;
}
interface Parameter {
  readonly name: string;
  readonly valueCode?: string;
  readonly valueString?: string;
  readonly valueReference?: Reference;
  readonly part?: readonly Parameter[];
}
interface Resource {
  readonly resourceType: string;
  readonly id: string;
  readonly parameter?: readonly Parameter[];
}
interface Entry {
  readonly fullUrl: string;
  readonly resource?: Resource;
  readonly request?: { readonly method: string; readonly url: string };
  readonly response?: { readonly status: string };
}
interface Bundle {
  readonly type: string;
  readonly timestamp: string;
  readonly meta: unknown;
  readonly entry: readonly [Entry, ...Entry[]];
}

const bundleOf = (given: Notification, release: 'r4' | 'r4b' = 'r4'): Bundle =>
  JSON.parse(notificationBundle(release, given)) as Bundle;

const requestsOf = ({ entry }: Bundle): string[] =>
  entry.slice(1).map(({ request, response }) => `${request?.method} ${request?.url} ${response?.status}`);

const named = (parameters: readonly Parameter[] | undefined, name: string): Parameter[] =>
  (parameters ?? []).filter((parameter) => parameter.name === name);

/** The checks of Inferno's subscriptions-test-kit 0.12.1 for R4 notifications, restated. */
function infernoFaults(bundle: Bundle, { type, status, content, subscription }: Notification): string[] {
  const faults: string[] = [];
  const [first, ...others] = bundle.entry;
  const require = (isMet: boolean, fault: string): void => {
    if (!isMet) faults.push(fault);
  };
  require(bundle.type === 'history', 'is no history Bundle');
  for (const { request, response } of bundle.entry)
    require(request !== undefined && response !== undefined, 'an entry lacks request or response');
  require(first.request?.url.endsWith(`Subscription/${subscription.id}/$status`) === true, 'is no $status');
  require(first.resource?.resourceType === 'Parameters', 'the first entry is no Parameters');
  const parameters = first.resource?.parameter;
  require(named(parameters, 'type')[0]?.valueCode === type, 'has another type');
  require(named(parameters, 'status')[0]?.valueCode === status, 'has another status');
  if (type !== 'event-notification') return faults;
  const hasTopic = named(parameters, 'topic').length > 0;
  const events = named(parameters, 'notification-event');
  require(events.length > 0, 'has no events');
  const references = (name: string): string[] =>
    events.flatMap(({ part }) =>
      named(part, name).map(({ valueReference }) => valueReference?.reference ?? ''),
    );
  const focuses = references('focus');
  switch (content) {
    case 'empty':
      require(!hasTopic, 'has a topic');
      require(others.length === 0, 'has further entries');
      require([...focuses, ...references('additional-context')].length === 0, 'has references');
      break;
    case 'id-only':
      require(focuses.length === events.length, 'an event has no focus');
      for (const { resource, fullUrl } of others) {
        require(resource === undefined, 'an entry has a resource');
        require(fullUrl !== '', 'an entry has no fullUrl');
      }
      break;
    case 'full-resource': {
      require(hasTopic, 'has no topic');
      require(focuses.length === events.length, 'an event has no focus');
      const sent = others.map(({ resource }) => `${resource?.resourceType}/${resource?.id}`);
      for (const reference of [...focuses, ...references('additional-context')])
        require(sent.some((address) => reference.includes(address)), `${reference} has no entry`);
    }
  }
  return faults;
}

const HANDSHAKE = notification({ type: 'handshake', status: 'requested', eventsSinceStart: 0 });
const HEARTBEAT = notification({ type: 'heartbeat' });

describe('notifications that Inferno receives', () => {
  it.each<[string, Notification]>([
    ['a handshake', HANDSHAKE],
    ['a heartbeat', HEARTBEAT],
    ['events with empty content', notification({ content: 'empty' })],
    ['events with ids', notification()],
    ['events with resources', notification({ content: 'full-resource' })],
  ])('%s passes its checks', (_title, given) => {
    expect(infernoFaults(bundleOf(given), given)).toEqual([]);
  });

  it('fail if something is missing, so that the checks are known to work', () => {
    const full = notification({ content: 'full-resource' });
    const ids = notification();
    expect(infernoFaults(bundleOf(ids), full)).not.toEqual([]);
    expect(infernoFaults(bundleOf(full), ids)).not.toEqual([]);
    expect(infernoFaults(bundleOf(ids), notification({ content: 'empty' }))).not.toEqual([]);
    expect(infernoFaults(bundleOf(HEARTBEAT), ids)).not.toEqual([]);
  });
});

describe.each(TESTED_RELEASES)('what the server sends in %s', (release) => {
  const contents = ['empty', 'id-only', 'full-resource'] as const;
  const types = ['handshake', 'heartbeat', 'event-notification', 'query-status', 'query-event'] as const;

  it.each(contents)('with content %s is valid FHIR', (content) => {
    for (const type of types) {
      const given = notification({
        type,
        content,
        events: [...EVENTS, DELETION, ERASED],
        error: 'no answer',
      });
      expect(errorsOf(notificationBundle(release, given), { release, isFull: true })).toEqual([]);
      expect(errorsOf(statusResource(release, given), { release, isFull: true })).toEqual([]);
    }
  });

  it('about the status of subscriptions is valid FHIR', () => {
    for (const given of [[], [notification()], [notification(), HANDSHAKE]])
      expect(errorsOf(statusBundle(release, given), { release, isFull: true })).toEqual([]);
  });

  it('names the profile of the guide and the time', () => {
    const before = Date.now();
    const { meta, timestamp } = bundleOf(notification(), release);
    const profile = {
      r4: 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/backport-subscription-notification-r4',
      r4b: 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/backport-subscription-notification',
    }[release];
    expect(meta).toEqual({ profile: [profile] });
    expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before);
  });

  it('begins with the status under a name of its own', () => {
    const [{ fullUrl, resource, request, response }] = bundleOf(notification(), release).entry;
    expect(fullUrl).toBe(`urn:uuid:${resource?.id}`);
    expect(request).toEqual({ method: 'GET', url: `${ROOT}/Subscription/admissions/$status` });
    expect(response).toEqual({ status: '200' });
    expect(bundleOf(notification(), release).entry[0].fullUrl).not.toBe(fullUrl);
  });

  it('tells how each change came about', () => {
    const given = notification({ events: [...EVENTS, DELETION] });
    const requests = [
      'POST Observation 201',
      'GET Patient/ann 200',
      'PUT Observation/weight 200',
      'DELETE Observation/weight 204',
    ];
    expect(requestsOf(bundleOf(given, release))).toEqual(requests);
    expect(requestsOf(bundleOf({ ...given, content: 'full-resource' }, release))).toEqual(requests);
    expect(requestsOf(bundleOf({ ...given, content: 'empty' }, release))).toEqual([]);
  });

  it('has the resources as they are stored, and none of a deletion', () => {
    const given = notification({ content: 'full-resource', events: [...EVENTS, DELETION] });
    expect(notificationBundle(release, given)).toContain(`"resource":${OBSERVATION},"request"`);
    const { entry } = bundleOf(given, release);
    expect(entry.slice(1).map(({ resource }) => resource?.resourceType)).toEqual([
      'Observation',
      'Patient',
      'Observation',
      undefined,
    ]);
    expect(notificationBundle(release, notification())).not.toContain('Larsen');
  });

  it('has nothing but number and time of an event whose resource is gone', () => {
    const context = EVENTS[0]?.context ?? [];
    const text = notificationBundle(release, notification({ events: [{ ...ERASED, context }] }));
    expect(text).toContain('"6"');
    expect(text).not.toContain('Patient/ann');
    expect((JSON.parse(text) as Bundle).entry).toHaveLength(1);
  });

  it('tells with empty content neither topic nor resources', () => {
    const text = notificationBundle(release, notification({ content: 'empty' }));
    expect(text).not.toContain(TOPIC);
    expect(text).not.toMatch(/Observation|Patient/);
    expect(text).toContain('2024-05-29T11:44:14.188Z');
  });

  it('has no events in a handshake or heartbeat', () => {
    for (const given of [HANDSHAKE, HEARTBEAT])
      expect(notificationBundle(release, given)).not.toMatch(/Observation|notification-?event"/i);
  });

  it('answers for each subscription with its status', () => {
    const { entry } = JSON.parse(
      statusBundle(release, [notification({ status: 'error' }), HEARTBEAT]),
    ) as Bundle;
    const text = JSON.stringify(entry);
    expect(entry).toHaveLength(2);
    expect(text.match(/query-status/g)).toHaveLength(2);
    expect(text.match(/"mode":"match"/g)).toHaveLength(2);
    expect(JSON.parse(statusBundle(release, []))).toEqual({
      resourceType: 'Bundle',
      type: 'searchset',
      total: 0,
    });
  });
});

describe('the status', () => {
  it('is a Parameters with the names of the guide in R4', () => {
    const [event] = EVENTS;
    const text = statusResource('r4', notification({ events: event ? [event] : [], error: 'no answer' }));
    expect(JSON.parse(text)).toEqual({
      resourceType: 'Parameters',
      id: expect.any(String),
      meta: {
        profile: [
          'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/backport-subscription-status-r4',
        ],
      },
      parameter: [
        { name: 'subscription', valueReference: { reference: `${ROOT}/Subscription/admissions` } },
        { name: 'topic', valueCanonical: TOPIC },
        { name: 'status', valueCode: 'active' },
        { name: 'type', valueCode: 'event-notification' },
        { name: 'events-since-subscription-start', valueString: '4' },
        {
          name: 'notification-event',
          part: [
            { name: 'event-number', valueString: '3' },
            { name: 'timestamp', valueInstant: '2024-05-29T11:44:13.188Z' },
            { name: 'focus', valueReference: { reference: `${ROOT}/Observation/weight` } },
            { name: 'additional-context', valueReference: { reference: `${ROOT}/Patient/ann` } },
          ],
        },
        { name: 'error', valueCodeableConcept: { text: 'no answer' } },
      ],
    });
  });

  it('is a SubscriptionStatus in R4B', () => {
    const text = statusResource(
      'r4b',
      notification({ events: [...EVENTS.slice(0, 1), ERASED], error: 'no answer' }),
    );
    expect(JSON.parse(text)).toEqual({
      resourceType: 'SubscriptionStatus',
      id: expect.any(String),
      status: 'active',
      type: 'event-notification',
      eventsSinceSubscriptionStart: '4',
      notificationEvent: [
        {
          eventNumber: '3',
          timestamp: '2024-05-29T11:44:13.188Z',
          focus: { reference: `${ROOT}/Observation/weight` },
          additionalContext: [{ reference: `${ROOT}/Patient/ann` }],
        },
        { eventNumber: '6', timestamp: '2024-05-29T11:44:16.188Z' },
      ],
      subscription: { reference: `${ROOT}/Subscription/admissions` },
      topic: TOPIC,
      error: [{ text: 'no answer' }],
    });
  });

  it('of a classic subscription has no topic', () => {
    const given = notification({ topic: undefined, events: [], content: 'full-resource' });
    expect(statusResource('r4', given)).not.toContain('"topic"');
    expect(statusResource('r4b', given)).not.toContain('"topic"');
  });
});
