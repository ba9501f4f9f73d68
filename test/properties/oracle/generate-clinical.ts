/** Random clinical resources. */
import { listOf, membersOf, tidy, toJsonText, type Json, type JsonObject, type Members } from './json';
import {
  makeConcept,
  makeDate,
  makeIdentifier,
  makeNames,
  makeNumber,
  makePeriod,
  makeQuantity,
  makeRange,
  makeTiming,
  URIS,
} from './generate-values';
import { WORDS } from './narrative';
import { HL7_CODES, maybe, number, refer, some, type Make, type Maker } from './maker';

/** Words that only `_content` finds. */
const makeNotes = (maker: Maker): Json[] =>
  some(maker, 1, () => ({ text: `Seen: ${maker.random.pick(WORDS)}.` }));

export const encounter: Make = (maker) => {
  const { random } = maker;
  return {
    identifier: some(maker, 1, () => makeIdentifier(random)),
    status: random.pick(['planned', 'in-progress', 'finished']),
    class: {
      system: `${HL7_CODES}v3-ActCode`,
      code: random.pick(['AMB', 'IMP']),
      display: 'ambulatory care',
    },
    type: some(maker, 2, () => makeConcept(random)),
    subject: maybe(maker, 0.9, () => refer(maker, ['Patient', 'Patient', 'Group'])),
    participant: some(maker, 2, () => tidy({ individual: refer(maker, ['Practitioner']) })),
    period: maybe(maker, 0.8, () => makePeriod(random)),
    length: maybe(maker, 0.5, () => makeQuantity(random, ['min', 'h', 'd'], true)),
    reasonReference: some(maker, 1, () => refer(maker, ['Condition', 'Observation'])),
    location: some(maker, 1, () =>
      tidy({ location: refer(maker, ['Location']), period: maybe(maker, 0.5, () => makePeriod(random)) }),
    ),
    serviceProvider: maybe(maker, 0.5, () => refer(maker, ['Organization'])),
    partOf: maybe(maker, 0.3, () => refer(maker, ['Encounter'])),
  };
};

function makeValue(maker: Maker): Members {
  const { random } = maker;
  return random.pick<() => Members>([
    () => ({ valueQuantity: makeQuantity(random) }),
    () => ({ valueQuantity: makeQuantity(random) }),
    () => ({ valueQuantity: makeQuantity(random) }),
    () => ({ valueCodeableConcept: makeConcept(random) }),
    () => ({ valueString: random.pick(['blue', 'Blue green', 'bluegreen', 'a,b|c$d\\e', '100%', 'a_b']) }),
    () => ({ valueDateTime: makeDate(random) }),
    () => ({ valuePeriod: makePeriod(random) }),
    () => ({ valueInteger: number(random.below(10)) }),
    () => ({}),
  ])();
}

function sharesCoding(one: Json | undefined, other: Json): boolean {
  const texts = (concept: Json | undefined): string[] => membersOf(listOf(concept), 'coding').map(toJsonText);
  return texts(one).some((text) => texts(other).includes(text));
}

export const observation: Make = (maker) => {
  const { random } = maker;
  const components = some(maker, 3, () => tidy({ code: makeConcept(random), ...makeValue(maker) }));
  const code = makeConcept(random);
  // obs-7: no value beside a component that has one of the resource's own codes.
  const own =
    random.chance(0.2) || components.some((one) => sharesCoding(one['code'], code)) ? {} : makeValue(maker);
  const isEmpty = Object.keys(own).length === 0;
  const contained = random.chance(0.12);
  return {
    contained: contained
      ? [
          tidy({
            resourceType: 'Patient',
            id: 'inner',
            name: makeNames(random),
            gender: random.pick(['male', 'female']),
            generalPractitioner: some(maker, 1, () => refer(maker, ['Practitioner'])),
            managingOrganization: { reference: '#place' },
          }),
          {
            resourceType: 'Organization',
            id: 'place',
            name: random.pick(['Health Seven', 'Acme']),
            partOf: refer(maker, ['Organization']),
          },
        ]
      : undefined,
    identifier: some(maker, 1, () => makeIdentifier(random)),
    status: random.pick(['final', 'amended', 'preliminary']),
    category: some(maker, 2, () => makeConcept(random)),
    code,
    subject: contained
      ? { reference: '#inner' }
      : maybe(maker, 0.9, () => refer(maker, ['Patient', 'Patient', 'Patient', 'Group', 'Location'])),
    focus: some(maker, 1, () => refer(maker, ['Patient', 'Condition', 'Questionnaire'])),
    encounter: maybe(maker, 0.4, () => refer(maker, ['Encounter'])),
    ...random.pick<() => Members>([
      () => ({}),
      () => ({ effectiveDateTime: makeDate(random) }),
      () => ({ effectiveDateTime: makeDate(random) }),
      () => ({ effectivePeriod: makePeriod(random) }),
      () => ({ effectiveInstant: random.pick(['2020-03-01T10:00:00Z', '2020-03-01T10:00:00.500+02:00']) }),
      () => ({ effectiveTiming: makeTiming(random) }),
    ])(),
    performer: some(maker, 2, () => refer(maker, ['Practitioner', 'Organization', 'Patient'])),
    hasMember: maybe(maker, 0.2, () => [refer(maker, ['Observation'])]),
    derivedFrom: maybe(maker, 0.2, () => [refer(maker, ['Observation', 'DocumentReference'])]),
    ...own,
    dataAbsentReason:
      isEmpty && random.chance(0.5)
        ? { coding: [{ system: `${HL7_CODES}data-absent-reason`, code: 'unknown' }] }
        : undefined,
    component: components,
    note: makeNotes(maker),
  };
};

export const condition: Make = (maker) => {
  const { random } = maker;
  // Two elements of one type: the patient, and the asserter.
  const person = (id: string): JsonObject =>
    tidy({
      resourceType: 'Patient',
      id,
      name: makeNames(random),
      gender: random.pick(['male', 'female', undefined]),
      birthDate: random.pick(['1970-05-07', undefined]),
      link: maybe(maker, 0.3, () => [{ other: refer(maker, ['Patient']), type: 'seealso' }]),
    });
  const contained = random.chance(0.15) ? [person('ill'), person('says')] : undefined;
  return {
    contained,
    identifier: some(maker, 1, () => makeIdentifier(random)),
    clinicalStatus: {
      coding: [{ system: `${HL7_CODES}condition-clinical`, code: random.pick(['active', 'remission']) }],
    },
    verificationStatus: maybe(maker, 0.5, () => ({
      coding: [{ system: `${HL7_CODES}condition-ver-status`, code: 'confirmed' }],
    })),
    category: some(maker, 1, () => makeConcept(random)),
    code: maybe(maker, 0.8, () => makeConcept(random)),
    bodySite: some(maker, 2, () => makeConcept(random)),
    subject: contained === undefined ? refer(maker, ['Patient', 'Patient', 'Group']) : { reference: '#ill' },
    encounter: maybe(maker, 0.4, () => refer(maker, ['Encounter'])),
    ...random.pick<() => Members>([
      () => ({}),
      () => ({ onsetDateTime: makeDate(random) }),
      () => ({ onsetPeriod: makePeriod(random) }),
      () => ({ onsetAge: makeQuantity(random, ['a', 'mo'], true) }),
      () => ({ onsetRange: makeRange(random, 'a') }),
      () => ({ onsetString: random.pick(['in childhood', 'Early Childhood']) }),
    ])(),
    recordedDate: maybe(maker, 0.7, () => makeDate(random)),
    asserter:
      contained === undefined
        ? maybe(maker, 0.5, () => refer(maker, ['Practitioner', 'Patient']))
        : { reference: '#says' },
    note: makeNotes(maker),
  };
};

export const medicationRequest: Make = (maker) => {
  const { random } = maker;
  return {
    status: random.pick(['active', 'completed']),
    intent: random.pick(['order', 'plan']),
    medicationCodeableConcept: makeConcept(random),
    subject: refer(maker, ['Patient', 'Patient', 'Group']),
    encounter: maybe(maker, 0.4, () => refer(maker, ['Encounter'])),
    authoredOn: maybe(maker, 0.7, () => makeDate(random)),
    requester: maybe(maker, 0.6, () => refer(maker, ['Practitioner', 'Organization', 'Patient'])),
    dosageInstruction: maybe(maker, 0.5, () => [{ timing: { event: [makeDate(random), makeDate(random)] } }]),
  };
};

export const riskAssessment: Make = (maker) => {
  const { random } = maker;
  return {
    status: random.pick(['final', 'amended']),
    subject: refer(maker, ['Patient', 'Patient', 'Group']),
    performer: maybe(maker, 0.5, () => refer(maker, ['Practitioner'])),
    prediction: some(maker, 2, () =>
      tidy({
        ...random.pick<() => Members>([
          () => ({ probabilityDecimal: makeNumber(random) }),
          () => ({ probabilityDecimal: makeNumber(random) }),
          () => ({ probabilityRange: makeRange(random, '%') }),
        ])(),
        qualitativeRisk: maybe(maker, 0.5, () => makeConcept(random)),
      }),
    ),
  };
};

export const molecularSequence: Make = (maker) => {
  const { random } = maker;
  const start = random.pick([95, 99, 100, 104, 105]);
  return {
    identifier: some(maker, 1, () => makeIdentifier(random)),
    coordinateSystem: number(0),
    patient: maybe(maker, 0.7, () => refer(maker, ['Patient'])),
    referenceSeq: {
      chromosome: { coding: [{ system: `${HL7_CODES}chromosome-human`, code: random.pick(['1', 'X']) }] },
      genomeBuild: 'GRCh37',
      strand: 'watson',
      windowStart: number(start),
      windowEnd: number(start + random.pick([0, 5, 100])),
    },
    variant: some(maker, 2, () => ({ start: number(start), end: number(start + random.below(3)) })),
  };
};

export const serviceRequest: Make = (maker) => {
  const { random } = maker;
  return {
    status: random.pick(['active', 'draft']),
    intent: 'order',
    code: maybe(maker, 0.7, () => makeConcept(random)),
    subject: refer(maker, ['Patient', 'Group', 'Location']),
    requester: maybe(maker, 0.6, () => refer(maker, ['Practitioner', 'Organization'])),
    basedOn: some(maker, 1, () => refer(maker, ['ServiceRequest', 'MedicationRequest'])),
    replaces: some(maker, 1, () => refer(maker, ['ServiceRequest'])),
    authoredOn: maybe(maker, 0.5, () => makeDate(random)),
    ...random.pick<() => Members>([
      () => ({}),
      () => ({ occurrenceDateTime: makeDate(random) }),
      () => ({ occurrencePeriod: makePeriod(random) }),
      () => ({ occurrenceTiming: makeTiming(random) }),
    ])(),
    instantiatesUri: maybe(maker, 0.5, () => [random.pick(URIS)]),
  };
};
