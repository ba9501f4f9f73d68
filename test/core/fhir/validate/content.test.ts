/** Full validation: how bindings, invariants and narrative are asked about the elements of a resource, and when. */
import { isJsonObject, parseJson } from '../../../../src/core/fhir/json';
import { errorsOf, judge, observation, patient, validatorOf } from './judged';

const full = { isFull: true };
const DIV = '<div xmlns="http://www.w3.org/1999/xhtml"><p>a</p></div>';

describe('full validation', () => {
  test.each([
    ['a code that its value set does not have', patient({ gender: 'm' }), 'binding Patient.gender'],
    ['one in a nested element', patient({ contact: [{ name: { text: 'A' }, gender: 'm' }] }), 'binding Patient.contact[0].gender'],
    ['one in a data type', patient({ name: [{ use: 'nick', text: 'A' }] }), 'binding Patient.name[0].use'],
    ['one among several', { resourceType: 'CapabilityStatement', status: 'draft', date: '2020', kind: 'instance', implementation: { description: 'a' }, fhirVersion: '4.0.1', format: ['json'], rest: [{ mode: 'server', resource: [{ type: 'Patient', referencePolicy: ['literal', 'figurative'] }] }] }, 'binding CapabilityStatement.rest[0].resource[0].referencePolicy[1]'],
    ['one in an extension', patient({ extension: [{ url: 'http://example.org/e', valueIdentifier: { use: 'a', value: '1' } }] }), 'binding Patient.extension[0].value.ofType(Identifier).use'],
    ['one in an extension of a primitive', patient({ _gender: { extension: [{ url: 'http://example.org/e', valueIdentifier: { use: 'a', value: '1' } }] } }), 'binding Patient.gender.extension[0].value.ofType(Identifier).use'],
    ['an invariant of a type', observation({ effectivePeriod: { start: '2020-02-01', end: '2020-01-01' } }), 'invariant Observation.effective.ofType(Period)'],
    ['an invariant of an element', patient({ contact: [{ gender: 'male' }] }), 'invariant Patient.contact[0]'],
    ['an invariant of a resource', observation({ valueString: 'a', dataAbsentReason: { text: 'b' } }), 'invariant Observation'],
    ['an invariant of an element whose definition stands elsewhere', { resourceType: 'Questionnaire', status: 'draft', item: [{ linkId: '1', type: 'group', item: [{ linkId: '1.1', type: 'display', required: true }] }] }, 'invariant Questionnaire.item[0].item[0]'],
    ['an invariant of a profile that the specification names for an element', observation({ referenceRange: [{ low: { value: 1, comparator: '<' } }] }), 'invariant Observation.referenceRange[0].low'],
    ['a narrative that runs scripts', patient({ text: { status: 'generated', div: DIV.replace('<p>a</p>', '<script>a</script>') } }), 'narrative Patient.text.div'],
    ['a code in a contained resource', patient({ contained: [{ ...observation({ id: 'o' }), status: 'ended', subject: { reference: '#' } }] }), 'binding Patient.contained[0].status'],
    ['an invariant in an entry of a Bundle, seen from there', { resourceType: 'Bundle', type: 'collection', entry: [{ resource: observation({ valueString: 'a', component: [{ code: { coding: [{ code: 'x' }] } }], code: { coding: [{ code: 'x' }] } }) }] }, 'invariant Bundle.entry[0].resource'],
    ['an invariant of Parameters', { resourceType: 'Parameters', parameter: [{ name: 'a' }] }, 'invariant Parameters.parameter[0]'],
    ['an invariant of Bundles', { resourceType: 'Bundle', type: 'collection', total: 1 }, 'invariant Bundle'],
  ])('finds %s', (_title, resource, error) => {
    expect(errorsOf(resource, full)).toEqual([error]);
    expect(errorsOf(resource)).toEqual([]);
  }); // prettier-ignore

  it('names the constraint and its requirement', () => {
    const [finding] = judge(
      observation({ effectivePeriod: { start: '2020-02-01', end: '2020-01-01' } }),
      full,
    );
    expect(finding?.diagnostics).toBe('per-1: If present, start SHALL have a lower value than end');
  });

  it('skips invariants only of elements in which something has the wrong shape', () => {
    const resource = patient({
      gender: 'm',
      birthDate: '2020-13-01',
      contact: [{ gender: 'male', foo: 1 }, { gender: 'male' }],
    });
    expect(errorsOf(resource, full)).toEqual([
      'malformedPrimitive Patient.birthDate',
      'unknownElement Patient.contact[0].foo',
      'binding Patient.gender',
      'invariant Patient.contact[1]',
    ]);
  });

  it('does not look up a malformed code in its value set', () => {
    expect(errorsOf(patient({ gender: ' ' }), full)).toEqual(['malformedPrimitive Patient.gender']);
  });

  it('reports faults of the structure first, then of the content, each in the order of the document', () => {
    const resource = patient({
      text: { status: 'none', div: '<p>a</p>' },
      gender: 'm',
      foo: 1,
      contact: [{ gender: 'f' }],
      maritalStatus: [],
    });
    expect(errorsOf(resource, full)).toEqual([
      'unknownElement Patient.foo',
      'wrongShape Patient.maritalStatus',
      'binding Patient.text.status',
      'narrative Patient.text.div',
      'binding Patient.gender',
      'invariant Patient.contact[0]',
      'binding Patient.contact[0].gender',
    ]);
  });

  it('never checks below values of the wrong shape', () => {
    const resource = patient({ contact: { gender: 'f' }, maritalStatus: [{ coding: 5 }], gender: ['m'] });
    expect(errorsOf(resource, full)).toEqual([
      'wrongShape Patient.contact',
      'wrongShape Patient.maritalStatus',
      'wrongShape Patient.gender',
    ]);
  });

  it('leaves codes that only a terminology service can check to it, with their expressions', () => {
    const coding = {
      system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation',
      code: 'H',
    };
    const resource = parseJson(JSON.stringify(observation({ interpretation: [{ coding: [coding] }] }))).value;
    if (!isJsonObject(resource)) throw new Error('a resource is an object');
    expect(validatorOf('r4').validate(resource, { ...full, wantsWarnings: true }).pending).toEqual([
      {
        valueSet: 'http://hl7.org/fhir/ValueSet/observation-interpretation',
        strength: 'extensible',
        codings: [coding],
        expression: 'Observation.interpretation[0].coding[0].code',
      },
    ]);
    expect(validatorOf('r4').validate(resource, full).pending).toEqual([]);
  });

  it('reports warnings only on request', () => {
    const { value } = parseJson(JSON.stringify(patient()));
    if (!isJsonObject(value)) throw new Error('a resource is an object');
    const validator = validatorOf('r4');
    expect(validator.validate(value, full).findings).toEqual([]);
    expect(validator.validate(value, { ...full, wantsWarnings: true }).findings).toEqual([
      {
        rule: 'invariant',
        severity: 'warning',
        expression: 'Patient',
        diagnostics: 'dom-6: A resource should have narrative for robust management',
      },
    ]);
  });
});
