/** Random sets of resources, small and colliding on purpose. */
import {
  condition,
  encounter,
  medicationRequest,
  molecularSequence,
  observation,
  riskAssessment,
  serviceRequest,
} from './generate-clinical';
import {
  documentReference,
  group,
  list,
  questionnaire,
  questionnaireResponse,
  questionnaireUrl,
} from './generate-forms';
import { location, organization, patient, practitioner } from './generate-people';
import { CONCEPTS } from './generate-values';
import { hasValue, tidy, type JsonObject, type Resource } from './json';
import { WORDS } from './narrative';
import { namedQueryDefinitions } from './named-query';
import { HL7_CODES, idsOf, type Make, type Maker } from './maker';
import { createRandom } from './random';

/** Number of resources of each type in a set of the usual size. */
const COUNTS: Readonly<Record<string, number>> = {
  Organization: 8,
  Practitioner: 8,
  Patient: 24,
  Location: 8,
  Encounter: 16,
  Observation: 60,
  Condition: 16,
  MedicationRequest: 12,
  RiskAssessment: 16,
  MolecularSequence: 8,
  ServiceRequest: 10,
  Questionnaire: 6,
  QuestionnaireResponse: 12,
  List: 5,
  Group: 6,
  DocumentReference: 10,
};

const PROFILES = ['http://acme.org/Profile/p', 'http://acme.org/Profile/p|1.0', 'http://acme.org/Profile/q'];

const meta = ({ random }: Maker): JsonObject | undefined =>
  random.chance(0.3)
    ? tidy({
        tag: random.chance(0.6)
          ? [tidy({ system: random.pick(['urn:tags', undefined]), code: random.pick(['a', 'A', 'b']) })]
          : undefined,
        profile: random.chance(0.4) ? [random.pick(PROFILES)] : undefined,
        security: random.chance(0.4)
          ? [{ system: `${HL7_CODES}v3-Confidentiality`, code: random.pick(['R', 'N']) }]
          : undefined,
        source: random.pick([
          undefined,
          'http://source.example/a',
          'http://source.example/a/b',
          'urn:oid:1.2.3',
        ]),
      })
    : undefined;

const narrative = ({ random }: Maker): JsonObject | undefined =>
  random.chance(0.2)
    ? {
        status: 'additional',
        div: `<div xmlns="http://www.w3.org/1999/xhtml"><p class="vexwort">A <b>${random.pick(WORDS)}</b>, ${random.pick(['B &amp; C', 'FRÖSTELIG', 'quim<b>ble</b>', 'well'])}</p><p>${random.pick(WORDS)}<br/>indeed</p></div>`,
      }
    : undefined;

const MAKERS: Readonly<Record<string, Make>> = {
  Organization: organization,
  Practitioner: practitioner,
  Patient: patient,
  Location: location,
  Encounter: encounter,
  Observation: observation,
  Condition: condition,
  MedicationRequest: medicationRequest,
  RiskAssessment: riskAssessment,
  MolecularSequence: molecularSequence,
  ServiceRequest: serviceRequest,
  Questionnaire: questionnaire,
  QuestionnaireResponse: questionnaireResponse,
  List: list,
  Group: group,
  DocumentReference: documentReference,
};

/** A code system with a hierarchy, and value sets over it and over others. */
function makeTerminology(): Resource[] {
  const [trunk = '', branch = '', leaf = '', ...others] = CONCEPTS.anatomy;
  const valueSet = (id: string, compose: JsonObject): Resource => ({
    resourceType: 'ValueSet',
    id,
    url: `http://andiron.example/ValueSet/${id}`,
    version: '1',
    status: 'active',
    compose,
  });
  return [
    {
      resourceType: 'CodeSystem',
      id: 'anatomy',
      url: CONCEPTS.anatomySystem,
      status: 'active',
      content: 'complete',
      caseSensitive: true,
      hierarchyMeaning: 'is-a',
      concept: [
        { code: trunk, concept: [{ code: branch, concept: [{ code: leaf }] }] },
        ...others.map((code) => ({ code })),
      ],
    },
    valueSet('listed', {
      include: [{ system: 'http://loinc.org', concept: [{ code: '8310-5' }, { code: '85354-9' }] }],
    }),
    valueSet('below-branch', {
      include: [
        { system: CONCEPTS.anatomySystem, filter: [{ property: 'concept', op: 'is-a', value: branch }] },
      ],
    }),
    valueSet('mixed', {
      include: [{ system: CONCEPTS.anatomySystem }, { valueSet: ['http://andiron.example/ValueSet/listed'] }],
      exclude: [{ system: CONCEPTS.anatomySystem, concept: [{ code: leaf }] }],
    }),
  ];
}

export interface DataOptions {
  readonly seed: number;
  /** The address of the space that the data are for. */
  readonly root: string;
  /** Factor of the usual number of resources. */
  readonly size?: number;
}

/** A set of resources; the same for the same options. */
export function generateData({ seed, root, size = 1 }: DataOptions): Resource[] {
  const counts = Object.fromEntries(
    Object.entries(COUNTS).map(([type, count]) => [type, Math.ceil(count * size)]),
  );
  const maker: Maker = { random: createRandom(seed), root, counts };
  const made = Object.entries(MAKERS).flatMap(([resourceType, make]) =>
    idsOf(maker, resourceType).map((id, index): Resource => {
      const own = meta(maker);
      const url = resourceType === 'Questionnaire' ? questionnaireUrl(index) : undefined;
      return {
        resourceType,
        id,
        ...tidy({
          meta: own !== undefined && hasValue(own) ? own : undefined,
          text: narrative(maker),
          url,
          ...make(maker),
        }),
      };
    }),
  );
  return [...made, ...makeTerminology(), ...namedQueryDefinitions()];
}
