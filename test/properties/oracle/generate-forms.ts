/** Random questionnaires, their answers, lists, groups and documents. */
import { tidy, type Members } from './json';
import {
  makeConcept,
  makeDate,
  makeIdentifier,
  makePeriod,
  makeQuantity,
  makeRange,
  URIS,
} from './generate-values';
import { HL7_CODES, maybe, refer, some, type Make } from './maker';

export const questionnaireUrl = (index: number): string => `http://acme.org/Questionnaire/q${index}`;
export const VERSIONS = ['1', '1.0', '1.2.3', '10', '2.0', undefined];

export const questionnaire: Make = (maker) => {
  const { random } = maker;
  return {
    version: random.pick(VERSIONS),
    name: random.pick(['Intake', 'IntakeForm', undefined]),
    title: random.pick(['Intake form', 'Überweisung', undefined]),
    status: random.pick(['active', 'draft']),
    publisher: random.pick(['Acme', undefined]),
    date: maybe(maker, 0.7, () => makeDate(random)),
    effectivePeriod: maybe(maker, 0.5, () => makePeriod(random)),
    useContext: some(maker, 2, () =>
      tidy({
        code: { system: `${HL7_CODES}usage-context-type`, code: random.pick(['focus', 'age']) },
        ...random.pick<Members>([
          { valueCodeableConcept: makeConcept(random) },
          { valueQuantity: makeQuantity(random) },
          { valueRange: makeRange(random, 'a') },
        ]),
      }),
    ),
    item: some(maker, 2, () => random.pick(URIS)).map((definition, index) => ({
      linkId: String(index),
      definition: `${definition}#element`,
      type: 'string',
    })),
  };
};

export const questionnaireResponse: Make = (maker) => {
  const { random, counts } = maker;
  const version = random.pick(VERSIONS);
  const url = questionnaireUrl(random.below((counts['Questionnaire'] ?? 0) + 1));
  return {
    identifier: maybe(maker, 0.3, () => makeIdentifier(random)),
    questionnaire: maybe(maker, 0.9, () => (version === undefined ? url : `${url}|${version}`)),
    status: random.pick(['completed', 'in-progress']),
    subject: maybe(maker, 0.7, () => refer(maker, ['Patient', 'Organization'])),
    authored: maybe(maker, 0.7, () => makeDate(random)),
    author: maybe(maker, 0.5, () => refer(maker, ['Practitioner', 'Patient', 'Organization'])),
    source: maybe(maker, 0.5, () => refer(maker, ['Patient', 'Practitioner'])),
  };
};

export const list: Make = (maker) => ({
  status: 'current',
  mode: 'working',
  title: maker.random.pick(['Allergies', undefined]),
  code: maybe(maker, 0.5, () => makeConcept(maker.random)),
  subject: maybe(maker, 0.7, () => refer(maker, ['Patient', 'Group'])),
  date: maybe(maker, 0.7, () => makeDate(maker.random)),
  entry: Array.from({ length: 1 + maker.random.below(6) }, () => ({
    item: refer(maker, ['Observation', 'Condition', 'Patient', 'Encounter']),
  })),
});

export const group: Make = (maker) => {
  const { random } = maker;
  return {
    type: 'person',
    actual: true,
    characteristic: some(maker, 3, () =>
      tidy({
        code: makeConcept(random),
        ...random.pick<Members>([
          { valueCodeableConcept: makeConcept(random) },
          { valueBoolean: random.chance(0.5) },
        ]),
        exclude: false,
      }),
    ),
    member: some(maker, 3, () => ({ entity: refer(maker, ['Patient', 'Practitioner', 'Group']) })),
  };
};

export const MIME = ['text/plain', 'text/plain; charset=UTF-8', 'text/plainer', 'application/pdf'];

export const documentReference: Make = (maker) => {
  const { random } = maker;
  return {
    status: 'current',
    subject: maybe(maker, 0.7, () => refer(maker, ['Patient', 'Group'])),
    date: maybe(maker, 0.6, () => random.pick(['2020-03-01T10:00:00Z', '2021-06-15T23:59:59.999-05:00'])),
    author: some(maker, 1, () => refer(maker, ['Practitioner', 'Organization'])),
    description: random.pick([LONG_TEXT + 'one', LONG_TEXT + 'two', 'Short', undefined]),
    content: Array.from({ length: 1 + random.below(2) }, () => ({
      attachment: tidy({
        contentType: random.pick([...MIME, undefined]),
        url: random.pick([undefined, ...URIS]),
        title: 'a',
      }),
    })),
    context: maybe(maker, 0.4, () => ({ period: makePeriod(random) })),
  };
};

/** 240 characters, so that the rest is beyond the length that an index may store. */
export const LONG_TEXT = 'A long description of a document. '.repeat(8).slice(0, 240);
