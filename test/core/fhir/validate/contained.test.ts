/** Resources inside of resources. Source: https://hl7.org/fhir/R4/references.html#contained */
import { errorsOf, judge, observation, patient } from './judged';
import { leastProcessorMilliseconds } from '../../../support/processor-time';

const practitioner = (members: object = {}): object => ({
  resourceType: 'Practitioner',
  id: 'p',
  ...members,
});
const referring = (contained: object[], members: object = {}): object =>
  patient({ contained, generalPractitioner: [{ reference: '#p' }], ...members });

describe('a contained resource', () => {
  test.each([
    ['that its container refers to', referring([practitioner()])],
    ['that refers to its container', patient({ contained: [{ ...observation({ id: 'o' }), subject: { reference: '#' } }] })],
    ['that another contained resource refers to', patient({
      contained: [practitioner(), { resourceType: 'PractitionerRole', id: 'r', practitioner: { reference: '#p' } }],
      generalPractitioner: [{ reference: '#r' }],
    })],
    ['that a canonical refers to', {
      resourceType: 'Questionnaire',
      status: 'draft',
      contained: [{ resourceType: 'ValueSet', id: 'v', status: 'draft' }],
      item: [{ linkId: '1', type: 'choice', answerValueSet: '#v' }],
    }],
    ['that an extension refers to', patient({ contained: [practitioner()], extension: [{ url: 'http://example.org/e', valueReference: { reference: '#p' } }] })],
  ])('%s is accepted', (_title, resource) => {
    expect(judge(resource)).toEqual([]);
  }); // prettier-ignore

  test.each([
    ['that nothing refers to', patient({ contained: [practitioner()] }), 'invariant Patient.contained[0]', "dom-3: nothing in this resource refers to the contained resource '#p', and it does not refer to its container"],
    ['without a type', referring([{ id: 'p' }]), 'requiredMissing Patient.contained[0].resourceType', "'resourceType' is missing; the type of the resource is required"],
    ['of an unknown type', referring([{ id: 'p', resourceType: 'Foo' }]), 'wrongShape Patient.contained[0].resourceType', "'Foo' is not a resource type of FHIR 4.0.1"],
    ['of an abstract type', referring([{ id: 'p', resourceType: 'Resource' }]), 'wrongShape Patient.contained[0].resourceType', "'Resource' is not a resource type of FHIR 4.0.1"],
    ['that is no object', referring([practitioner(), 'x' as unknown as object]), 'wrongShape Patient.contained[1]', "'contained' holds a resource each: an object is needed, but the text 'x' was found"],
    ['without an id', patient({ contained: [practitioner({ id: undefined })] }), 'requiredMissing Patient.contained[0].id', "'id' is missing; a contained resource is found by its id"],
    ['with the id of another', referring([practitioner(), practitioner()]), 'business Patient.contained[1].id', "Another contained resource has the id 'p' too; each needs its own"],
    ['that contains another', referring([practitioner({ contained: [{ resourceType: 'Organization', id: 'o' }] })]), 'invariant Patient.contained[0].contained', 'dom-2: a contained resource cannot contain others'],
    ['with a version', referring([practitioner({ meta: { versionId: '1' } })]), 'invariant Patient.contained[0].meta.versionId', 'dom-4: a contained resource has no meta.versionId'],
    ['with a time of update', referring([practitioner({ meta: { lastUpdated: '2020-01-01T00:00:00Z' } })]), 'invariant Patient.contained[0].meta.lastUpdated', 'dom-4: a contained resource has no meta.lastUpdated'],
    ['with a security label', referring([practitioner({ meta: { security: [{ code: 'R' }] } })]), 'invariant Patient.contained[0].meta.security', 'dom-5: a contained resource has no security labels'],
  ])('%s is refused', (_title, resource, error, sentence) => {
    const [first] = judge(resource);
    expect(`${first?.rule} ${first?.expression}`).toBe(error);
    expect(first?.diagnostics).toBe(sentence);
  }); // prettier-ignore

  it('is judged by its own type, at its own place', () => {
    const resource = referring([practitioner({ birthDate: 'x', gender: [] })]);
    expect(errorsOf(resource)).toEqual([
      'malformedPrimitive Patient.contained[0].birthDate',
      'wrongShape Patient.contained[0].gender',
    ]);
  });

  it('is not reported as unused where the reference to it may be broken', () => {
    const resource = patient({ contained: [practitioner()], generalPractitioner: [{ referenze: '#p' }] });
    expect(errorsOf(resource)).toEqual(['unknownElement Patient.generalPractitioner[0].referenze']);
  });

  it('may be one of very many: that each is referred to is found in linear time', () => {
    const count = 20_000;
    const contained = Array.from({ length: count }, (_, index) => practitioner({ id: `p${index}` }));
    const generalPractitioner = contained.slice(1).map((_, index) => ({ reference: `#p${index + 1}` }));
    const spent = leastProcessorMilliseconds(3_000, () => {
      expect(errorsOf(patient({ contained, generalPractitioner }), { isFull: true })).toEqual([
        'invariant Patient.contained[0]',
      ]);
    });
    expect(spent).toBeLessThan(3_000);
  });
});

describe('a reference to a contained resource', () => {
  test.each([
    ['that is not there', patient({ generalPractitioner: [{ reference: '#p' }] }), 'invariant Patient.generalPractitioner[0]', "ref-1: '#p' was found, but no contained resource has this id"],
    ['to the container, from outside of a contained resource', patient({ link: [{ type: 'seealso', other: { reference: '#' } }] }), 'invariant Patient.link[0].other', "ref-1: '#' stands for the container of a contained resource, but this resource is not contained"],
    ['of a type that is not allowed', patient({ contained: [{ ...observation({ id: 'o' }) }], generalPractitioner: [{ reference: '#o' }] }), 'reference Patient.generalPractitioner[0].reference', 'The reference is to an Observation; allowed are references to Organization, Practitioner, PractitionerRole'],
    ['to a container of a type that is not allowed', patient({ contained: [{ resourceType: 'PractitionerRole', id: 'r', practitioner: { reference: '#' } }] }), 'reference Patient.contained[0].practitioner.reference', 'The reference is to a Patient; allowed are references to Practitioner'],
    ['by a canonical, of a type that is not allowed', {
      resourceType: 'Questionnaire', status: 'draft', contained: [{ resourceType: 'Questionnaire', id: 'v', status: 'draft' }],
      item: [{ linkId: '1', type: 'choice', answerValueSet: '#v' }],
    }, 'reference Questionnaire.item[0].answerValueSet', 'The reference is to a Questionnaire; allowed are references to ValueSet'],
  ])('%s is refused', (_title, resource, error, sentence) => {
    expect(errorsOf(resource)).toEqual([error]);
    expect(judge(resource)[0]?.diagnostics).toBe(sentence);
  }); // prettier-ignore

  it('is sought in the innermost container: entries of a Bundle do not share theirs', () => {
    const inBundle = (resource: object): object => ({ resource });
    const bundle = {
      resourceType: 'Bundle',
      type: 'collection',
      entry: [
        inBundle(referring([practitioner()])),
        inBundle(patient({ generalPractitioner: [{ reference: '#p' }] })),
        inBundle(patient({ contained: [practitioner()] })),
      ],
    };
    expect(errorsOf(bundle)).toEqual([
      'invariant Bundle.entry[1].resource.generalPractitioner[0]',
      'invariant Bundle.entry[2].resource.contained[0]',
    ]);
  });
});

describe('a resource in another that does not contain it', () => {
  it('is judged by its own type in a Bundle', () => {
    const bundle = {
      resourceType: 'Bundle',
      type: 'batch',
      entry: [
        { resource: patient({ gender: 5 }) },
        { resource: { resourceType: 'Observation' } },
        { resource: 'x' },
      ],
    };
    expect(errorsOf(bundle)).toEqual([
      'malformedPrimitive Bundle.entry[0].resource.gender',
      'requiredMissing Bundle.entry[1].resource.status',
      'requiredMissing Bundle.entry[1].resource.code',
      'wrongShape Bundle.entry[2].resource',
    ]);
  });

  it('is judged by its own type in Parameters, in parts too', () => {
    const parameters = {
      resourceType: 'Parameters',
      parameter: [
        { name: 'a', resource: patient({ foo: 1 }) },
        {
          name: 'b',
          part: [
            { name: 'c', resource: { id: 'x' } },
            { name: 'd', valueUri: 5 },
          ],
        },
      ],
    };
    expect(errorsOf(parameters)).toEqual([
      'unknownElement Parameters.parameter[0].resource.foo',
      'requiredMissing Parameters.parameter[1].part[0].resource.resourceType',
      'malformedPrimitive Parameters.parameter[1].part[1].value.ofType(uri)',
    ]);
  });
});
