import type { Issue } from '../../../src/core/errors';
import type { JsonObject } from '../../../src/core/fhir/json';
import type { Release } from '../../../src/core/fhir/release';
import {
  isMaskedHeader,
  maskHeader,
  MASKED_VALUE,
  readSubscription,
  type SubscriptionRequest,
} from '../../../src/core/fhir/subscription/subscription-request';
import { errorsOf } from '../fhir/validate/judged';

const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/backport-';
const TOPIC = 'http://hospital.example/SubscriptionTopic/admission';

const extension = (name: string, value: object): JsonObject => ({ url: BACKPORT + name, ...value });
const filter = (valueString: string): JsonObject => extension('filter-criteria', { valueString });
const content = (valueCode: string): JsonObject => ({
  extension: [extension('payload-content', { valueCode })],
});

const CHANNEL: JsonObject = {
  type: 'rest-hook',
  endpoint: 'https://client.example/notifications?tenant=7',
  payload: 'application/fhir+json',
};

const subscription = (members: JsonObject, channel: JsonObject = {}): JsonObject => ({
  resourceType: 'Subscription',
  status: 'requested',
  reason: 'Admissions to the ward',
  ...members,
  channel: { ...CHANNEL, ...channel },
});

const topicBased = (channel: JsonObject = {}, members: JsonObject = {}): JsonObject =>
  subscription({ criteria: TOPIC, ...members }, channel);
const filtered = (...filters: JsonObject[]): JsonObject =>
  topicBased({}, { _criteria: { extension: filters } });
const classic = (criteria: string, channel: JsonObject = {}, members: JsonObject = {}): JsonObject =>
  subscription({ criteria, ...members }, channel);

const accepted = (resource: JsonObject, release: Release = 'r4'): SubscriptionRequest => {
  const result = readSubscription(resource, release);
  if ('issues' in result) throw new Error(JSON.stringify(result.issues));
  return result.request;
};

const issuesOf = (resource: JsonObject, release: Release = 'r4'): readonly Issue[] => {
  const result = readSubscription(resource, release);
  return 'issues' in result ? result.issues : [];
};

/** The places that are refused. */
const refused = (resource: JsonObject, release: Release = 'r4'): (string | undefined)[] =>
  issuesOf(resource, release).map(({ expression }) => expression);

describe('a topic-based Subscription', () => {
  it('is read as the guide writes it', () => {
    const resource = topicBased(
      {
        extension: [
          extension('heartbeat-period', { valueUnsignedInt: 86400 }),
          extension('timeout', { valueUnsignedInt: 60 }),
          extension('max-count', { valuePositiveInt: 20 }),
        ],
        header: ['Authorization: Bearer secret', 'X-Ward:\tintensive care'],
        _payload: content('id-only'),
      },
      {
        end: '2020-12-31T12:00:00Z',
        _criteria: { extension: [filter('Encounter?patient=Patient/123')] },
      },
    );
    expect(errorsOf(resource)).toEqual([]);
    expect(accepted(resource)).toEqual({
      kind: 'topic',
      topic: TOPIC,
      criteria: undefined,
      filters: [
        {
          type: 'Encounter',
          parameter: 'patient',
          value: 'Patient/123',
          expression: 'Subscription.criteria.extension[0]',
        },
      ],
      channel: 'rest-hook',
      endpoint: 'https://client.example/notifications?tenant=7',
      headers: ['Authorization: Bearer secret', 'X-Ward:\tintensive care'],
      mime: 'application/fhir+json',
      content: 'id-only',
      heartbeatSeconds: 86400,
      timeoutSeconds: 60,
      maxCount: 20,
      end: Date.UTC(2020, 11, 31, 12),
      classicMethod: 'PUT',
    });
  });

  it('has empty content and no limits unless it asks for more', () => {
    expect(accepted(topicBased())).toMatchObject({
      filters: [],
      headers: [],
      content: 'empty',
      heartbeatSeconds: undefined,
      timeoutSeconds: undefined,
      maxCount: undefined,
      end: undefined,
    });
  });

  it.each([
    `${TOPIC}|1.0`,
    'https://hospital.example/topic',
    'urn:uuid:5b3c2f5e-8f3a-4a67-9f0c-2b1f5f1f0d11',
  ])('may name its topic %s', (criteria) => {
    expect(accepted(topicBased({}, { criteria })).topic).toBe(criteria);
  });

  it('cannot have a topic with blanks', () => {
    expect(refused(topicBased({}, { criteria: `${TOPIC} or another` }))).toEqual(['Subscription.criteria']);
  });
});

describe('a filter', () => {
  const filtersOf = (...filters: string[]) =>
    accepted(filtered(...filters.map(filter))).filters.map(({ type, parameter, value }) => [
      type,
      parameter,
      value,
    ]);

  it('can be written in each of the forms in use', () => {
    expect(
      filtersOf(
        'patient=Patient/123',
        'code:in=http://hospital.example/ValueSet/wards|2',
        'Encounter.patient=Patient/123',
        'Observation.code:not=1234-5',
        'Observation?code=1234-5&date=ge2024-01-01',
        'subject:Patient.name=Ann',
      ),
    ).toEqual([
      [undefined, 'patient', 'Patient/123'],
      [undefined, 'code:in', 'http://hospital.example/ValueSet/wards|2'],
      ['Encounter', 'patient', 'Patient/123'],
      ['Observation', 'code:not', '1234-5'],
      ['Observation', 'code', '1234-5'],
      ['Observation', 'date', 'ge2024-01-01'],
      [undefined, 'subject:Patient.name', 'Ann'],
    ]);
  });

  it('is percent-decoded', () => {
    expect(filtersOf('Patient?name=M%C3%BCller%20%26%20Sons')).toEqual([
      ['Patient', 'name', 'Müller & Sons'],
    ]);
  });

  it('is reported at the extension that holds it', () => {
    const { filters } = accepted(filtered(filter('a=1&b=2'), filter('c=3')));
    expect(filters.map(({ expression }) => expression)).toEqual([
      'Subscription.criteria.extension[0]',
      'Subscription.criteria.extension[0]',
      'Subscription.criteria.extension[1]',
    ]);
  });

  it.each([
    '',
    'patient',
    'patient=',
    '=x',
    'Encounter?',
    '?patient=1',
    'encounter?patient=1',
    'a b=1',
    'name=%E4',
  ])("is refused as '%s'", (text) => {
    const issues = issuesOf(filtered(filter('status=final'), filter(text)));
    expect(new Set(issues.map(({ expression }) => expression))).toEqual(
      new Set(['Subscription.criteria.extension[1]']),
    );
  });

  it('must be a string', () => {
    expect(refused(filtered(extension('filter-criteria', { valueCode: 'patient' })))).toEqual([
      'Subscription.criteria.extension[0]',
    ]);
  });

  it('can occur 20 times, however they are written', () => {
    const conditions = (count: number): string => Array.from({ length: count }, () => 'code=1').join('&');
    expect(accepted(filtered(filter(`Observation?${conditions(19)}`), filter('a=1'))).filters).toHaveLength(
      20,
    );
    expect(refused(filtered(filter(`Observation?${conditions(20)}`), filter('a=1')))).toEqual([
      'Subscription.criteria',
    ]);
    expect(refused(filtered(...Array.from({ length: 21 }, () => filter('a=1'))))).toEqual([
      'Subscription.criteria',
    ]);
  });

  it('is refused at once if it has very many conditions', () => {
    expect(refused(filtered(filter(`Observation?${'a=1&'.repeat(300_000)}`)))).toEqual([
      'Subscription.criteria.extension[0]',
    ]);
  });

  it.each([
    'http://hl7.org/fhir/5.0/subscriptions-backport/StructureDefinition/backport-filter-criteria',
    'http://hl7.org/fhir/5.0/StructureDefinition/extension-Subscription.filterBy',
    'http://hospital.example/StructureDefinition/filter',
  ])('cannot be the extension %s', (url) => {
    const other = { url, valueString: 'Encounter?patient=Patient/123' };
    expect(refused(filtered(other))).toEqual(['Subscription.criteria.extension[0]']);
    expect(refused(classic('Encounter', {}, { _criteria: { extension: [other] } }))).toEqual([
      'Subscription.criteria.extension[0]',
    ]);
  });
});

describe('a classic Subscription', () => {
  it('has a search as its criteria', () => {
    const resource = classic('Observation?code=http%3A%2F%2Floinc.org%7C1975-2&date:missing=false');
    expect(errorsOf(resource)).toEqual([]);
    expect(accepted(resource)).toMatchObject({
      kind: 'classic',
      topic: undefined,
      criteria: {
        type: 'Observation',
        parameters: [
          ['code', 'http://loinc.org|1975-2'],
          ['date:missing', 'false'],
        ],
      },
      filters: [],
      content: 'full-resource',
      classicMethod: 'PUT',
    });
  });

  it('can be about all resources of a type', () => {
    expect(accepted(classic('Patient')).criteria).toEqual({ type: 'Patient', parameters: [] });
    expect(accepted(classic('Patient?')).criteria).toEqual({ type: 'Patient', parameters: [] });
  });

  it('needs no payload and then sends nothing', () => {
    const { payload: _payload, ...channel } = CHANNEL;
    const resource = { ...classic('Patient'), channel };
    expect(accepted(resource)).toMatchObject({ mime: undefined, content: 'empty' });
    const socket = classic('Patient', { type: 'websocket' });
    expect(accepted(socket)).toMatchObject({ content: 'empty' });
  });

  it('can choose the method by which resources are sent', () => {
    const withMethod = (value: object): JsonObject =>
      classic('Patient', {
        extension: [
          { url: 'https://andiron.example/fhir/StructureDefinition/subscription-method', ...value },
        ],
      });
    expect(accepted(withMethod({ valueCode: 'post' })).classicMethod).toBe('POST');
    expect(accepted(withMethod({ valueCode: 'put' })).classicMethod).toBe('PUT');
    expect(refused(withMethod({ valueCode: 'patch' }))).toEqual(['Subscription.channel.extension[0]']);
  });

  it.each([
    '',
    '/Patient',
    'patient?name=Ann',
    'ftp://hospital.example/topic',
    'Patient?name',
    'Patient?na me=1',
    'Patient?name=%E4',
  ])("is refused with the criteria '%s'", (criteria) => {
    expect(refused(classic(criteria))).toEqual(['Subscription.criteria']);
  });

  it('has at most 20 search parameters', () => {
    const query = Array.from({ length: 21 }, () => 'name=Ann').join('&');
    expect(refused(classic(`Patient?${query}`))).toEqual(['Subscription.criteria']);
  });

  it('has no filters and no content level', () => {
    const resource = classic(
      'Patient',
      { _payload: content('id-only') },
      { _criteria: { extension: [filter('name=Ann')] } },
    );
    expect(refused(resource)).toEqual([
      'Subscription.criteria.extension[0]',
      'Subscription.channel.payload.extension[0]',
    ]);
  });
});

describe('the channel', () => {
  it.each(['email', 'sms', 'message'])('%s is refused by its name', (type) => {
    expect(issuesOf(topicBased({ type }))).toEqual([
      {
        severity: 'error',
        code: 'not-supported',
        diagnostics: `The channel '${type}' is not supported; allowed are rest-hook and websocket`,
        expression: 'Subscription.channel.type',
      },
    ]);
  });

  it('cannot be one that the release does not have', () => {
    const valueCoding = { system: 'http://example.org/subscription-channel-type', code: 'zulip' };
    const resource = topicBased({ _type: { extension: [extension('channel-type', { valueCoding })] } });
    expect(refused(resource)).toEqual(['Subscription.channel.type.extension[0]']);
  });

  it('must exist', () => {
    expect(refused({ resourceType: 'Subscription', criteria: 'Patient' })).toEqual([
      'Subscription.channel.type',
    ]);
  });

  it('websocket ignores the endpoint', () => {
    expect(accepted(topicBased({ type: 'websocket', endpoint: 'anything' }))).toMatchObject({
      channel: 'websocket',
      endpoint: undefined,
    });
  });
});

describe('the payload', () => {
  it.each([
    'application/fhir+json',
    'application/json',
    'Application/FHIR+JSON; charset=UTF-8',
    'application/fhir+json; fhirVersion=4.0; charset="utf-8"',
  ])('can be %s', (payload) => {
    expect(accepted(topicBased({ payload })).mime).toBe(payload);
    expect(accepted(classic('Patient', { payload })).mime).toBe(payload);
  });

  it('can have the version of its own release only', () => {
    const payload = 'application/fhir+json; fhirVersion=4.3';
    expect(accepted(topicBased({ payload }), 'r4b').mime).toBe(payload);
    expect(refused(topicBased({ payload }))).toEqual(['Subscription.channel.payload']);
    expect(refused(topicBased({ payload: 'application/json;fhirVersion=4.0' }), 'r4b')).toEqual([
      'Subscription.channel.payload',
    ]);
  });

  it.each([
    'application/fhir+xml',
    'application/xml',
    'text/plain',
    'json',
    'full-resource',
    'application/json, text/plain',
    'application/json; charset=latin1',
    'application/json; charset=utf-8; charset=utf-8',
    'application/json; q=0.5',
    'application/json; boundary=x',
    'application/json; x\r\nX-Injected: 1',
    'application/json\n',
  ])('cannot be %j', (payload) => {
    expect(refused(topicBased({ payload }))).toEqual(['Subscription.channel.payload']);
    expect(refused(classic('Patient', { payload }))).toEqual(['Subscription.channel.payload']);
  });

  it('must exist for a topic', () => {
    const { payload: _payload, ...channel } = CHANNEL;
    expect(refused({ ...topicBased(), channel })).toEqual(['Subscription.channel.payload']);
  });

  it.each(['empty', 'id-only', 'full-resource'])('can have the content level %s', (level) => {
    expect(accepted(topicBased({ _payload: content(level) })).content).toBe(level);
  });

  it('cannot have another content level, or two', () => {
    expect(refused(topicBased({ _payload: content('everything') }))).toEqual([
      'Subscription.channel.payload.extension[0]',
    ]);
    const two = {
      extension: ['empty', 'id-only'].map((valueCode) => extension('payload-content', { valueCode })),
    };
    expect(refused(topicBased({ _payload: two }))).toEqual(['Subscription.channel.payload.extension[1]']);
  });
});

describe('heartbeat, timeout and maximum count', () => {
  const withExtension = (name: string, value: object): JsonObject =>
    topicBased({ extension: [extension(name, value)] });

  it('begin with one', () => {
    expect(accepted(withExtension('heartbeat-period', { valueUnsignedInt: 1 })).heartbeatSeconds).toBe(1);
    expect(accepted(withExtension('timeout', { valueUnsignedInt: 1 })).timeoutSeconds).toBe(1);
    expect(accepted(withExtension('max-count', { valuePositiveInt: 1 })).maxCount).toBe(1);
  });

  it('have a timeout of at most a minute', () => {
    expect(accepted(withExtension('timeout', { valueUnsignedInt: 3600 })).timeoutSeconds).toBe(60);
  });

  it.each<[string, object]>([
    ['heartbeat-period', { valueUnsignedInt: 0 }],
    ['heartbeat-period', { valuePositiveInt: 60 }],
    ['heartbeat-period', { valueUnsignedInt: '60' }],
    ['timeout', { valueUnsignedInt: 0 }],
    ['timeout', { valueUnsignedInt: 1.5 }],
    ['max-count', { valuePositiveInt: 0 }],
    ['max-count', { valueUnsignedInt: 5 }],
    ['max-count', { valuePositiveInt: 2 ** 31 }],
  ])('%s cannot be %j', (name, value) => {
    expect(refused(withExtension(name, value))).toEqual(['Subscription.channel.extension[0]']);
  });
});

describe('the endpoint of a rest-hook', () => {
  it.each([
    'http://client.example',
    'https://client.example:8443/hook/fhir?token=abc%20d&mail=a@b.example',
    'https://[2001:db8::1]/hook',
    `https://client.example/${'a'.repeat(1977)}`,
  ])('can be %s', (endpoint) => {
    expect(accepted(topicBased({ endpoint })).endpoint).toBe(endpoint);
  });

  it.each([
    '/hook',
    'client.example/hook',
    'ftp://client.example/hook',
    'https:client.example',
    'https://',
    'https://client.example/with blank',
    'https://client.example/\nhook',
    'https://client.example\\@other.example/',
    'https://clïent.example/hook',
    'https://user@client.example/hook',
    'https://user:password@client.example/hook',
    'https://@client.example/hook',
    'https://client.example/hook#part',
    'https://client.example/hook#',
    `https://client.example/${'a'.repeat(1978)}`,
  ])('cannot be %j', (endpoint) => {
    expect(refused(topicBased({ endpoint }))).toEqual(['Subscription.channel.endpoint']);
  });

  it('must exist', () => {
    const { endpoint: _endpoint, ...channel } = CHANNEL;
    expect(refused({ ...topicBased(), channel })).toEqual(['Subscription.channel.endpoint']);
    expect(refused({ ...classic('Patient'), channel })).toEqual(['Subscription.channel.endpoint']);
  });

  it('is not repeated in an error, because it may hold a token', () => {
    const [issue] = issuesOf(topicBased({ endpoint: 'https://me:secret@client.example' }));
    expect(issue?.diagnostics).not.toContain('secret');
  });
});

describe('headers', () => {
  it.each([
    'Host: other.example',
    'content-length: 5',
    'CONNECTION: close',
    'Transfer-Encoding: chunked',
    'Keep-Alive: timeout=5',
    'Upgrade: h2c',
    'TE: trailers',
    'Trailer: Expires',
    'Expect: 100-continue',
    'Content-Type: text/plain',
    'Content-Encoding: gzip',
    'Proxy-Authorization: Basic secret',
    'No colon and a secret',
    'Blank before : secret',
    ': secret',
    'Línea: secret',
    'X-Split: secret\r\nX-Injected: 1',
    'X-Split: secret\n',
    'X-Nul: secret\0',
    'X-Umlaut: sécret',
  ])('%j is refused, and its value is not repeated', (header) => {
    const issues = issuesOf(topicBased({ header: ['X-Fine: yes', header] }));
    expect(issues.map(({ expression }) => expression)).toEqual(['Subscription.channel.header[1]']);
    expect(issues[0]?.diagnostics).not.toMatch(/s[eé]cret|other\.example|chunked|gzip/);
  });

  it.each(['Authorization: Bearer abc', 'X-Empty:', "x!#$%&'*+.^_`|~-:1", 'X-Te: 1', 'Hosts: a:b'])(
    '%j is accepted',
    (header) => {
      expect(accepted(topicBased({ header: [header] })).headers).toEqual([header]);
    },
  );

  it('have at most 4096 bytes together', () => {
    const header = `X-Half: ${'a'.repeat(2040)}`;
    expect(accepted(topicBased({ header: [header, header] })).headers).toHaveLength(2);
    expect(refused(topicBased({ header: [header, `${header}a`] }))).toEqual(['Subscription.channel.header']);
  });

  it('show only their names when they are masked', () => {
    expect(maskHeader('Authorization: Bearer a:b')).toBe('Authorization: ***');
    expect(maskHeader('X-Empty:')).toBe('X-Empty: ***');
    expect(maskHeader('Bearer abc')).toBe(MASKED_VALUE);
    expect(maskHeader('Bearer abc: d')).toBe(MASKED_VALUE);
  });

  it('are recognized when a client sends the masked ones back', () => {
    for (const header of ['Authorization: Bearer abc', 'Bearer abc', '']) {
      expect(isMaskedHeader(header)).toBe(false);
      expect(isMaskedHeader(maskHeader(header))).toBe(true);
      expect(maskHeader(maskHeader(header))).toBe(maskHeader(header));
    }
    expect(isMaskedHeader('Authorization:***')).toBe(true);
    expect(isMaskedHeader('X-Stars: ****')).toBe(true);
    expect(isMaskedHeader('If-None-Match: *')).toBe(false);
    expect(isMaskedHeader('X-Stars: **')).toBe(false);
    expect(isMaskedHeader('X-Stars: *** *')).toBe(false);
  });
});

describe('a Subscription with several faults', () => {
  it('is told all of them, each with its place and as a rule of this server', () => {
    const issues = issuesOf(
      topicBased(
        {
          endpoint: 'nowhere',
          payload: 'text/plain',
          header: ['Host: a'],
          extension: [extension('timeout', {})],
        },
        { end: 'tomorrow', _criteria: { extension: [filter('patient')] } },
      ),
    );
    expect(issues.map(({ expression }) => expression).sort()).toEqual([
      'Subscription.channel.endpoint',
      'Subscription.channel.extension[0]',
      'Subscription.channel.header[0]',
      'Subscription.channel.payload',
      'Subscription.criteria.extension[0]',
      'Subscription.end',
    ]);
    expect(new Set(issues.map(({ code }) => code))).toEqual(new Set(['business-rule', 'not-supported']));
  });
});
