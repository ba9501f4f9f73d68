/** Source: https://hl7.org/fhir/R4/extensibility.html */
import { errorsOf, judge, observation, patient } from './judged';

const url = 'http://example.org/e';

describe('an extension', () => {
  test.each([
    ['a value', { url, valueString: 'a' }],
    [
      'a value that is only an extension itself',
      { url, _valueString: { extension: [{ url, valueCode: 'x' }] } },
    ],
    ['extensions', { url, extension: [{ url: 'part', valueBoolean: true }] }],
    ['an urn for its url', { url: 'urn:oid:1.2.3', valueString: 'a' }],
  ])('may have %s', (_title, extension) => {
    expect(judge(patient({ extension: [extension] }))).toEqual([]);
  });

  test.each([
    ['neither a value nor extensions', { url }, 'invariant Patient.extension[0]', 'ext-1: an extension has either a value or extensions, but neither was found'],
    ['both a value and extensions', { url, valueString: 'a', extension: [{ url, valueString: 'b' }] }, 'invariant Patient.extension[0]', 'ext-1: an extension has either a value or extensions, but both were found'],
    ['a relative url', { url: 'colour', valueString: 'a' }, 'business Patient.extension[0].url', "The url of an extension is absolute (http://…), but 'colour' was found"],
    ['no url', { valueString: 'a' }, 'requiredMissing Patient.extension[0].url', "'url' is missing; a uri is required"],
    ['two values', { url, valueString: 'a', valueCode: 'b' }, 'cardinality Patient.extension[0].value', "'value' has one type only, but both 'valueString' and 'valueCode' were found"],
    ['a value of a type that extensions do not have', { url, valueNarrative: {} }, 'unknownElement Patient.extension[0].valueNarrative', expect.stringContaining("'value' has no type 'Narrative'; allowed are valueBase64Binary")],
  ])('is refused with %s', (_title, extension, error, sentence) => {
    const resource = patient({ extension: [extension] });
    expect(errorsOf(resource)).toEqual([error]);
    expect(judge(resource)[0]?.diagnostics).toEqual(sentence);
  }); // prettier-ignore

  it('is checked wherever it occurs', () => {
    const broken = { url };
    const resource = observation({
      _status: { extension: [broken] },
      code: { extension: [broken], text: 'A' },
      component: [{ code: { text: 'A' }, modifierExtension: [broken] }],
      extension: [{ url, extension: [broken] }],
    });
    expect(errorsOf(resource)).toEqual([
      'invariant Observation.code.extension[0]',
      'invariant Observation.status.extension[0]',
      'invariant Observation.component[0].modifierExtension[0]',
      'invariant Observation.extension[0].extension[0]',
    ]);
  });

  it('that modifies is refused where the type allows none', () => {
    const resource = patient({ name: [{ text: 'A', modifierExtension: [{ url, valueString: 'a' }] }] });
    expect(errorsOf(resource)).toEqual(['unknownElement Patient.name[0].modifierExtension']);
  });

  it('is checked at any depth', () => {
    let extension: object = { url, valueFoo: 1 };
    for (let level = 0; level < 28; level++) extension = { url, extension: [extension] };
    expect(errorsOf(patient({ extension: [extension] }))).toEqual([
      `unknownElement Patient${'.extension[0]'.repeat(29)}.valueFoo`,
    ]);
  });
});
