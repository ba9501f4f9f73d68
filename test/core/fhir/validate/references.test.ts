/** Types that references may point to. Source: https://hl7.org/fhir/R4/references.html */
import { errorsOf, judge, observation, patient } from './judged';

const about = (subject: object): object => observation({ subject });

describe('a reference is accepted', () => {
  test.each([
    ['to a type that is allowed', about({ reference: 'Patient/1' })],
    ['to a version of it', about({ reference: 'Patient/1/_history/2' })],
    ['to one on another server', about({ reference: 'https://example.org/fhir/Device/1' })],
    ['by a search', about({ reference: 'Patient?identifier=urn:x|1' })],
    ['by a urn', about({ reference: 'urn:uuid:6f4d9f4c-3b1e-4a5c-9d43-5f7f4e0d1c11' })],
    ['to a url that does not say what is behind it', about({ reference: 'http://example.org/files/Practitioners/list.pdf' })],
    ['to a url that only looks like a reference', about({ reference: 'http://example.org/Dossier/17' })],
    ['by its identifier alone', about({ identifier: { value: '1' }, type: 'Patient' })],
    ['with its type as a url', about({ reference: 'Patient/1', type: 'http://hl7.org/fhir/StructureDefinition/Patient' })],
    ['to anything, where anything is allowed', observation({ focus: [{ reference: 'Practitioner/1' }, { reference: 'Medication/2', type: 'Medication' }] })],
    ['to anything, in an extension', patient({ extension: [{ url: 'http://example.org/e', valueReference: { reference: 'ClientApplication/1' } }] })],
  ])('%s', (_title, resource) => {
    expect(judge(resource)).toEqual([]);
  }); // prettier-ignore
});

describe('a reference is refused', () => {
  const allowed = 'allowed are references to Patient, Group, Device, Location';
  test.each([
    ['to a type that is not allowed', { reference: 'Practitioner/1' }, 'Observation.subject.reference', `The reference is to a Practitioner; ${allowed}`],
    ['to a version of one', { reference: 'Practitioner/1/_history/2' }, 'Observation.subject.reference', `The reference is to a Practitioner; ${allowed}`],
    ['to one on another server', { reference: 'https://example.org/fhir/Practitioner/1' }, 'Observation.subject.reference', `The reference is to a Practitioner; ${allowed}`],
    ['by a search for one', { reference: 'Practitioner?identifier=1' }, 'Observation.subject.reference', `The reference is to a Practitioner; ${allowed}`],
    ['to a name that is no type', { reference: 'Human/2' }, 'Observation.subject.reference', `The reference is to a Human; ${allowed}`],
    ['to a type by `type` that is not allowed', { type: 'Practitioner', identifier: { value: '1' } }, 'Observation.subject.type', `The reference is to a Practitioner; ${allowed}`],
    ['to what is no type by `type`', { type: 'Human', display: 'A' }, 'Observation.subject.type', `The reference is to a Human; ${allowed}`],
    ['whose type contradicts it', { reference: 'Patient/1', type: 'Group' }, 'Observation.subject.type', "The type 'Group' contradicts the reference, which is to a Patient"],
  ])('%s', (_title, subject, expression, diagnostics) => {
    expect(judge(about(subject))).toEqual([{ rule: 'reference', severity: 'error', expression, diagnostics }]);
  }); // prettier-ignore

  it('in a CodeableReference of R4B', () => {
    const resource = {
      resourceType: 'ClinicalUseDefinition',
      type: 'indication',
      indication: { diseaseSymptomProcedure: { reference: { reference: 'Patient/1' } } },
    };
    expect(errorsOf(resource, { release: 'r4b' })).toEqual([
      'reference ClinicalUseDefinition.indication.diseaseSymptomProcedure.reference.reference',
    ]);
  });
});
