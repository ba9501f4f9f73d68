import { placeOf } from '../../console/src/fhir/search/search-address';
import {
  emptyCriterion,
  toEditable,
  withCondition,
  type ValueCriterion,
} from '../../console/src/fhir/search/search-conditions';
import { toCurl } from '../../console/src/fhir/search/search-curl';
import { withMainCriteria } from '../../console/src/fhir/search/search-draft';
import type { SearchParameter } from '../../console/src/fhir/search/search-parameters';
import { formatQuery, parseQuery } from '../../console/src/fhir/search/search-query';
import { splitUnescaped } from '../../packages/fhir-values/search-value';
import {
  formatQuantityValue,
  fromTyped,
  parseQuantity,
  toTyped,
} from '../../console/src/fhir/search/search-value';

function makeParameter(type: string, targets: readonly string[] = []): SearchParameter {
  return { code: 'p', type, documentation: '', definition: '', targets, paths: [], comparators: [] };
}

function valueCriterion(modifier: string, ...values: string[]): ValueCriterion {
  return { kind: 'value', name: 'p', modifier, values };
}

describe('The address of a search', () => {
  it.each([
    'name=chalmers',
    "name:exact=O'Brien&birthdate=ge1970&birthdate=lt1980",
    'code=http://loinc.org%7C29463-7,http://loinc.org%7C3141-9',
    'subject:Patient.name=chalmers',
    'subject:Patient.organization.name=acme',
    '_has:Observation:patient:code=1234-5',
    '_has:Observation:patient:_has:AuditEvent:entity:agent=1',
    'value-quantity=gt5.4%7Chttp://unitsofmeasure.org%7Cmg',
    'name=a&_include:iterate=Patient:organization&_revinclude=Observation:subject&_sort=-birthdate,name&_count=10',
    '_filter=name%20eq%20%22a,b%22%20and%20active%20eq%20true',
    '_elements=id&unknown:modifier=%26%3D%2B',
    'name=a%5C,b,c',
    'name=a&_cursor=abc_-123',
  ])('is the same after it was read and written: %s', (text) => {
    expect(formatQuery(parseQuery(text))).toBe(text);
  });

  it('has criteria before what orders and includes results', () => {
    expect(formatQuery(parseQuery('?_sort=date&_count=5&code=a'))).toBe('code=a&_sort=date&_count=5');
  });

  it('leaves out what has no value yet', () => {
    const query = parseQuery('name=a');
    const chain = { kind: 'chain', name: 'organization', target: '', of: emptyCriterion('name') } as const;
    const criteria = [emptyCriterion('gender'), ...query.criteria, chain];
    expect(formatQuery({ ...query, criteria })).toBe('name=a');
    expect(formatQuery({ ...query, criteria: [valueCriterion('', 'a', '', 'b')] })).toBe('p=a,b');
  });
});

describe('A criterion', () => {
  it('shows its prefix as its condition, and keeps it before there is a value', () => {
    const date = makeParameter('date');
    expect(toEditable(valueCriterion('', 'ge2020', 'ge2022'), date)).toEqual(
      valueCriterion('ge', '2020', '2022'),
    );
    const chosen = withCondition(valueCriterion('eq', ''), date, 'lt');
    expect(chosen).toEqual(valueCriterion('lt', ''));
    const query = { ...parseQuery(''), criteria: [chosen] };
    expect(formatQuery(query)).toBe('');
    expect(formatQuery({ ...query, criteria: [valueCriterion('lt', '2020', '2021')] })).toBe(
      'p=lt2020,lt2021',
    );
    expect(formatQuery({ ...query, criteria: [valueCriterion('eq', '2020')] })).toBe('p=2020');
  });

  it('is edited as text when its inputs cannot show it', () => {
    expect(toEditable(valueCriterion('', 'ge2020', 'lt2010'), makeParameter('date'))).toBeUndefined();
    expect(toEditable(valueCriterion('phonetic', 'a'), makeParameter('string'))).toBeUndefined();
  });

  it('of a reference may name the type of its target', () => {
    const criterion = valueCriterion('Patient', '1');
    expect(toEditable(criterion, makeParameter('reference', ['Patient']))).toEqual(criterion);
    expect(toEditable(criterion, makeParameter('reference', ['Device']))).toBeUndefined();
  });

  it('keeps its values under another condition, except whether there is one', () => {
    const string = makeParameter('string');
    expect(withCondition(valueCriterion('', 'a'), string, 'exact')).toEqual(valueCriterion('exact', 'a'));
    expect(withCondition(valueCriterion('', 'a'), string, 'missing')).toEqual(
      valueCriterion('missing', 'true'),
    );
    expect(withCondition(valueCriterion('missing', 'true'), string, '')).toEqual(valueCriterion('', ''));
  });

  it('becomes a chain to the only type that the reference may lead to', () => {
    const reference = makeParameter('reference', ['Organization']);
    expect(withCondition(valueCriterion('', ''), reference, 'chain')).toEqual({
      kind: 'chain',
      name: 'p',
      target: 'Organization',
      of: emptyCriterion(''),
    });
  });
});

it('The main parameters of a type come first, filled where the address has them', () => {
  const { criteria } = withMainCriteria(parseQuery('active=true&gender=male&_has:A:b:name=x'), [
    'name',
    'gender',
  ]);
  const names = criteria.map((each) => (each.kind === 'has' ? '_has' : each.name));
  expect(names).toEqual(['name', 'gender', 'active', '_has']);
});

describe('A value', () => {
  it('is divided only where no backslash stands', () => {
    expect(splitUnescaped('a\\,b,c', ',')).toEqual(['a\\,b', 'c']);
    expect(splitUnescaped('a\\\\,c', ',')).toEqual(['a\\\\', 'c']);
    expect(splitUnescaped('a\\', ',')).toEqual(['a\\']);
  });

  it('that a person types may have a comma', () => {
    expect(fromTyped('a|b,c')).toBe('a|b\\,c');
    expect(toTyped('a|b\\,c')).toBe('a|b,c');
    expect(fromTyped(toTyped('x\\,y'))).toBe('x\\,y');
  });

  it('of a quantity has a number, a unit and the system of the unit', () => {
    expect(parseQuantity('5.40||mg')).toEqual({ number: '5.40', system: '', unit: 'mg' });
    expect(formatQuantityValue({ number: '5.40', system: '', unit: 'mg' })).toBe('5.40||mg');
    expect(formatQuantityValue({ number: '5.40', system: '', unit: '' })).toBe('5.40');
  });
});

describe('What people paste', () => {
  const root = '/w/acme/api/v1/fhir/r4';

  it.each([
    ['Patient/example', `${root}/Patient/example`],
    [' /Patient/example ', `${root}/Patient/example`],
    ['Patient/example/_history/2', `${root}/Patient/example/_history/2`],
    ['Patient?name=a', `${root}/Patient?name=a`],
    ['Patient', `${root}/Patient`],
    [
      'https://fhir.example.org/prefix/w/other/api/v1/fhir/r4b/Patient/a?_format=json',
      '/w/other/api/v1/fhir/r4b/Patient/a?_format=json',
    ],
  ])('opens the screen of %s', (text, place) => {
    expect(placeOf(text, root)).toBe(place);
  });

  it('is refused when it is no FHIR address of this server', () => {
    for (const text of ['', 'example', 'patient/example', 'https://example.org/Patient/1', 'Patient/a b'])
      expect(placeOf(text, root)).toBeUndefined();
  });
});

it('A command has the token as a variable, and quotes the address', () => {
  expect(toCurl("http://a/Patient?name=O'Brien", false)).toBe(
    "curl -g -H 'accept: application/fhir+json' 'http://a/Patient?name=O%27Brien'",
  );
  expect(toCurl('http://a/Patient', true)).toContain('-H "authorization: Bearer $TOKEN"');
});
