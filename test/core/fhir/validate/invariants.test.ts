import type { JsonObject, JsonValue } from '../../../../src/core/fhir/json';
import { RELEASE_NAMES, type Release } from '../../../../src/core/fhir/release';
import { brokenBy, example, objectAt } from './broken-by';

describe('a Patient', () => {
  it('needs more of a contact than a relationship', () => {
    const patient = example('Patient', 'example');
    expect(brokenBy(patient)).toEqual([]);
    patient['contact'] = [{ relationship: [{ coding: [{ code: 'N' }] }] }];
    expect(brokenBy(patient)).toEqual(['pat-1 Patient.contact']);
    patient['contact'] = [{ organization: { display: 'Good Health' } }];
    expect(brokenBy(patient)).toEqual([]);
  });

  it('requires the system of a contact point', () => {
    const patient = example('Patient', 'example');
    patient['telecom'] = [{ use: 'home' }, { value: '+31 20 123' }];
    expect(brokenBy(patient)).toEqual(['cpt-2 ContactPoint']);
  });

  it('requires the content type of a photo', () => {
    const patient = example('Patient', 'example');
    patient['photo'] = [{ data: 'AAAA' }, { url: 'http://example.org/photo' }];
    expect(brokenBy(patient)).toEqual(['att-1 Attachment']);
  });

  it('is warned, and no more, when it has no narrative', () => {
    const patient = example('Patient', 'example');
    delete patient['text'];
    expect(brokenBy(patient)).toEqual([]);
    expect(brokenBy(patient, 'r4', 'warning')).toEqual(['dom-6 Patient']);
  });

  it('is not warned for resources without narrative in it, but a Bundle is for those of its entries', () => {
    const patient = example('Patient', 'example');
    const contained = { resourceType: 'Organization', id: 'o', name: 'Good Health' };
    patient['contained'] = [contained];
    expect(brokenBy(patient, 'r4', 'warning')).toEqual([]);
    const bundle = { resourceType: 'Bundle', type: 'collection', entry: [{ resource: contained }] };
    expect(brokenBy(bundle, 'r4', 'warning')).toEqual(['dom-6 Organization']);
  });
});

describe('an Observation', () => {
  it('has a value or a reason for having none', () => {
    const observation = example('Observation', 'f001');
    expect(brokenBy(observation)).toEqual([]);
    observation['dataAbsentReason'] = { coding: [{ code: 'unknown' }] };
    expect(brokenBy(observation)).toEqual(['obs-6 Observation']);
    delete observation['valueQuantity'];
    expect(brokenBy(observation)).toEqual([]);
  });

  it('has no value of its own when a component has the same code', () => {
    const observation = example('Observation', 'blood-pressure');
    expect(brokenBy(observation)).toEqual([]);
    observation['component'] = [
      { code: observation['code'] ?? null, valueQuantity: { value: 1 } },
      { code: { coding: [{ code: 'other' }] } },
    ];
    expect(brokenBy(observation)).toEqual([]);
    observation['valueString'] = 'high';
    expect(brokenBy(observation)).toEqual(['obs-7 Observation']);
  });

  it('compares its components with its own code, even where it is contained', () => {
    const coding = [{ system: 'http://loinc.org', code: '85354-9' }];
    const contained = {
      resourceType: 'Observation',
      id: 'bp',
      code: { coding },
      valueString: 'high',
      component: [{ code: { coding } }],
    };
    const report = { resourceType: 'DiagnosticReport', code: { text: 'x' }, contained: [contained] };
    expect(brokenBy(report)).toEqual(['obs-7 Observation']);
  });

  it('requires the system of a unit code', () => {
    const observation = example('Observation', 'f001');
    delete objectAt(observation, 'valueQuantity')['system'];
    expect(brokenBy(observation)).toEqual(['qty-3 Quantity']);
  });

  it('has reference ranges with a low, a high or a text', () => {
    const observation = example('Observation', 'f001');
    observation['referenceRange'] = [{ age: { low: { value: 1 } } }];
    expect(brokenBy(observation)).toEqual(['obs-3 Observation.referenceRange']);
    const components = example('Observation', 'blood-pressure');
    objectAt(components, 'component', 0)['referenceRange'] = [{ appliesTo: [{ text: 'all' }] }];
    expect(brokenBy(components)).toEqual(['obs-3 Observation.component.referenceRange']);
  });
});

describe('data types', () => {
  const period = (start: string, end: string) =>
    brokenBy({ resourceType: 'Encounter', period: { start, end } });

  it('a Period ends after it starts', () => {
    expect(period('2023-06-21', '2023-06-22')).toEqual([]);
    expect(period('2023-06-21T10:00:00Z', '2023-06-21T12:00:00+02:00')).toEqual([]);
    expect(period('2023-06-22', '2023-06-21')).toEqual(['per-1 Period']);
    expect(brokenBy({ resourceType: 'Encounter', period: { start: '2023' } })).toEqual([]);
  });

  it('a Period does not hold when its precision leaves open which comes first', () => {
    expect(period('2023-06-21', '2023-06-21T06:20:00Z')).toEqual(['per-1 Period']);
  });

  it('a Period with a reason in place of its end is not compared', () => {
    const absent = { extension: [{ url: 'http://example.org/reason', valueCode: 'unknown' }] };
    expect(brokenBy({ resourceType: 'Encounter', period: { start: '2023', _end: absent } })).toEqual([]);
  });

  const range = (low: JsonValue, high: JsonValue) =>
    brokenBy({ resourceType: 'Condition', onsetRange: { low, high } });
  const ucum = (value: number, code: string) => ({ value, code, system: 'http://unitsofmeasure.org' });

  it('a Range is no higher at its low than at its high, whatever the units', () => {
    expect(range(ucum(1, 'a'), ucum(2, 'a'))).toEqual([]);
    expect(range(ucum(12, 'mm'), ucum(1, 'cm'))).toEqual(['rng-2 Range']);
    expect(range(ucum(1, 'cm'), ucum(12, 'mm'))).toEqual([]);
  });

  it('a rule that cannot be evaluated does not hold', () => {
    expect(range({ unit: 'years' }, { value: 2, unit: 'years' })).toEqual(['rng-2 Range']);
    expect(range(ucum(1, 'a'), ucum(2, 'kg'))).toEqual(['rng-2 Range']);
  });

  it('a Ratio has both parts or neither', () => {
    const ratio = (valueRatio: JsonObject) => brokenBy({ resourceType: 'Observation', valueRatio });
    expect(ratio({ numerator: { value: 1 }, denominator: { value: 2 } })).toEqual([]);
    expect(ratio({ numerator: { value: 1 } })).toEqual(['rat-1 Ratio']);
    expect(ratio({ extension: [{ url: 'http://example.org/a', valueCode: 'b' }] })).toEqual([]);
  });

  it('a simple quantity has no comparator', () => {
    const order = (quantity: JsonObject) =>
      brokenBy({ resourceType: 'MedicationRequest', dispenseRequest: { quantity } });
    expect(order({ value: 1, comparator: '<' })).toEqual([
      'sqty-1 MedicationRequest.dispenseRequest.quantity',
    ]);
    expect(order({ value: 1 })).toEqual([]);
  });

  it('an Age is positive and in a unit of UCUM', () => {
    const age = (onsetAge: JsonObject) => brokenBy({ resourceType: 'Condition', onsetAge });
    expect(age({ ...ucum(3, 'a') })).toEqual([]);
    expect(age({ ...ucum(0, 'a') })).toEqual(['age-1 Age']);
    expect(age({ value: 3 })).toEqual(['age-1 Age']);
    expect(age({ value: 3, code: 'a' })).toEqual(['qty-3 Age']);
  });

  const repeat = (timing: JsonObject) =>
    brokenBy({ resourceType: 'ServiceRequest', occurrenceTiming: { repeat: timing } }).map(
      (text) => text.split(' ')[0],
    );

  it.each<[string, string, JsonObject]>([
    ['tim-1', 'a duration has a unit', { duration: 1 }],
    ['tim-2', 'a period has a unit', { period: 1 }],
    ['tim-4', 'a duration is not negative', { duration: -1, durationUnit: 'h' }],
    ['tim-5', 'a period is not negative', { period: -1, periodUnit: 'h' }],
    ['tim-6', 'a greatest period has a period', { periodMax: 2 }],
    ['tim-7', 'a greatest duration has a duration', { durationMax: 2 }],
    ['tim-8', 'a greatest count has a count', { countMax: 2 }],
    ['tim-9', 'an offset has an event to count from', { offset: 30 }],
    ['tim-9', 'and not a meal that has no moment', { offset: 30, when: ['AC', 'CM'] }],
    ['tim-10', 'times of day exclude events', { timeOfDay: ['10:00:00'], when: ['AC'] }],
  ])('of a Timing, %s: %s', (key, _sentence, timing) => {
    expect(repeat(timing)).toEqual([key]);
  });

  it('a Timing may have an offset from several events', () => {
    expect(repeat({ offset: 30, when: ['AC', 'HS'] })).toEqual([]);
  });
});

describe('a Bundle', () => {
  const entry = { fullUrl: 'urn:uuid:1', resource: { resourceType: 'Basic' } };
  const request = { method: 'GET', url: 'Patient/1' };
  const document = { identifier: { system: 'urn:x', value: '1' }, timestamp: '2020-01-01T00:00:00Z' };
  const composition = { resource: { resourceType: 'Composition' } };

  it.each<[string, string, JsonObject]>([
    ['bdl-1', 'has a total only as a result', { type: 'collection', total: 1 }],
    [
      'bdl-2',
      'has scores only as a search',
      { type: 'history', entry: [{ search: { score: 1 }, request, response: { status: '200' } }] },
    ],
    ['bdl-3', 'has requests in a batch', { type: 'batch', entry: [{ request }, entry] }],
    ['bdl-3', 'has no requests in a collection', { type: 'collection', entry: [{ request, ...entry }] }],
    ['bdl-4', 'has responses in the answer to a batch', { type: 'batch-response', entry: [entry] }],
    ['bdl-7', 'has each fullUrl once', { type: 'collection', entry: [entry, entry] }],
    [
      'bdl-9',
      'is identified as a document',
      { type: 'document', timestamp: document.timestamp, entry: [composition] },
    ],
    [
      'bdl-10',
      'is dated as a document',
      { type: 'document', identifier: document.identifier, entry: [composition] },
    ],
    ['bdl-11', 'begins with a Composition as a document', { type: 'document', ...document, entry: [entry] }],
    ['bdl-12', 'begins with a MessageHeader as a message', { type: 'message', entry: [entry] }],
  ])('%s: %s', (key, _sentence, content) => {
    expect(brokenBy({ resourceType: 'Bundle', ...content })).toEqual([`${key} Bundle`]);
  });

  it('bdl-5 and bdl-8: has entries with content, and whose fullUrl names no version', () => {
    const empty = { link: [{ relation: 'self', url: 'urn:x' }] };
    const versioned = { ...entry, fullUrl: 'http://example.org/Patient/1/_history/2' };
    const entries = [empty, versioned, { resource: { resourceType: 'Basic' } }];
    for (const release of RELEASE_NAMES) {
      expect(brokenBy({ resourceType: 'Bundle', type: 'collection', entry: entries }, release)).toEqual([
        'bdl-5 Bundle.entry',
        'bdl-8 Bundle.entry',
      ]);
    }
  });

  it('may have several versions of a resource', () => {
    const version = (versionId: string) => ({
      ...entry,
      resource: { resourceType: 'Basic', meta: { versionId } },
    });
    const bundle = { resourceType: 'Bundle', type: 'collection', entry: [version('1'), version('2')] };
    expect(brokenBy(bundle)).toEqual([]);
  });

  it('checks the rules of its entries with the entry as their resource', () => {
    const coding = [{ code: 'a' }];
    const resource = {
      resourceType: 'Observation',
      code: { coding },
      valueString: 'x',
      component: [{ code: { coding } }],
    };
    expect(brokenBy({ resourceType: 'Bundle', type: 'collection', entry: [{ resource }] })).toEqual([
      'obs-7 Observation',
    ]);
  });
});

describe('Parameters', () => {
  it('have one of a value, a resource and parts', () => {
    const broken = (parameter: JsonObject) =>
      brokenBy({ resourceType: 'Parameters', parameter: [parameter] });
    expect(broken({ name: 'a' })).toEqual(['inv-1 Parameters.parameter']);
    expect(broken({ name: 'a', valueString: 'x', resource: { resourceType: 'Basic' } })).toEqual([
      'inv-1 Parameters.parameter',
    ]);
    expect(broken({ name: 'a', valueString: 'x', part: [{ name: 'b', valueString: 'y' }] })).toEqual([
      'inv-1 Parameters.parameter',
    ]);
    expect(broken({ name: 'a', part: [{ name: 'b', valueString: 'y' }] })).toEqual([]);
    expect(broken({ name: 'a', part: [{ name: 'b' }] })).toEqual(['inv-1 Parameters.parameter.part']);
  });
});

describe('a Condition', () => {
  it('is resolved when it has abated, and has no clinical status when it was entered in error', () => {
    const condition = example('Condition', 'example');
    condition['abatementString'] = 'last week';
    expect(brokenBy(condition)).toEqual(['con-4 Condition']);
    objectAt(condition, 'clinicalStatus', 'coding', 0)['code'] = 'resolved';
    expect(brokenBy(condition)).toEqual([]);
    objectAt(condition, 'verificationStatus', 'coding', 0)['code'] = 'entered-in-error';
    expect(brokenBy(condition)).toEqual(['con-5 Condition']);
  });

  it('is warned without a clinical status on a problem list, and only there', () => {
    const category = (code: string) => ({
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-category', code }],
    });
    const warnings = (code: string, release: Release) => {
      const condition = example('Condition', 'example', release);
      delete condition['clinicalStatus'];
      condition['category'] = [category(code)];
      return brokenBy(condition, release, 'warning');
    };
    for (const release of RELEASE_NAMES) {
      expect(warnings('problem-list-item', release)).toEqual(['con-3 Condition']);
      expect(warnings('encounter-diagnosis', release)).toEqual([]);
    }
  });
});

describe('other rules', () => {
  it('a probability is at most 100, and one in percent says so', () => {
    const broken = (prediction: JsonObject) =>
      brokenBy({ resourceType: 'RiskAssessment', prediction: [prediction] });
    const range = (code: string) => ({ low: { value: 1, code, system: 'http://unitsofmeasure.org' } });
    expect(broken({ probabilityDecimal: 101 })).toEqual(['ras-2 RiskAssessment.prediction']);
    expect(broken({ probabilityDecimal: 100 })).toEqual([]);
    expect(broken({ outcome: { text: 'x' } })).toEqual([]);
    expect(broken({ probabilityRange: range('%') })).toEqual([]);
    expect(broken({ probabilityRange: range('1') })).toEqual([
      'ras-1 RiskAssessment.prediction.probability[x]',
    ]);
  });

  it('an appointment has a reason for its cancellation only when it was cancelled or not kept', () => {
    const appointment = (status: string) => ({
      resourceType: 'Appointment',
      status,
      start: '2020-01-01T10:00:00Z',
      end: '2020-01-01T11:00:00Z',
      cancelationReason: { text: 'rain' },
    });
    expect(brokenBy(appointment('booked'))).toEqual(['app-4 Appointment']);
    expect(brokenBy(appointment('noshow'))).toEqual([]);
    expect(brokenBy(appointment('cancelled'))).toEqual([]);
  });

  it('only a practitioner acts on behalf of an organization, as far as the reference shows it', () => {
    const team = (reference: string, contained: JsonObject[] = []) => ({
      resourceType: 'CareTeam',
      contained,
      participant: [{ member: { reference }, onBehalfOf: { reference: 'Organization/1' } }],
    });
    const person = { resourceType: 'RelatedPerson', id: 'p' };
    expect(brokenBy(team('Practitioner/1'))).toEqual([]);
    expect(brokenBy(team('Patient/1'))).toEqual(['ctm-1 CareTeam.participant']);
    expect(brokenBy(team('urn:uuid:7'))).toEqual([]);
    expect(brokenBy(team('#p', [person]))).toEqual(['ctm-1 CareTeam.participant']);
  });
});
