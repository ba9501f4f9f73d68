/** The oracle's `_filter` by examples: sentences of https://hl7.org/fhir/R4/search_filter.html. */
import { parseFilter } from './filter-grammar';
import { find } from './find';
import { Unclear } from './refusal';

const HL7 = 'http://hl7.org/fhir/';
const coded = (code: string, system = 'urn:s'): object => ({ coding: [{ system, code }] });

const data = [
  {
    resourceType: 'Patient',
    id: 'peter',
    name: [{ family: 'Chalmers', given: ['Peter', 'James'] }],
    birthDate: '2014-10-11',
    gender: 'male',
    active: true,
    managingOrganization: { reference: 'Organization/o' },
  },
  {
    resourceType: 'Patient',
    id: 'ann',
    name: [{ family: 'Smith', given: ['Ann'] }],
    birthDate: '2013',
    gender: 'female',
  },
  { resourceType: 'Organization', id: 'o', name: 'Acme' },
  {
    resourceType: 'Observation',
    id: 'a',
    code: coded('arm'),
    subject: { reference: 'Patient/peter' },
    valueQuantity: { value: 5.4 },
  },
  { resourceType: 'Observation', id: 'b', code: coded('head'), subject: { reference: 'Patient/ann' } },
  { resourceType: 'Observation', id: 'c', code: coded('hand') },
  {
    resourceType: 'CodeSystem',
    id: 's',
    url: 'urn:s',
    concept: [{ code: 'arm', concept: [{ code: 'hand' }] }, { code: 'head' }],
  },
  {
    resourceType: 'ValueSet',
    id: 'v',
    url: 'urn:v',
    compose: { include: [{ system: 'urn:s', concept: [{ code: 'arm' }, { code: 'head' }] }] },
  },
  {
    resourceType: 'Group',
    id: 'g',
    characteristic: [
      { code: coded('arm'), valueBoolean: true },
      { code: coded('head'), valueBoolean: false },
    ],
  },
];

const queryOf = (filter: string): string => `_filter=${encodeURIComponent(filter)}`;

describe('_filter (search_filter.html)', () => {
  it.each([
    ['Patient', 'name co "pet"', ['peter']],
    ['Patient', 'given eq "peter" and birthdate ge 2014-10-10', ['peter']],
    ['Patient', 'given eq "pete"', []],
    ['Patient', 'given ne "peter"', ['peter', 'ann']],
    ['Patient', 'family sw cha', ['peter']],
    ['Patient', 'family ew TH', ['ann']],
    ['Patient', `gender eq ${HL7}administrative-gender|male`, ['peter']],
    ['Patient', 'organization pr true', ['peter']],
    ['Patient', 'organization pr false', ['ann']],
    ['Patient', 'not (organization pr true)', ['ann']],
    ['Patient', 'not(organization pr true)', ['ann']],
    ['Patient', 'birthdate po 2013-06', ['ann']],
    ['Patient', 'birthdate sa 2013', ['peter']],
    ['Patient', 'gender eq female or gender eq male and organization pr true', ['peter']],
    ['Patient', 'gender eq female or (gender eq male and organization pr true)', ['peter', 'ann']],
    ['Patient', 'organization re Organization/o', ['peter']],
    ['Patient', 'organization[name co "acm"].name eq acme', ['peter']],
    ['Patient', 'organization[name co "xyz"].name eq acme', []],
    ['Observation', 'code eq urn:s|arm', ['a']],
    ['Observation', 'code ss urn:s|arm', ['a', 'c']],
    ['Observation', 'code sb urn:s|hand', ['a', 'c']],
    ['Observation', 'code in urn:v', ['a', 'b']],
    ['Observation', 'code ni urn:v', ['c']],
    ['Observation', 'subject.name co "pet"', ['a']],
    ['Observation', 'subject.organization.name eq acme', ['a']],
    ['Observation', 'value-quantity gt 5', ['a']],
    ['Group', 'characteristic[code eq urn:s|arm].value eq true', ['g']],
    ['Group', 'characteristic[code eq urn:s|head].value eq true', []],
    ['Patient', 'nonsense eq 1', 400],
    ['Patient', 'name eq', 400],
    ['Patient', 'name xx 1', 400],
    ['Patient', '(name eq a', 400],
    ['Patient', 'name eq a)', 400],
    ['Patient', 'name eq "a', 400],
    ['Patient', 'name eq a b', 400],
    ['Patient', 'birthdate co 2013-05', ['ann']],
    ['Patient', 'gender eq MALE', ['peter']],
    ['Patient', 'family gt d', ['ann']],
    ['Patient', 'organization:Organization.name eq acme', ['peter']],
    ['Observation', 'subject.organization pr false', ['b', 'c']],
    ['Observation', 'code-value-quantity eq arm$5.4', ['a']],
    ['Patient', 'organization co a', 400],
    ['Patient', 'name pr maybe', 400],
  ])('%s: %s finds %j', (type, filter, expected) => {
    expect(find(data, `${type}?${queryOf(filter)}`)).toEqual(expected);
  });

  it('generates no search where case decides and the page is ambiguous', () => {
    expect(() => find(data, `Patient?${queryOf('active eq TRUE')}`)).toThrow(Unclear);
  });

  it('reads and and or from left to right', () => {
    expect(parseFilter('a pr true or b pr true and c pr true')).toMatchObject({
      kind: 'and',
      one: { kind: 'or' },
    });
  });
});
