/** Members, shapes, cardinality and choices. Source: https://hl7.org/fhir/R4/json.html */
import { errorsOf, judge, observation, patient, validatorOf } from './judged';
import { leastProcessorMilliseconds } from '../../../support/processor-time';

const extension = [{ url: 'http://example.org/a', valueString: 'a' }];

describe('a resource with the right structure is accepted', () => {
  test.each([
    ['with nothing but its type', patient()],
    ['with single and repeating elements', patient({ active: true, name: [{ given: ['A', 'B'], family: 'C' }] })],
    ['with nested elements', patient({ contact: [{ name: { text: 'A' }, relationship: [{ text: 'sister' }] }] })],
    ['with one type of a choice', patient({ deceasedBoolean: false, multipleBirthInteger: 2 })],
    ['with elements whose definition stands elsewhere', {
      resourceType: 'Questionnaire',
      status: 'draft',
      item: [{ linkId: '1', type: 'group', item: [{ linkId: '1.1', type: 'string', item: [{ linkId: '1.1.1', type: 'string' }] }] }],
    }],
    ['with an extension of each kind', patient({
      extension: [
        { url: 'http://example.org/a', valueString: 'x' },
        { url: 'http://example.org/b', extension: [{ url: 'part', valueInteger: 1 }] },
      ],
      modifierExtension: [{ url: 'http://example.org/c', valueCoding: { code: 'x' } }],
    })],
  ])('%s', (_title, resource) => {
    expect(judge(resource)).toEqual([]);
  }); // prettier-ignore
});

describe('an element that the type does not have is refused', () => {
  test.each([
    ['at the resource', patient({ foo: 1 }), 'Patient.foo', "'foo' is not an element of Patient; allowed are resourceType, id, meta, implicitRules, language, text, contained, extension, modifierExtension, identifier, active, name, telecom, gender, birthDate …"],
    ['that is misspelt', patient({ gendr: 'male' }), 'Patient.gendr', "'gendr' is not an element of Patient; did you mean gender? Allowed are resourceType, id, meta, implicitRules, language, text, contained, extension, modifierExtension, identifier, active, name, telecom, gender, birthDate …"],
    ['in a data type', patient({ name: [{}, { first: 'A' }] }), 'Patient.name[1].first', "'first' is not an element of HumanName; allowed are id, extension, use, text, family, given, prefix, suffix, period"],
    ['in a nested element', patient({ contact: [{ phone: '1' }] }), 'Patient.contact[0].phone', "'phone' is not an element of Patient.contact; allowed are id, extension, modifierExtension, relationship, name, telecom, address, gender, organization, period"],
    ['in an id and extensions of a primitive', patient({ birthDate: '2020', _birthDate: { value: 1 } }), 'Patient.birthDate.value', "'value' is not an element of date; allowed are id, extension"],
    ['that is misspelt in its case', patient({ birthdate: '2020' }), 'Patient.birthdate', "'birthdate' is not an element of Patient; it is spelt 'birthDate'"],
    ['with a type that the choice does not have', observation({ valueFoo: 1 }), 'Observation.valueFoo', "'valueFoo' is not an element of Observation: 'value' has no type 'Foo'; allowed are valueQuantity, valueCodeableConcept, valueString, valueBoolean, valueInteger, valueRange, valueRatio, valueSampledData, valueTime, valueDateTime, valuePeriod"],
    ['a choice without its type', observation({ value: 1 }), 'Observation.value', "'value' must have its type in its name; allowed are valueQuantity, valueCodeableConcept, valueString, valueBoolean, valueInteger, valueRange, valueRatio, valueSampledData, valueTime, valueDateTime, valuePeriod"],
    ['a choice by the name of its definition', observation({ 'value[x]': 1 }), 'Observation.`value[x]`', "'value[x]' must have its type in its name; allowed are valueQuantity, valueCodeableConcept, valueString, valueBoolean, valueInteger, valueRange, valueRatio, valueSampledData, valueTime, valueDateTime, valuePeriod"],
    ['resourceType in a data type', patient({ name: [{ resourceType: 'HumanName', text: 'A' }] }), 'Patient.name[0].resourceType', "'resourceType' is allowed in resources only, but this is a HumanName"],
    ['an id beside a complex element', patient({ name: [{ text: 'A' }], _name: [{ id: 'a' }] }), 'Patient._name', "'_name' is not allowed: 'name' is no element that has its id and extensions beside it"],
    ['an extension of the id of an element', patient({ name: [{ id: 'a', _id: { id: 'b' }, text: 'A' }] }), 'Patient.name[0]._id', "'_id' is not allowed: 'id' is no element that has its id and extensions beside it"],
    ['an extension of the url of an extension', patient({ extension: [{ url: 'http://a.org', _url: { id: 'b' }, valueCode: 'a' }] }), 'Patient.extension[0]._url', "'_url' is not allowed: 'url' is no element that has its id and extensions beside it"],
    ['with a name that is no name', patient({ 'a b\u0007': 1 }), 'Patient.`a b\ufffd`', "'a b\ufffd' is not an element of Patient; allowed are resourceType, id, meta, implicitRules, language, text, contained, extension, modifierExtension, identifier, active, name, telecom, gender, birthDate …"],
  ])('%s', (_title, resource, expression, diagnostics) => {
    const found = judge(resource).filter(({ rule }) => rule === 'unknownElement');
    expect(found).toEqual([{ rule: 'unknownElement', severity: 'error', expression, diagnostics }]);
  }); // prettier-ignore

  it('even if it is called like something that every JavaScript object has', () => {
    expect(errorsOf(patient({ toString: 1, hasOwnProperty: 2 }))).toEqual([
      'unknownElement Patient.toString',
      'unknownElement Patient.hasOwnProperty',
    ]);
  });
});

describe('an element of the wrong shape is refused', () => {
  test.each([
    ['an array for a single primitive', patient({ gender: ['male'] }), 'Patient.gender', "'gender' cannot repeat: it must be one value, but an array of 1 was found"],
    ['an object for a primitive', patient({ gender: {} }), 'Patient.gender', "'gender' is a code, but an object was found"],
    ['null for a primitive', patient({ gender: null }), 'Patient.gender', "'gender' is null; an element without a value is left out"],
    ['a single value for repeating primitives', patient({ name: [{ given: 'A' }] }), 'Patient.name[0].given', "'given' may repeat: it must be an array, but the text 'A' was found"],
    ['an object among primitives', patient({ name: [{ given: ['A', {}] }] }), 'Patient.name[0].given[1]', "'given' holds a string each, but an object was found"],
    ['an array among primitives', patient({ name: [{ given: ['A', ['B']] }] }), 'Patient.name[0].given[1]', "'given' holds a string each, but an array of 1 was found"],
    ['an empty array', patient({ name: [] }), 'Patient.name', "'name' is an empty array; an element without a value is left out"],
    ['an object for a repeating element', patient({ name: { text: 'A' } }), 'Patient.name', "'name' may repeat: it must be an array, but an object was found"],
    ['an array for a single object', patient({ maritalStatus: [{ text: 'A' }] }), 'Patient.maritalStatus', "'maritalStatus' cannot repeat: it must be one object, but an array of 1 was found"],
    ['a primitive for an object', patient({ maritalStatus: 'M' }), 'Patient.maritalStatus', "'maritalStatus' is a CodeableConcept: an object is needed, but the text 'M' was found"],
    ['a primitive for an object of a choice', observation({ valueQuantity: 1.5 }), 'Observation.value.ofType(Quantity)', "'valueQuantity' is a Quantity: an object is needed, but the number 1.5 was found"],
    ['null for an object', patient({ maritalStatus: null }), 'Patient.maritalStatus', "'maritalStatus' is null; an element without a value is left out"],
    ['null among objects', patient({ name: [{ text: 'A' }, null] }), 'Patient.name[1]', "'name' holds a HumanName each: an object is needed, but null was found"],
    ['a primitive among objects', patient({ name: ['A'] }), 'Patient.name[0]', "'name' holds a HumanName each: an object is needed, but the text 'A' was found"],
    ['an array among objects', patient({ name: [[]] }), 'Patient.name[0]', "'name' holds a HumanName each: an object is needed, but an empty array was found"],
    ['an empty object', patient({ maritalStatus: {} }), 'Patient.maritalStatus', 'An object is empty; an element without content is left out'],
    ['an empty object in an array', patient({ name: [{ text: 'A' }, {}] }), 'Patient.name[1]', 'An object is empty; an element without content is left out'],
  ])('%s', (_title, resource, expression, diagnostics) => {
    expect(judge(resource)).toEqual([{ rule: 'wrongShape', severity: 'error', expression, diagnostics }]);
  }); // prettier-ignore

  it('an empty string, as a malformed value of its type', () => {
    expect(errorsOf(patient({ gender: '', name: [{ given: ['A', ''] }] }))).toEqual([
      'malformedPrimitive Patient.gender',
      'malformedPrimitive Patient.name[0].given[1]',
    ]);
  });

  it('a number or boolean for text, and text for a number or boolean', () => {
    const text =
      '{"resourceType":"Patient","active":"true","gender":1.0,"multipleBirthInteger":"2","birthDate":true}';
    expect(errorsOf(text)).toEqual([
      'malformedPrimitive Patient.active',
      'malformedPrimitive Patient.gender',
      'malformedPrimitive Patient.multipleBirth.ofType(integer)',
      'malformedPrimitive Patient.birthDate',
    ]);
  });
});

it('the meta of a resource is checked like everything else', () => {
  const meta = (members: object): object => patient({ meta: members });
  expect(
    judge(meta({ profile: [null, 'http://a'], _profile: [{ extension }, null], source: 'urn:a' })),
  ).toEqual([]);
  const broken: [object, string][] = [
    [{}, 'wrongShape Patient.meta'],
    [{ versionId: 1 }, 'malformedPrimitive Patient.meta.versionId'],
    [{ lastUpdated: [] }, 'wrongShape Patient.meta.lastUpdated'],
    [{ lastUpdated: '2020' }, 'malformedPrimitive Patient.meta.lastUpdated'],
    [{ profile: 'http://a' }, 'wrongShape Patient.meta.profile'],
    [{ profile: ['http://a', {}] }, 'wrongShape Patient.meta.profile[1]'],
    [{ tag: ['urgent'] }, 'wrongShape Patient.meta.tag[0]'],
    [{ security: {} }, 'wrongShape Patient.meta.security'],
    [{ extension: [{ valueCode: 'a' }] }, 'requiredMissing Patient.meta.extension[0].url'],
    [{ extension: [null] }, 'wrongShape Patient.meta.extension[0]'],
  ];
  for (const [members, error] of broken) expect(errorsOf(meta(members))).toEqual([error]);
});

describe('cardinality', () => {
  test.each([
    ['a required code', { resourceType: 'Observation', code: { text: 'A' } }, 'Observation.status', "'status' is missing; a code is required"],
    ['a required object', { resourceType: 'Observation', status: 'final' }, 'Observation.code', "'code' is missing; a CodeableConcept is required"],
    ['a required nested element', { resourceType: 'AuditEvent', type: { code: 'a' }, recorded: '2020-01-01T00:00:00Z', source: { observer: { display: 'A' } } }, 'AuditEvent.agent', "'agent' is missing; an AuditEvent.agent is required"],
    ['a required choice', { resourceType: 'MedicationRequest', status: 'active', intent: 'order', subject: { display: 'A' } }, 'MedicationRequest.medication', "'medication' is missing; a CodeableConcept or a Reference is required"],
    ['what is required in a nested element', patient({ communication: [{ preferred: true }] }), 'Patient.communication[0].language', "'language' is missing; a CodeableConcept is required"],
    ['what is required in a data type', patient({ text: { status: 'empty' } }), 'Patient.text.div', "'div' is missing; an xhtml is required"],
    ['the url of an extension', patient({ extension: [{ valueString: 'a' }] }), 'Patient.extension[0].url', "'url' is missing; a uri is required"],
  ])('refuses a resource without %s', (_title, resource, expression, diagnostics) => {
    expect(judge(resource)).toEqual([{ rule: 'requiredMissing', severity: 'error', expression, diagnostics }]);
  }); // prettier-ignore

  it('accepts an extension that explains a missing value of a required primitive', () => {
    const reason = {
      url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason',
      valueCode: 'unknown',
    };
    expect(judge(observation({ status: undefined, _status: { extension: [reason] } }))).toEqual([]);
  });

  it('lists missing elements after the faults of present ones', () => {
    expect(errorsOf({ resourceType: 'Observation', foo: 1 })).toEqual([
      'unknownElement Observation.foo',
      'requiredMissing Observation.status',
      'requiredMissing Observation.code',
    ]);
  });

  it('allows no extension of the XHTML of a narrative, which the definitions forbid', () => {
    const extension = [{ url: 'http://example.org/a', valueString: 'a' }];
    const text = {
      status: 'generated',
      div: '<div xmlns="http://www.w3.org/1999/xhtml">a</div>',
      _div: { extension },
    };
    expect(errorsOf(patient({ text }))).toEqual(['cardinality Patient.text.div.extension']);
  });
});

describe('a choice of types', () => {
  it('is refused with two types, at the choice', () => {
    expect(judge(observation({ valueString: 'a', valueInteger: 1 }))).toEqual([
      {
        rule: 'cardinality',
        severity: 'error',
        expression: 'Observation.value',
        diagnostics: "'value' has one type only, but both 'valueString' and 'valueInteger' were found",
      },
    ]);
  });

  it('is refused once for each further type, not for each of its members', () => {
    const members = { valueString: 'a', valueInteger: 1, _valueInteger: { id: 'a' }, valueBoolean: true };
    expect(errorsOf(observation(members))).toEqual([
      'cardinality Observation.value',
      'cardinality Observation.value',
    ]);
  });

  it('may have an id and extensions beside its value, before or after it', () => {
    const companion = { extension: [{ url: 'http://example.org/a', valueString: 'a' }] };
    expect(judge(observation({ valueString: 'a', _valueString: companion }))).toEqual([]);
    expect(judge(observation({ _valueString: companion, valueString: 'a' }))).toEqual([]);
  });

  it('is refused when the id and extensions are of another type than the value', () => {
    const companion = { extension: [{ url: 'http://example.org/a', valueString: 'a' }] };
    expect(errorsOf(observation({ valueString: 'a', _valueInteger: companion }))).toEqual([
      'cardinality Observation.value',
    ]);
  });
});

describe('an object that is no resource', () => {
  test.each([
    [{}, 'requiredMissing resourceType', "'resourceType' is missing; the type of the resource is required"],
    [{ resourceType: 5 }, 'wrongShape resourceType', "'resourceType' must be the name of a resource type, but the number 5 was found"],
    [{ resourceType: 'Foo' }, 'wrongShape resourceType', "'Foo' is not a resource type of FHIR 4.0.1"],
    [{ resourceType: 'DomainResource' }, 'wrongShape resourceType', "'DomainResource' is not a resource type of FHIR 4.0.1"],
    [{ resourceType: 'HumanName' }, 'wrongShape resourceType', "'HumanName' is not a resource type of FHIR 4.0.1"],
  ])('%j is refused', (resource, error, sentence) => {
    expect(errorsOf(resource)).toEqual([error]);
    expect(judge(resource)[0]?.diagnostics).toBe(sentence);
  }); // prettier-ignore

  it('differs by release: a type of R4B does not exist in R4', () => {
    const resource = {
      resourceType: 'SubscriptionStatus',
      type: 'handshake',
      subscription: { display: 'A' },
    };
    expect(errorsOf(resource, { release: 'r4' })).toEqual(['wrongShape resourceType']);
    expect(errorsOf(resource, { release: 'r4b' })).toEqual([]);
  });
});

describe('findings', () => {
  it('are in the order of the document', () => {
    const resource = patient({ zzz: 1, name: [{ given: [1], foo: 2 }], birthDate: [], aaa: 2 });
    expect(errorsOf(resource)).toEqual([
      'unknownElement Patient.zzz',
      'malformedPrimitive Patient.name[0].given[0]',
      'unknownElement Patient.name[0].foo',
      'wrongShape Patient.birthDate',
      'unknownElement Patient.aaa',
    ]);
  });

  it('are listed up to 100 errors, with a note if there are more', () => {
    const few = judge(patient({ name: [{ given: Array.from({ length: 100 }, () => 1) }] }));
    expect(few).toHaveLength(100);
    const many = judge(patient({ name: [{ given: Array.from({ length: 101 }, () => 1) }] }));
    expect(many).toHaveLength(101);
    expect(many[100]).toEqual({
      rule: 'tooCostly',
      severity: 'information',
      diagnostics: 'There are more than 100 errors; the others are not listed',
      expression: 'Patient',
    });
  });

  it('is found in a moment, however many faults a large resource has', () => {
    const resource = patient({
      name: Array.from({ length: 200_000 }, () => ({ foo: [], given: [null, {}] })),
    });
    const spent = leastProcessorMilliseconds(500, () => {
      expect(validatorOf('r4').validate(resource, { isFull: true }).findings).toHaveLength(101);
    });
    expect(spent).toBeLessThan(500);
  });
});
