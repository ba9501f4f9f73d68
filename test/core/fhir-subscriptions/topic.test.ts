import { loadDefinitions } from '../../../src/core/fhir/definitions';
import type { JsonObject } from '../../../src/core/fhir/json';
import { RELEASE_NAMES, type Release } from '../../../src/core/fhir/release';
import {
  builtInTopic,
  mayFilter,
  TOPIC_BASE,
  topicUrlOf,
  type Interaction,
  type Topic,
  type TopicQuery,
  type TopicTrigger,
} from '../../../src/core/topics/topic';
import { holds, holdsPath, parseTopicQuery, topicPathFault } from '../../../src/core/topics/topic-criteria';
import { isTopicResource, readTopic } from '../../../src/core/topics/topic-resource';

const URL = 'http://hl7.org/fhir/uv/subscriptions-backport/SubscriptionTopic/encounter-complete';
const PATH = "(%previous.id.empty() or (%previous.status != 'finished')) and (%current.status = 'finished')";

/** The completed encounter of the backport guide, without its FHIRPath. */
function r4bTopic(more: JsonObject = {}, trigger: JsonObject = {}): JsonObject {
  return {
    resourceType: 'SubscriptionTopic',
    id: 'r4b-encounter-complete',
    url: URL,
    version: '1.2.0',
    title: 'Encounter complete',
    status: 'active',
    resourceTrigger: [
      {
        description: 'Triggered when an encounter is completed.',
        resource: 'Encounter',
        supportedInteraction: ['create', 'update'],
        queryCriteria: {
          previous: 'status:not=finished',
          resultForCreate: 'test-passes',
          current: 'status=finished',
          resultForDelete: 'test-fails',
          requireBoth: true,
        },
        ...trigger,
      },
    ],
    canFilterBy: [
      { description: 'By subject', resource: 'Encounter', filterParameter: 'subject' },
      { resource: 'Encounter', filterParameter: 'patient', modifier: ['=', 'in', 'not-in'] },
      { resource: 'Encounter', filterParameter: 'length', modifier: ['gt', 'lt', 'ge', 'le'] },
    ],
    notificationShape: [
      {
        resource: 'Encounter',
        include: ['Encounter:patient&iterate=Patient.link', 'Encounter:practitioner'],
        revInclude: ['Observation:encounter'],
      },
    ],
    ...more,
  };
}

const extensionUrl = (version: string, path: string): string =>
  `http://hl7.org/fhir/${version}/StructureDefinition/extension-SubscriptionTopic.${path}`;

/** The same topic in R4, with the versions that the guide's example has in the urls. */
function r4Topic(subUrl: (path: string) => string = (path) => path.replace(/^.*\./, '')): JsonObject {
  const of = (path: string, value: JsonObject): JsonObject => ({ url: subUrl(path), ...value });
  return {
    resourceType: 'Basic',
    id: 'r4-encounter-complete',
    code: { coding: [{ system: 'http://hl7.org/fhir/fhir-types', code: 'SubscriptionTopic' }] },
    modifierExtension: [{ url: extensionUrl('5.0', 'status'), valueCode: 'active' }],
    extension: [
      { url: extensionUrl('5.0', 'url'), valueUri: URL },
      { url: extensionUrl('5.0', 'version'), valueString: '1.2.0' },
      { url: extensionUrl('5.0', 'title'), valueString: 'Encounter complete' },
      {
        url: extensionUrl('4.3', 'resourceTrigger'),
        extension: [
          of('resourceTrigger.description', { valueMarkdown: 'Triggered when an encounter is completed.' }),
          of('resourceTrigger.resource', { valueUri: 'http://hl7.org/fhir/StructureDefinition/Encounter' }),
          of('resourceTrigger.supportedInteraction', { valueCode: 'create' }),
          of('resourceTrigger.supportedInteraction', { valueCode: 'update' }),
          of('resourceTrigger.queryCriteria', {
            extension: [
              of('resourceTrigger.queryCriteria.previous', { valueString: 'status:not=finished' }),
              of('resourceTrigger.queryCriteria.resultForCreate', { valueCode: 'test-passes' }),
              of('resourceTrigger.queryCriteria.current', { valueString: 'status=finished' }),
              of('resourceTrigger.queryCriteria.resultForDelete', { valueCode: 'test-fails' }),
              of('resourceTrigger.queryCriteria.requireBoth', { valueBoolean: true }),
            ],
          }),
          of('resourceTrigger.fhirPathCriteria', { valueString: PATH }),
        ],
      },
      {
        url: extensionUrl('4.3', 'canFilterBy'),
        extension: [
          of('canFilterBy.resource', { valueUri: 'Encounter' }),
          of('canFilterBy.filterParameter', { valueString: 'subject' }),
        ],
      },
      {
        url: extensionUrl('4.3', 'canFilterBy'),
        extension: [
          of('canFilterBy.resource', { valueUri: 'Encounter' }),
          of('canFilterBy.filterParameter', { valueString: 'patient' }),
          of('canFilterBy.modifier', { valueCode: 'in' }),
          of('canFilterBy.modifier', { valueCode: 'not-in' }),
        ],
      },
      {
        url: extensionUrl('4.3', 'canFilterBy'),
        extension: [
          of('canFilterBy.resource', { valueUri: 'Encounter' }),
          of('canFilterBy.filterParameter', { valueString: 'length' }),
          of('canFilterBy.comparator', { valueCode: 'gt' }),
        ],
      },
      {
        url: extensionUrl('4.3', 'notificationShape'),
        extension: [
          of('notificationShape.resource', { valueUri: 'Encounter' }),
          of('notificationShape.include', { valueString: 'Encounter:patient&iterate=Patient.link' }),
          of('notificationShape.include', { valueString: 'Encounter:practitioner' }),
          of('notificationShape.revInclude', { valueString: 'Observation:encounter' }),
        ],
      },
    ],
  };
}

const EXPECTED: Topic = {
  url: URL,
  version: '1.2.0',
  title: 'Encounter complete',
  triggers: [
    {
      type: 'Encounter',
      interactions: new Set<Interaction>(['create', 'update']),
      query: {
        previous: 'status:not=finished',
        current: 'status=finished',
        resultForCreate: 'passes',
        resultForDelete: 'fails',
        requireBoth: true,
      },
      fhirPath: undefined,
    },
  ],
  filters: [
    { type: 'Encounter', parameter: 'subject', modifiers: undefined },
    { type: 'Encounter', parameter: 'patient', modifiers: ['in', 'not-in'] },
    { type: 'Encounter', parameter: 'length', modifiers: [] },
  ],
  shapes: [
    {
      type: 'Encounter',
      includes: ['Encounter:patient&iterate=Patient.link', 'Encounter:practitioner'],
      revIncludes: ['Observation:encounter'],
    },
  ],
  isBuiltIn: false,
};

function read(resource: JsonObject, release: Release = 'r4b'): ReturnType<typeof readTopic> {
  expect(isTopicResource(resource, release)).toBe(true);
  return readTopic(resource, release, loadDefinitions(release));
}

function topicOf(resource: JsonObject, release: Release = 'r4b'): Topic {
  const found = read(resource, release);
  if ('issues' in found) throw new Error(JSON.stringify(found.issues));
  return found.topic;
}

/** Diagnostics by their places. */
function faultsOf(resource: JsonObject, release: Release = 'r4b'): readonly (readonly [string, string])[] {
  const found = read(resource, release);
  if ('topic' in found) return [];
  return found.issues.map(({ expression = '', diagnostics }) => [expression, diagnostics] as const);
}

const TRIGGER = 'SubscriptionTopic.resourceTrigger[0]';

describe('a topic of the server', () => {
  it.each(RELEASE_NAMES)('exists for every resource type of %s', (release) => {
    const { resourceTypes } = loadDefinitions(release);
    for (const type of resourceTypes)
      expect(builtInTopic(topicUrlOf(type), resourceTypes)?.title).toContain(type);
    expect(builtInTopic(topicUrlOf('Encounter'), resourceTypes)).toMatchObject({
      url: `${TOPIC_BASE}/Encounter`,
      isBuiltIn: true,
      triggers: [{ type: 'Encounter', query: undefined }],
    });
  });

  it('does not exist for other urls, unknown types and versions', () => {
    const { resourceTypes } = loadDefinitions('r4');
    for (const url of [
      URL,
      TOPIC_BASE,
      topicUrlOf('Nothing'),
      topicUrlOf('Resource'),
      topicUrlOf('Patient|1'),
    ])
      expect(builtInTopic(url, resourceTypes)).toBeUndefined();
  });

  it('is notified of every create, update and delete', async () => {
    const topic = builtInTopic(topicUrlOf('Patient'), ['Patient']);
    const fail = (): boolean => {
      throw new Error('There is nothing to test');
    };
    for (const interaction of ['create', 'update', 'delete'] as const)
      expect(await holds(topic!.triggers[0]!, interaction, { previous: fail, current: fail })).toBe(true);
  });

  it('may be filtered by every search parameter of its type, but not by chains', () => {
    const topic = builtInTopic(topicUrlOf('Encounter'), ['Encounter'])!;
    expect(mayFilter(topic, undefined, 'status')).toBe(true);
    expect(mayFilter(topic, 'Encounter', 'status:not')).toBe(true);
    expect(mayFilter(topic, 'Patient', 'name')).toBe(false);
    expect(mayFilter(topic, undefined, 'subject:Patient.name')).toBe(false);
    expect(mayFilter(topic, undefined, '_has:Observation:encounter:code')).toBe(false);
  });
});

describe('a topic of a tenant', () => {
  it('is read from a SubscriptionTopic in R4B', () => {
    expect(read(r4bTopic())).toEqual({ isActive: true, topic: EXPECTED });
  });

  it('is read from a Basic in R4, with short urls inside of extensions', () => {
    expect(read(r4Topic(), 'r4')).toEqual({ isActive: true, topic: EXPECTED });
  });

  it('is read from a Basic in R4, with full urls inside of extensions', () => {
    expect(
      read(
        r4Topic((path) => extensionUrl('5.0', path)),
        'r4',
      ),
    ).toEqual({ isActive: true, topic: EXPECTED });
  });

  it('is not active while it is a draft', () => {
    expect(read(r4bTopic({ status: 'draft' }))).toEqual({ isActive: false, topic: EXPECTED });
    const draft = r4Topic();
    draft['modifierExtension'] = [{ url: extensionUrl('5.0', 'status'), valueCode: 'draft' }];
    expect(read(draft, 'r4').isActive).toBe(false);
  });

  it('is no other Basic, and no resource of the other release', () => {
    expect(isTopicResource(r4Topic(), 'r4b')).toBe(false);
    expect(isTopicResource(r4bTopic(), 'r4')).toBe(false);
    expect(
      isTopicResource({ resourceType: 'Basic', code: { coding: [{ code: 'SubscriptionTopic' }] } }, 'r4'),
    ).toBe(false);
    expect(isTopicResource({ resourceType: 'Basic', code: { text: 'referral' } }, 'r4')).toBe(false);
  });

  it('has all interactions if it names none', () => {
    const {
      queryCriteria: _none,
      supportedInteraction: _all,
      ...trigger
    } = (r4bTopic()['resourceTrigger'] as JsonObject[])[0]!;
    const [read] = topicOf(r4bTopic({ resourceTrigger: [trigger] })).triggers;
    expect(read).toEqual({
      type: 'Encounter',
      interactions: new Set(['create', 'update', 'delete']),
      query: undefined,
      fhirPath: undefined,
    });
  });

  it('has a trigger for each type if its resource is Resource', () => {
    const { resourceTypes } = loadDefinitions('r4b');
    const topic = topicOf(
      r4bTopic({
        resourceTrigger: [
          {
            resource: 'http://hl7.org/fhir/StructureDefinition/Resource',
            queryCriteria: { current: '_tag=urgent' },
          },
        ],
      }),
    );
    expect(topic.triggers.map(({ type }) => type)).toEqual(resourceTypes);
  });

  it('uses the search where it states its condition as FHIRPath too', () => {
    expect(topicOf(r4bTopic({}, { fhirPathCriteria: PATH })).triggers).toEqual(EXPECTED.triggers);
    const supported = { fhirPathCriteria: PATH, queryCriteria: { current: 'subject:Patient.name=Smith' } };
    expect(topicOf(r4bTopic({}, supported)).triggers).toMatchObject([{ query: undefined, fhirPath: PATH }]);
  });

  it('may leave out the result for a create or delete, which then decides nothing', () => {
    const queryOf = (requireBoth: boolean): TopicQuery | undefined =>
      topicOf(r4bTopic({}, { queryCriteria: { current: 'status=finished', requireBoth } })).triggers[0]
        ?.query;
    expect(queryOf(true)).toMatchObject({ resultForCreate: 'passes', resultForDelete: 'passes' });
    expect(queryOf(false)).toMatchObject({ resultForCreate: 'fails', resultForDelete: 'fails' });
  });

  it('may be filtered as it says', () => {
    expect(mayFilter(EXPECTED, undefined, 'subject')).toBe(true);
    expect(mayFilter(EXPECTED, 'Encounter', 'subject:identifier')).toBe(true);
    expect(mayFilter(EXPECTED, 'Encounter', 'patient')).toBe(true);
    expect(mayFilter(EXPECTED, undefined, 'patient:in')).toBe(true);
    expect(mayFilter(EXPECTED, undefined, 'patient:missing')).toBe(false);
    expect(mayFilter(EXPECTED, undefined, 'length')).toBe(true);
    expect(mayFilter(EXPECTED, undefined, 'status')).toBe(false);
    expect(mayFilter(EXPECTED, 'Patient', 'subject')).toBe(false);
    expect(mayFilter(EXPECTED, undefined, 'subject.name')).toBe(false);
  });
});

describe('a topic is refused', () => {
  it('if it has event triggers only', () => {
    const eventTrigger = [
      {
        event: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0003', code: 'A01' }] },
        resource: 'Encounter',
      },
    ];
    expect(faultsOf(r4bTopic({ resourceTrigger: [], eventTrigger }))).toEqual([
      ['SubscriptionTopic.eventTrigger[0]', expect.stringContaining('Event triggers are not supported')],
    ]);
    expect(faultsOf(r4bTopic({ eventTrigger }))).toEqual([]);
    expect(faultsOf(r4bTopic({ resourceTrigger: [] }))).toEqual([
      ['SubscriptionTopic', 'A topic must have a resourceTrigger'],
    ]);
  });

  it('for an unknown resource type', () => {
    expect(faultsOf(r4bTopic({}, { resource: 'http://example.org/StructureDefinition/Admission' }))).toEqual([
      [`${TRIGGER}.resource`, expect.stringContaining('is not a resource type of FHIR 4.3.0')],
    ]);
    expect(faultsOf(r4bTopic({ canFilterBy: [{ resource: 'Visit', filterParameter: 'subject' }] }))).toEqual([
      ['SubscriptionTopic.canFilterBy[0].resource', expect.stringContaining("'Visit'")],
    ]);
  });

  it.each([
    ['subject:Patient.name=Smith', 'chains'],
    ['_has:Observation:encounter:code=1234-5', '_has'],
    ['status=finished&_count=10', "'_count' says nothing"],
    ['Patient?active=true', 'not the resource of the trigger'],
    ['state=finished', "'state' is not a search parameter of Encounter"],
  ])('for the query %s', (current, reason) => {
    expect(faultsOf(r4bTopic({}, { queryCriteria: { current } }))).toContainEqual([
      `${TRIGGER}.queryCriteria.current`,
      expect.stringContaining(reason),
    ]);
  });

  it('for FHIRPath that cannot be parsed, or that the server does not support', () => {
    const place = `${TRIGGER}.fhirPathCriteria`;
    expect(faultsOf(r4bTopic({}, { fhirPathCriteria: "(%current.status = 'finished'" }))).toEqual([
      [place, expect.stringContaining('is not FHIRPath')],
    ]);
    const { queryCriteria: _none, ...trigger } = (r4bTopic()['resourceTrigger'] as JsonObject[])[0]!;
    const withPath = (fhirPathCriteria: string): JsonObject =>
      r4bTopic({ resourceTrigger: [{ ...trigger, fhirPathCriteria }] });
    expect(faultsOf(withPath("%resource.status = 'finished'"))).toEqual([
      [place, expect.stringContaining('%resource is not supported')],
    ]);
    expect(faultsOf(withPath('%next.status.exists()'))).toEqual([
      [place, expect.stringContaining('%next is not supported')],
    ]);
  });

  it('in R4 with the place of the extension', () => {
    const topic = r4Topic();
    const extensions = topic['extension'] as JsonObject[];
    extensions[3] = {
      url: extensionUrl('5.0', 'resourceTrigger'),
      extension: [
        { url: 'resource', valueUri: 'Encounter' },
        { url: 'resource', valueUri: 'Patient' },
        { url: 'supportedInteraction', valueCode: 'read' },
        { url: 'queryCriteria', extension: [{ url: 'current', valueString: 'subject.name=Smith' }] },
      ],
    };
    delete topic['modifierExtension'];
    expect(faultsOf(topic, 'r4')).toEqual([
      ['Basic', 'A topic must have a status'],
      ['Basic.extension[3].extension[1].value', 'The element resource must not repeat'],
      ['Basic.extension[3].extension[2].value', expect.stringContaining('create, update or delete')],
      ['Basic.extension[3].extension[3].extension[0].value', expect.stringContaining('chains')],
    ]);
  });
});

describe('the query of a topic', () => {
  it.each([
    ['status=finished', [['status', 'finished']]],
    ['Encounter?status=finished', [['status', 'finished']]],
    ['/Encounter?status=finished', [['status', 'finished']]],
    [
      '?status=finished&class=AMB',
      [
        ['status', 'finished'],
        ['class', 'AMB'],
      ],
    ],
    ['status:not=finished', [['status:not', 'finished']]],
    ['type=http%3A%2F%2Fsnomed.info%2Fsct%7C308335008', [['type', 'http://snomed.info/sct|308335008']]],
    ['type=http://snomed.info/sct|308335008', [['type', 'http://snomed.info/sct|308335008']]],
    ['url=http://example.org/a?b', [['url', 'http://example.org/a?b']]],
    ['contenttype=application/fhir+json', [['contenttype', 'application/fhir+json']]],
    ['date=ge2024-01-01T00:00:00+01:00', [['date', 'ge2024-01-01T00:00:00+01:00']]],
    ['name=50% off', [['name', '50% off']]],
    ['name=50% a+b', [['name', '50% a+b']]],
    ['', []],
  ])('is read in the form %s', (text, parameters) => {
    expect(parseTopicQuery(text)).toEqual(parameters);
  });
});

describe('an encounter that is completed', () => {
  const finished = (test: string, status: string): boolean =>
    test === 'status=finished' ? status === 'finished' : status !== 'finished';

  /** Evaluates the trigger for a change between two statuses; counts nothing that is not there. */
  function isEvent(
    trigger: TopicTrigger,
    previous: string | undefined,
    current: string | undefined,
  ): Promise<boolean> {
    const interaction = previous === undefined ? 'create' : current === undefined ? 'delete' : 'update';
    const { query } = trigger;
    return holds(trigger, interaction, {
      previous: () => finished(query!.previous!, previous!),
      current: async () => finished(query!.current!, current!),
    });
  }

  it('is an event of its topic', async () => {
    const trigger = EXPECTED.triggers[0]!;
    expect(await isEvent(trigger, 'in-progress', 'finished')).toBe(true);
    expect(await isEvent(trigger, undefined, 'finished')).toBe(true);
    expect(await isEvent(trigger, undefined, 'planned')).toBe(false);
    expect(await isEvent(trigger, 'finished', 'finished')).toBe(false);
    expect(await isEvent(trigger, 'planned', 'in-progress')).toBe(false);
    expect(await isEvent(trigger, 'planned', undefined)).toBe(false);
  });

  it('is deleted without an event, because the test of the current version fails', async () => {
    const trigger = { ...EXPECTED.triggers[0]!, interactions: new Set<Interaction>(['delete']) };
    expect(await isEvent(trigger, 'planned', undefined)).toBe(false);
    const passing = { ...trigger, query: { ...trigger.query!, resultForDelete: 'passes' as const } };
    expect(await isEvent(passing, 'planned', undefined)).toBe(true);
    expect(await isEvent(passing, 'finished', undefined)).toBe(false);
  });

  it('is an event if one test is enough and one of them passes', async () => {
    const trigger = EXPECTED.triggers[0]!;
    const either = {
      ...trigger,
      query: { ...trigger.query!, requireBoth: false, resultForCreate: 'fails' as const },
    };
    expect(await isEvent(either, 'finished', 'finished')).toBe(true);
    expect(await isEvent(either, 'planned', 'in-progress')).toBe(true);
    expect(await isEvent(either, 'finished', 'in-progress')).toBe(false);
    expect(await isEvent(either, undefined, 'finished')).toBe(true);
    expect(await isEvent(either, undefined, 'planned')).toBe(false);
  });

  it('is an event if the topic tests only the current version, whatever a create would be', async () => {
    const trigger = EXPECTED.triggers[0]!;
    for (const requireBoth of [true, false]) {
      const query = { ...trigger.query!, previous: undefined, requireBoth };
      expect(await isEvent({ ...trigger, query }, 'finished', 'finished')).toBe(true);
      expect(await isEvent({ ...trigger, query }, undefined, 'finished')).toBe(true);
      expect(await isEvent({ ...trigger, query }, undefined, 'planned')).toBe(false);
    }
  });

  it.each(RELEASE_NAMES)('is an event by FHIRPath in %s', (release) => {
    const definitions = loadDefinitions(release);
    const encounter = (status: string): JsonObject => ({
      resourceType: 'Encounter',
      id: 'f001',
      status,
      class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
      subject: { reference: '#p' },
      contained: [{ resourceType: 'Patient', id: 'p', gender: status === 'finished' ? 'female' : 'male' }],
    });
    const test = (expression: string, previous?: string, current?: string): boolean =>
      holdsPath(definitions, expression, {
        previous: previous === undefined ? undefined : encounter(previous),
        current: current === undefined ? undefined : encounter(current),
      });
    expect(test(PATH, 'in-progress', 'finished')).toBe(true);
    expect(test(PATH, undefined, 'finished')).toBe(true);
    expect(test(PATH, 'finished', 'finished')).toBe(false);
    expect(test(PATH, 'finished', undefined)).toBe(false);
    expect(test('%current.empty()', 'finished', undefined)).toBe(true);
    expect(test('%previous.empty()', undefined, 'finished')).toBe(true);
    expect(test("status = 'finished' and Encounter.class.code = 'AMB'", undefined, 'finished')).toBe(true);
    expect(test("%current.where(status = 'finished')", undefined, 'finished')).toBe(true);
    expect(test('%previous.status | %current.status', 'planned', 'finished')).toBe(false);
    expect(test("%current.subject.resolve().gender = 'female'", 'planned', 'finished')).toBe(true);
    expect(test("'%previous' = '%previous' /* %current */", undefined, 'planned')).toBe(true);
    expect(
      test("%`previous`.status = 'planned' and % current.status = 'finished'", 'planned', 'finished'),
    ).toBe(true);
  });

  it('has FHIRPath whose faults are found at their places', () => {
    const definitions = loadDefinitions('r4');
    expect(topicPathFault(definitions, PATH)).toBeUndefined();
    expect(topicPathFault(definitions, "%previous.status = 'a' and )")).toMatchObject({
      isUnsupported: false,
      reason: expect.stringContaining('(at 27)'),
    });
    expect(topicPathFault(definitions, "%current.memberOf('http://example.org')")).toMatchObject({
      isUnsupported: true,
    });
    expect(topicPathFault(definitions, `'${'a'.repeat(3000)}'`)).toMatchObject({ isUnsupported: true });
  });
});
