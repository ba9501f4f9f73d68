/** Two tenants in which one patient's record is the same, and everything else is another. */
import type { Release } from '../../../src/core';

export const WORLDS = ['left', 'right'] as const;
export type World = 0 | 1;
/** A mark in resources of others, different in each world. */
export const CANARY = 'kanarie';

const LABORATORY = [
  { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'laboratory' }] },
];

interface Stored {
  readonly resourceType: string;
  readonly id: string;
  readonly [member: string]: unknown;
}

const of = (id: string): object => ({ reference: `Patient/${id}` });
const to = (reference: string): object => ({ reference });
const concept = (code: string): object => ({ coding: [{ system: 'http://codes.example', code }] });

/** The content of others' resources: no word and no number of it is the same in both worlds. */
export const wordOf = (world: World): string => `${CANARY}${world === 0 ? 'links' : 'rechts'}`;

function observation(id: string, patient: string, value: number, more: object = {}): Stored {
  return {
    ...{ resourceType: 'Observation', id, status: 'final', category: LABORATORY, code: concept('weight') },
    ...{ subject: of(patient), effectiveDateTime: '2024-01-01', valueQuantity: { value, unit: 'kg' } },
    ...more,
  };
}

/** The record of the patient `mine`, whom it names beside the patient, and references to resources of others. */
export function mine(): readonly Stored[] {
  return [
    { resourceType: 'Practitioner', id: 'doc', name: [{ family: 'Arts' }], active: true },
    { resourceType: 'Organization', id: 'org', name: 'Huis' },
    {
      ...{ resourceType: 'Patient', id: 'mine', gender: 'female', name: [{ family: 'Eigen' }] },
      ...{ birthDate: '1970-01-01', generalPractitioner: [to('Practitioner/doc')] },
      ...{ managingOrganization: to('Organization/org'), link: [{ other: of('theirs'), type: 'seealso' }] },
    },
    observation('m1', 'mine', 1, { encounter: to('Encounter/te'), hasMember: [to('Observation/t1')] }),
    observation('m2', 'mine', 2, {
      derivedFrom: [to('Observation/t2')],
      performer: [to('Practitioner/doc')],
    }),
    observation('m3', 'mine', 3, { focus: [of('theirs')], specimen: to('Specimen/ts') }),
    {
      ...{
        resourceType: 'Encounter',
        id: 'me',
        status: 'finished',
        class: { code: 'AMB' },
        subject: of('mine'),
      },
      ...{ partOf: to('Encounter/te'), participant: [{ individual: to('Practitioner/doc') }] },
    },
    {
      ...{ resourceType: 'Condition', id: 'mc', subject: of('mine'), code: concept('flu') },
      ...{ encounter: to('Encounter/te'), evidence: [{ detail: [to('Observation/t1')] }] },
    },
    {
      ...{ resourceType: 'List', id: 'ml', status: 'current', mode: 'working', subject: of('mine') },
      code: {
        coding: [
          { system: 'http://terminology.hl7.org/CodeSystem/list-example-use-codes', code: 'problems' },
        ],
      },
      entry: ['Observation/m1', 'Observation/t1', 'Condition/tc'].map((item) => ({ item: to(item) })),
    },
    {
      ...{ resourceType: 'DiagnosticReport', id: 'md', status: 'final', code: concept('panel') },
      ...{ subject: of('mine'), result: [to('Observation/m1'), to('Observation/t1')] },
    },
    {
      ...{ resourceType: 'Composition', id: 'mcomp', status: 'final', type: concept('letter') },
      ...{ subject: of('mine'), date: '2024-01-01', author: [to('Practitioner/doc')], title: 'Letter' },
      section: [{ title: 'All', entry: [to('Observation/m1'), to('Observation/t1'), to('Encounter/te')] }],
    },
    {
      ...{
        resourceType: 'Provenance',
        id: 'mp',
        recorded: '2024-01-01T00:00:00Z',
        target: [of('mine'), to('Observation/t1')],
      },
      agent: [{ who: to('Practitioner/doc') }],
    },
    { resourceType: 'RelatedPerson', id: 'mr', patient: of('mine') },
    {
      ...{ resourceType: 'Appointment', id: 'ma', status: 'booked' },
      participant: [
        { actor: of('mine'), status: 'accepted' },
        { actor: of('theirs'), status: 'accepted' },
      ],
    },
    { resourceType: 'Basic', id: 'mb', code: concept('note'), subject: of('mine'), author: of('mine') },
  ];
}

/** Resources of others. */
export function theirs(world: World): readonly Stored[] {
  const word = wordOf(world);
  const first = world === 0;
  return [
    {
      ...{
        resourceType: 'Patient',
        id: 'theirs',
        gender: first ? 'male' : 'female',
        name: [{ family: word }],
      },
      ...{ identifier: [{ system: 'urn:mrn', value: word }], birthDate: first ? '1950-05-05' : '1990-09-09' },
      active: first,
      generalPractitioner: [to(first ? 'Practitioner/doc' : 'Practitioner/their-doc')],
      managingOrganization: to(first ? 'Organization/their-org' : 'Organization/org'),
    },
    { resourceType: 'Patient', id: first ? 'p-one' : 'p-two', name: [{ family: word }] },
    { resourceType: 'Practitioner', id: 'their-doc', name: [{ family: word }], active: first },
    { resourceType: 'Organization', id: 'their-org', name: word },
    { resourceType: 'Specimen', id: 'ts', subject: of('theirs'), accessionIdentifier: { value: word } },
    {
      ...{
        resourceType: 'Encounter',
        id: 'te',
        status: first ? 'finished' : 'planned',
        class: { code: word },
      },
      ...{ subject: of('theirs'), period: { start: first ? '2020-01-01' : '2023-01-01' } },
      participant: [{ individual: to(first ? 'Practitioner/their-doc' : 'Practitioner/doc') }],
    },
    observation('t1', 'theirs', first ? 100 : 900, {
      ...{ code: concept(word), hasMember: [to(first ? 'Observation/m1' : 'Observation/m2')] },
      note: [{ text: word }],
    }),
    observation('t2', 'theirs', first ? 100 : 900, {
      status: first ? 'final' : 'preliminary',
      note: [{ text: word }],
    }),
    observation(first ? 'only-one' : 'only-two', 'theirs', 5, {
      derivedFrom: [to(first ? 'Observation/m3' : 'Observation/m2')],
    }),
    {
      ...{ resourceType: 'Condition', id: 'tc', subject: of('theirs'), code: concept(word) },
      ...{ encounter: to(first ? 'Encounter/me' : 'Encounter/te') },
    },
    {
      ...{
        resourceType: 'List',
        id: 'tl',
        status: 'current',
        mode: 'working',
        subject: of('theirs'),
        title: word,
      },
      entry: [{ item: to(first ? 'Observation/m1' : 'Observation/m2') }],
    },
    {
      ...{
        resourceType: 'DiagnosticReport',
        id: 'td',
        status: 'final',
        code: concept(word),
        subject: of('theirs'),
      },
      result: [to(first ? 'Observation/m1' : 'Observation/m3')],
    },
    {
      ...{ resourceType: 'Provenance', id: 'tp', recorded: '2024-01-01T00:00:00Z' },
      ...{
        target: [to(first ? 'Observation/m1' : 'Observation/t1')],
        agent: [{ who: to(first ? 'Practitioner/doc' : 'Practitioner/their-doc') }],
      },
      reason: [concept(word)],
    },
    { resourceType: 'Basic', id: 'tb', code: concept(word), subject: of(first ? 'theirs' : 'p-two') },
    {
      ...{ resourceType: 'Group', id: 'tg', type: 'person', actual: true, name: word },
      member: [{ entity: of('theirs') }],
    },
  ];
}

/** Resources that change from one patient to the other: `away` was mine, `came` was theirs. */
export function movers(world: World, step: 0 | 1): readonly Stored[] {
  const word = wordOf(world);
  const value = world === 0 ? 40 : 70;
  return step === 0
    ? [observation('away', 'mine', 7), observation('came', 'theirs', value, { note: [{ text: word }] })]
    : [observation('away', 'theirs', value, { note: [{ text: word }] }), observation('came', 'mine', 8)];
}

/** Versions of others that differ between the worlds, and deletions. */
export function later(world: World): readonly object[] {
  const change = theirs(world)
    .filter(({ id }) => ['t1', 'te', 'theirs'].includes(id))
    .map((resource) => ({
      resource: { ...resource, language: world === 0 ? 'nl' : 'de' },
      request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
    }));
  return [
    ...change,
    { request: { method: 'DELETE', url: world === 0 ? 'Condition/tc' : 'DiagnosticReport/td' } },
  ];
}

export const toEntries = (resources: readonly Stored[]): readonly object[] =>
  resources.map((resource) => ({
    resource,
    request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
  }));

export const rootOf = (world: World, release: Release): string =>
  `/w/${WORLDS[world]}/api/v1/fhir/${release}`;
