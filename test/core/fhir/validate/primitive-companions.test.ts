/** Ids and extensions of primitives. Source: https://hl7.org/fhir/R4/json.html#primitive */
import { errorsOf, judge, patient } from './judged';

const extension = [{ url: 'http://example.org/a', valueString: 'a' }];

describe('the id and extensions of a primitive', () => {
  test.each([
    ['beside its value', { birthDate: '2020', _birthDate: { id: 'a', extension } }],
    ['before its value', { _birthDate: { extension }, birthDate: '2020' }],
    ['instead of a value', { _birthDate: { extension } }],
    ['an id alone beside the value', { birthDate: '2020', _birthDate: { id: 'a' } }],
    ['of the id of a resource', { id: 'a', _id: { extension } }],
    ['of some of several values', { name: [{ given: ['A', 'B'], _given: [null, { extension }] }] }],
    ['in place of some of several values', { name: [{ given: [null, 'B'], _given: [{ extension }, null] }] }],
    ['instead of all of several values', { name: [{ _given: [{ extension }, { extension }] }] }],
  ])('are allowed %s', (_title, members) => {
    expect(judge(patient(members))).toEqual([]);
  });

  test.each([
    ['null', { _birthDate: null }, 'wrongShape Patient.birthDate', "'_birthDate' must be an object with the id and extensions of 'birthDate', but null was found"],
    ['an array for a single one', { birthDate: '2020', _birthDate: [{ id: 'a' }] }, 'wrongShape Patient.birthDate', "'_birthDate' must be an object with the id and extensions of 'birthDate', but an array of 1 was found"],
    ['text', { birthDate: '2020', _birthDate: 'a' }, 'wrongShape Patient.birthDate', "'_birthDate' must be an object with the id and extensions of 'birthDate', but the text 'a' was found"],
    ['an empty object', { birthDate: '2020', _birthDate: {} }, 'wrongShape Patient.birthDate', 'An object is empty; an element without content is left out'],
    ['an id without a value', { _birthDate: { id: 'a' } }, 'invariant Patient.birthDate', 'ele-1: the element has an id but neither a value nor extensions'],
    ['an object for several', { name: [{ given: ['A'], _given: { id: 'a' } }] }, 'wrongShape Patient.name[0].given', "'_given' may repeat: it must be an array, but an object was found"],
    ['an empty array', { name: [{ given: ['A'], _given: [] }] }, 'wrongShape Patient.name[0].given', "'_given' is an empty array; an element without a value is left out"],
    ['fewer than values', { name: [{ given: ['A', 'B'], _given: [{ id: 'a' }] }] }, 'wrongShape Patient.name[0].given', "'given' has 2 values, but '_given' has 1; null must fill the shorter one, so that both have the same length"],
    ['more than values', { name: [{ given: ['A'], _given: [{ id: 'a' }, { extension }] }] }, 'wrongShape Patient.name[0].given', "'given' has 1 values, but '_given' has 2; null must fill the shorter one, so that both have the same length"],
    ['null on both sides', { name: [{ given: ['A', null], _given: [{ id: 'a' }, null] }] }, 'wrongShape Patient.name[0].given[1]', "null is allowed in 'given' only where '_given' has an id or extension at the same place"],
    ['null among values that have none', { name: [{ given: ['A', null] }] }, 'wrongShape Patient.name[0].given[1]', "null is allowed in 'given' only where '_given' has an id or extension at the same place"],
    ['null without any values', { name: [{ _given: [{ extension }, null] }] }, 'wrongShape Patient.name[0].given[1]', "null is allowed in '_given' only where 'given' has a value at the same place"],
    ['text among them', { name: [{ given: ['A'], _given: ['a'] }] }, 'wrongShape Patient.name[0].given[0]', "'_given' must hold an object or null at each place, but the text 'a' was found"],
    ['an id without a value among several', { name: [{ given: ['A', null], _given: [null, { id: 'a' }] }] }, 'invariant Patient.name[0].given[1]', 'ele-1: the element has an id but neither a value nor extensions'],
  ])('are refused as %s', (_title, members, error, sentence) => {
    const resource = patient(members);
    expect(errorsOf(resource)).toEqual([error]);
    expect(judge(resource)[0]?.diagnostics).toBe(sentence);
  }); // prettier-ignore

  it('are checked: the expression is that of the element itself', () => {
    const members = {
      name: [{ given: ['A', 'B'], _given: [null, { extension: [{ url: 'http://example.org/a', foo: 1 }] }] }],
    };
    expect(errorsOf(patient(members))).toEqual(['unknownElement Patient.name[0].given[1].extension[0].foo']);
  });
});

describe('an element of a complex type', () => {
  it('needs more than an id', () => {
    expect(judge(patient({ name: [{ id: 'a' }] }))).toEqual([
      {
        rule: 'invariant',
        severity: 'error',
        expression: 'Patient.name[0]',
        diagnostics: 'ele-1: the element has an id but no content',
      },
    ]);
    expect(judge(patient({ name: [{ id: 'a', text: 'A' }] }))).toEqual([]);
  });
});
