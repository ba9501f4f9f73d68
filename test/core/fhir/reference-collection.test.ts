import { FhirError } from '../../../src/core/errors';
import type { JsonObject } from '../../../src/core/fhir/json';
import {
  checkReferences,
  collectReferences,
  createReferenceResolver,
} from '../../../src/core/fhir/reference';

const other = 'https://fhir.example/w/other/api/v1/fhir/r4';
const resolver = createReferenceResolver({
  ownAddresses: ['https://fhir.example'],
  tenant: 'acme',
  release: 'r4',
  resourceTypes: ['Patient', 'Organization'],
});

const patient: JsonObject = {
  resourceType: 'Patient',
  meta: {
    profile: [`${other}/StructureDefinition/x`],
    extension: [
      { url: 'https://andiron.example/author', valueReference: { reference: 'ClientApplication/anonymous' } },
      { url: 'http://a', valueReference: { reference: 'Organization/meta' } },
    ],
  },
  contained: [{ resourceType: 'Organization', id: 'o', partOf: { reference: 'Organization/2' } }],
  extension: [
    {
      url: 'http://hl7.org/fhir/StructureDefinition/patient-birthPlace',
      extension: [{ url: 'x', valueReference: { reference: '#o' } }],
    },
  ],
  identifier: [
    {
      system: 'http://hospital.example/ids',
      value: 'reference',
      assigner: { reference: `${other}/Organization/9` },
    },
  ],
  generalPractitioner: [{ display: 'no reference' }, { reference: 'Practitioner/1' }],
  photo: [{ url: `${other}/Binary/1` }],
};

test('references are found at any depth, with their expressions', () => {
  expect(collectReferences(patient).map(({ reference, expression }) => [reference, expression()])).toEqual([
    [`${other}/StructureDefinition/x`, 'Patient.meta.profile[0]'],
    ['Organization/meta', 'Patient.meta.extension[1].valueReference.reference'],
    ['Organization/2', 'Patient.contained[0].partOf.reference'],
    ['#o', 'Patient.extension[0].extension[0].valueReference.reference'],
    [`${other}/Organization/9`, 'Patient.identifier[0].assigner.reference'],
    ['Practitioner/1', 'Patient.generalPractitioner[1].reference'],
    [`${other}/Binary/1`, 'Patient.photo[0].url'],
  ]);
});

test('a resource that leaves its space is refused with every place that does', () => {
  expect.assertions(3);
  try {
    checkReferences(patient, resolver);
  } catch (thrown) {
    if (!(thrown instanceof FhirError)) throw thrown;
    expect(thrown).toMatchObject({ key: 'foreignReference', status: 422 });
    expect(thrown.issues.map((issue) => issue.expression)).toEqual([
      'Patient.meta.profile[0]',
      'Patient.identifier[0].assigner.reference',
      'Patient.photo[0].url',
    ]);
    expect(thrown.issues[1]?.diagnostics).toBe(
      `The reference '${other}/Organization/9' leaves this tenant's data of this release, which is not allowed`,
    );
  }
});

test('a resource that refers to its own space or to other servers passes', () => {
  expect(() =>
    checkReferences(
      {
        resourceType: 'Patient',
        managingOrganization: { reference: 'https://fhir.example/w/acme/api/v1/fhir/r4/Organization/1' },
        link: [{ other: { reference: 'https://elsewhere.example/w/other/api/v1/fhir/r4/Patient/1' } }],
        text: { status: 'generated', div: `<div><a href="${other}/Patient/1">a link in a text</a></div>` },
      },
      resolver,
    ),
  ).not.toThrow();
});

test('the last of many references is refused without a look at all others for each', () => {
  let looks = 0;
  const long: JsonObject = {
    resourceType: 'Composition',
    author: Array.from({ length: 1000 }, () => ({
      get reference(): string {
        looks++;
        return 'Practitioner/1';
      },
    })),
    subject: { reference: `${other}/Patient/1` },
  };
  expect(() => checkReferences(long, resolver)).toThrow(FhirError);
  expect(looks).toBeLessThanOrEqual(4000);
});
