/** The oracle by examples: sentences of https://hl7.org/fhir/R4/search.html and of the rules of this server. */
import { find, ROOT } from './find';
import { toJson, type Resource } from './json';
import { makeSpace } from './make-space';
import { search } from './matcher';
import { folded } from './string';
import { UCUM } from './units';

const patient = (id: string, members: object): object => ({ resourceType: 'Patient', id, ...members });
const observation = (id: string, members: object): object => ({
  resourceType: 'Observation',
  id,
  ...members,
});
const coded = (code: string, system?: string): object => ({
  coding: [{ code, ...(system === undefined ? {} : { system }) }],
});

describe('strings (#string)', () => {
  const people = [
    patient('eve', { name: [{ given: ['Eve'] }] }),
    patient('evelyn', { name: [{ given: ['Evelyn'] }] }),
    patient('severine', { name: [{ given: ['Severine'] }] }),
    patient('quin', { name: [{ family: 'Carreno Quinones' }] }),
    patient('munoz', { name: [{ family: 'Muñoz' }] }),
    patient('oneil', { name: [{ family: 'O’Neil', text: 'Dr. Óscar' }] }),
    patient('percent', { name: [{ family: '100%_a' }] }),
    patient('long', { name: [{ family: `${'a'.repeat(240)}b` }] }),
  ];

  it.each([
    ['Patient?given=eve', ['eve', 'evelyn']],
    ['Patient?given:contains=eve', ['eve', 'evelyn', 'severine']],
    ['Patient?given:exact=Eve', ['eve']],
    ['Patient?given:exact=eve', []],
    ['Patient?family=Quinones', ['quin']],
    ['Patient?family=carreno%20quin', ['quin']],
    ['Patient?name=oz', []],
    ['Patient?name=munoz', ['munoz']],
    ['Patient?name=ONEIL', ['oneil']],
    ['Patient?name=oscar', []],
    ['Patient?name:text=oscar', ['oneil']],
    ['Patient?family=%25', []],
    ['Patient?family:exact=100%25_a', ['percent']],
    ['Patient?family:contains=1000', []],
    [`Patient?family=${'a'.repeat(240)}b`, ['long']],
    [`Patient?family=${'a'.repeat(240)}c`, []],
    ['Patient?family:missing=true', ['eve', 'evelyn', 'severine']],
    ['Patient?name:nonsense=eve', 400],
    ['Patient?given=eve&name=evelyn', ['evelyn']],
    ['Patient?given=severine,eve', ['eve', 'evelyn', 'severine']],
  ])('%s finds %j', (searched, expected) => {
    expect(find(people, searched)).toEqual(expected);
  });

  it('folds case, accents, punctuation and white space', () => {
    expect(folded('  Smith-Jones,  ÅSE ')).toBe('smith jones ase');
    expect(folded("O'Brien")).toBe(folded('OBRIEN'));
    expect(folded('Groß Łuczak Ødegård')).toBe('gross luczak odegard');
  });
});

describe('tokens (#token)', () => {
  const system = 'http://acme.org/conditions/codes';
  const conditions = [
    { resourceType: 'Condition', id: 'ha', code: coded('ha125', system) },
    { resourceType: 'Condition', id: 'bare', code: coded('HA125') },
    {
      resourceType: 'Condition',
      id: 'two',
      code: {
        coding: [
          { system, code: 'x' },
          { system: 'urn:b', code: 'x' },
        ],
        text: 'Bad headache',
      },
    },
    { resourceType: 'Condition', id: 'none' },
  ];

  it.each([
    ['Condition?code=ha125', ['ha', 'bare']],
    ['Condition?code=http://acme.org/conditions/codes|ha125', ['ha']],
    ['Condition?code=|ha125', ['bare']],
    ['Condition?code=http://acme.org/conditions/codes|', ['ha', 'two']],
    ['Condition?code=x', ['two']],
    ['Condition?code:not=ha125', ['two', 'none']],
    ['Condition?code:not=ha125,x', ['none']],
    ['Condition?code:text=headache', ['two']],
    ['Condition?code:text=head', ['two']],
    ['Condition?code:text=ache', []],
    ['Condition?code:missing=true', ['none']],
    ['Condition?code:missing=maybe', 400],
    ['Condition?code=a|b|c', 400],
  ])('%s finds %j', (searched, expected) => {
    expect(find(conditions, searched)).toEqual(expected);
  });

  const people = [
    patient('f', { gender: 'female', active: true, telecom: [{ system: 'email', value: 'A@b.example' }] }),
    patient('m', {
      gender: 'male',
      active: false,
      identifier: [
        {
          type: {
            coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MR' }],
            text: 'Record',
          },
          system: 'http://acme.org/patient',
          value: '446|053',
        },
      ],
    }),
    patient('u', { _gender: { extension: [{ url: 'urn:x', valueCode: 'unknown' }] } }),
  ];

  it.each([
    ['Patient?gender=male', ['m']],
    ['Patient?gender=MALE', []],
    ['Patient?gender=http://hl7.org/fhir/administrative-gender|female', ['f']],
    ['Patient?gender=|female', []],
    ['Patient?gender:not=male', ['f', 'u']],
    ['Patient?gender:missing=true', ['u']],
    ['Patient?gender:missing=false', ['f', 'm']],
    ['Patient?active=true', ['f']],
    ['Patient?active=x|true', 400],
    ['Patient?email=a@B.example', ['f']],
    ['Patient?phone=a@b.example', []],
    ['Patient?email=email|a@b.example', ['f']],
    ['Patient?email=x|a@b.example', []],
    ['Patient?identifier=446\\|053', ['m']],
    ['Patient?identifier:of-type=http://terminology.hl7.org/CodeSystem/v2-0203|MR|446\\|053', ['m']],
    ['Patient?identifier:of-type=http://terminology.hl7.org/CodeSystem/v2-0203|SS|446\\|053', []],
    ['Patient?identifier:of-type=MR|446', 400],
    ['Patient?identifier:text=rec', ['m']],
    ['Patient?deceased=false', ['f', 'm', 'u']],
  ])('%s finds %j', (searched, expected) => {
    expect(find(people, searched)).toEqual(expected);
  });

  const terminology = [
    {
      resourceType: 'CodeSystem',
      id: 's',
      url: 'urn:s',
      concept: [{ code: 'limb', concept: [{ code: 'arm', concept: [{ code: 'hand' }] }] }, { code: 'head' }],
    },
    {
      resourceType: 'ValueSet',
      id: 'v',
      url: 'urn:v',
      version: '2',
      compose: {
        include: [{ system: 'urn:s', filter: [{ property: 'concept', op: 'is-a', value: 'arm' }] }],
      },
    },
    ...['limb', 'arm', 'hand', 'head'].map((code) => observation(code, { code: coded(code, 'urn:s') })),
    observation('other', { code: coded('arm', 'urn:t') }),
  ];

  it.each([
    ['Observation?code:below=urn:s|arm', ['arm', 'hand']],
    ['Observation?code:above=urn:s|arm', ['limb', 'arm']],
    ['Observation?code:in=urn:v', ['arm', 'hand']],
    ['Observation?code:in=urn:v|2', ['arm', 'hand']],
    ['Observation?code:in=ValueSet/v', ['arm', 'hand']],
    ['Observation?code:not-in=urn:v', ['limb', 'head', 'other']],
    ['Observation?code:in=urn:unknown', 400],
  ])('%s finds %j', (searched, expected) => {
    expect(find(terminology, searched)).toEqual(expected);
  });

  it('finds a mime type by its base', () => {
    const document = (id: string, contentType: string): object => ({
      resourceType: 'DocumentReference',
      id,
      content: [{ attachment: { contentType } }],
    });
    const all = [
      document('plain', 'text/plain'),
      document('utf', 'text/plain; charset=UTF-8'),
      document('more', 'text/plainer'),
    ];
    expect(find(all, 'DocumentReference?contenttype:below=text/plain')).toEqual(['plain', 'utf']);
  });
});

describe('uris and canonicals (#uri, #canonical)', () => {
  const forms = [
    { resourceType: 'Questionnaire', id: 'a', url: 'http://acme.org/fhir', version: '1.0' },
    { resourceType: 'Questionnaire', id: 'b', url: 'http://acme.org/fhir/b', version: '1.2' },
    { resourceType: 'Questionnaire', id: 'c', url: 'http://acme.org/fhirst', version: '10' },
    { resourceType: 'Questionnaire', id: 'd', url: 'urn:oid:1.2.3.4' },
    { resourceType: 'QuestionnaireResponse', id: 'ra', questionnaire: 'http://acme.org/fhir|1.0' },
    { resourceType: 'QuestionnaireResponse', id: 'rb', questionnaire: 'http://acme.org/fhir|10' },
    { resourceType: 'QuestionnaireResponse', id: 'rc', questionnaire: 'http://acme.org/fhir/b' },
  ];

  it.each([
    ['Questionnaire?url=http://acme.org/fhir', ['a']],
    ['Questionnaire?url=http://acme.org/fhir|1.0', ['a']],
    ['Questionnaire?url=http://acme.org/fhir|2.0', []],
    ['Questionnaire?url=HTTP://acme.org/fhir', []],
    ['Questionnaire?url:below=http://acme.org/fhir', ['a', 'b']],
    ['Questionnaire?url:above=http://acme.org/fhir/b/c', ['a', 'b']],
    ['Questionnaire?url:contains=fhirs', ['c']],
    ['Questionnaire?url:below=urn:oid:1.2.3', []],
    ['Questionnaire?url:below=urn:oid:1.2.3.4', ['d']],
    ['QuestionnaireResponse?questionnaire=http://acme.org/fhir', ['ra', 'rb']],
    ['QuestionnaireResponse?questionnaire=http://acme.org/fhir|1.0', ['ra']],
    ['QuestionnaireResponse?questionnaire:below=http://acme.org/fhir|1', ['ra']],
    ['QuestionnaireResponse?questionnaire=a', ['ra', 'rb']],
    ['QuestionnaireResponse?questionnaire=Questionnaire/b', ['rc']],
    ['QuestionnaireResponse?questionnaire.version=1.0', ['ra']],
  ])('%s finds %j', (searched, expected) => {
    expect(find(forms, searched)).toEqual(expected);
  });
});

describe('references, chains, _has (#reference, #chaining, #has)', () => {
  const data = [
    patient('1', { name: [{ family: 'Smith' }], generalPractitioner: [{ reference: 'Practitioner/joe' }] }),
    patient('2', { name: [{ family: 'Jones' }], managingOrganization: { reference: 'Organization/1' } }),
    { resourceType: 'Group', id: '1', member: [{ entity: { reference: 'Patient/1' } }] },
    { resourceType: 'Practitioner', id: 'joe', name: [{ family: 'Johnson' }] },
    { resourceType: 'Organization', id: '1', name: 'Acme', partOf: { reference: 'Organization/2' } },
    { resourceType: 'Organization', id: '2', name: 'Mother' },
    observation('p1', { code: coded('1234-5'), subject: { reference: 'Patient/1' } }),
    observation('g1', { code: coded('x'), subject: { reference: 'Group/1' } }),
    observation('v2', { code: coded('1234-5'), subject: { reference: 'Patient/2/_history/1' } }),
    observation('abs', { subject: { reference: `${ROOT}/Patient/2` } }),
    observation('out', {
      subject: {
        reference: 'https://elsewhere.example/Patient/2',
        identifier: { system: 'urn:s', value: '7' },
      },
    }),
    observation('gone', { subject: { reference: 'Patient/gone' } }),
    observation('in', {
      contained: [{ resourceType: 'Patient', id: 'p', name: [{ family: 'Inner' }] }],
      subject: { reference: '#p' },
    }),
    { resourceType: 'Encounter', id: 'e1', subject: { reference: 'Patient/1' } },
    { resourceType: 'List', id: 'l', entry: [{ item: { reference: 'Patient/2' } }] },
  ];

  it.each([
    ['Observation?subject=Patient/1', ['p1']],
    ['Observation?subject:Patient=1', ['p1']],
    ['Observation?subject=1', 400],
    ['Observation?subject=2', ['v2', 'abs']],
    [`Observation?subject=${ROOT}/Patient/2`, ['v2', 'abs']],
    ['Observation?subject=https://elsewhere.example/Patient/2', ['out']],
    ['Observation?subject:Practitioner=1', 400],
    ['Observation?subject:identifier=urn:s|7', ['out']],
    ['Observation?patient=1', ['p1']],
    ['Observation?subject:missing=false', ['p1', 'g1', 'v2', 'abs', 'out', 'gone', 'in']],
    ['Observation?subject:Patient.name=smith', ['p1']],
    ['Observation?subject.name=jones', ['v2', 'abs']],
    ['Observation?subject.name=inner', ['in']],
    ['Observation?subject.organization.partof.name=mother', ['v2', 'abs']],
    ['Observation?subject:Patient.general-practitioner:missing=true', ['v2', 'abs', 'in']],
    ['Observation?subject:Group.member:Patient.family=smith', ['g1']],
    ['Observation?code.name=x', 400],
    ['Observation?subject.nonsense=x', 400],
    ['Patient?_has:Observation:patient:code=1234-5', ['1', '2']],
    ['Patient?_has:Observation:patient:code:not=1234-5', ['2']],
    ['Patient?general-practitioner.family=johnson&_has:Observation:patient:code=1234-5', ['1']],
    ['Encounter?patient._has:Group:member:_id=1', ['e1']],
    ['Practitioner?_has:Patient:general-practitioner:_has:Observation:subject:code=1234-5', ['joe']],
    ['Organization?_has:Observation:subject:code=x', 400],
    ['Patient?_list=l', ['2']],
    ['Patient?_list=unknown', []],
    ['?_type=Group,List', ['1', 'l']],
    ['?_id=1&_type=Patient,Organization', ['1', '1']],
  ])('%s finds %j', (searched, expected) => {
    expect(find(data, searched)).toEqual(expected);
  });

  it('lets chains that are repeated be met by different resources (#chaining)', () => {
    const both = [
      { resourceType: 'Practitioner', id: 'a', name: [{ family: 'Joe' }], gender: 'male' },
      { resourceType: 'Practitioner', id: 'b', name: [{ family: 'Ann' }], gender: 'female' },
      patient('x', {
        generalPractitioner: [{ reference: 'Practitioner/a' }, { reference: 'Practitioner/b' }],
      }),
    ];
    const searched =
      'Patient?general-practitioner:Practitioner.name=joe&general-practitioner:Practitioner.gender=female';
    expect(find(both, searched)).toEqual(['x']);
  });
});

describe('composites (#composite)', () => {
  const component = (code: string, value: number): object => ({
    code: coded(code),
    valueQuantity: { value, system: UCUM, code: 'mm[Hg]' },
  });
  const pressures = [
    observation('normal', {
      code: coded('85354-9'),
      component: [component('8480-6', 107), component('8462-4', 60)],
    }),
    observation('swapped', {
      code: coded('85354-9'),
      component: [component('8480-6', 60), component('8462-4', 107)],
    }),
    observation('string', { code: coded('a$b'), valueString: 'blue' }),
  ];

  it.each([
    ['Observation?component-code-value-quantity=8480-6$107', ['normal']],
    ['Observation?component-code-value-quantity=8480-6$lt70', ['swapped']],
    ['Observation?combo-code-value-quantity=8462-4$gt100,8480-6$gt100', ['normal', 'swapped']],
    ['Observation?code-value-string=a\\$b$blue', ['string']],
    ['Observation?code-value-string=a$b$blue', 400],
    ['Observation?code-value-string=blue', 400],
    ['Observation?code-value-string:missing=true', 400],
  ])('%s finds %j', (searched, expected) => {
    expect(find(pressures, searched)).toEqual(expected);
  });
});

describe('order and included resources (#sort, #include)', () => {
  const stored = [
    patient('a', { birthDate: '1970', link: [{ other: { reference: 'Patient/b' }, type: 'seealso' }] }),
    patient('b', { birthDate: '1960', managingOrganization: { reference: 'Organization/o' } }),
    patient('c', { gender: 'male' }),
    { resourceType: 'Organization', id: 'o', partOf: { reference: 'Organization/p' } },
    { resourceType: 'Organization', id: 'p', partOf: { reference: 'Organization/o' } },
    observation('x', { subject: { reference: 'Patient/c' } }),
  ].map((resource) => toJson(resource) as Resource);
  const space = makeSpace({ release: 'r4', root: ROOT, resources: stored });

  it.each([
    ['birthdate', ['b', 'a', 'c']],
    ['-birthdate', ['a', 'b', 'c']],
    ['gender,-birthdate', ['c', 'a', 'b']],
    ['-_id', ['c', 'b', 'a']],
  ])('_sort=%s gives %j: resources without a value are last in both directions', (keys, order) => {
    const expected = search(space, 'Patient', `_sort=${keys}`);
    if (expected === undefined) throw new Error('refused');
    expect(
      [...expected.matches].sort((one, other) => expected.compare(one, other)).map(({ id }) => id),
    ).toEqual(order);
  });

  it.each([
    ['_id=a&_include=Patient:link', ['Patient/b']],
    ['_id=a&_include=Patient:link&_include=Patient:organization', ['Patient/b']],
    ['_id=a&_include=Patient:link&_include:iterate=Patient:organization', ['Patient/b', 'Organization/o']],
    [
      '_id=b&_include=Patient:organization&_include:iterate=Organization:partof',
      ['Organization/o', 'Organization/p'],
    ],
    ['_id=a,b&_include=Patient:link', []],
    ['_id=c&_revinclude=Observation:subject', ['Observation/x']],
    ['_id=c&_revinclude=Observation:subject:Group', []],
    ['_id=b&_include=*', ['Organization/o']],
  ])('%s brings %j', (query, along) => {
    const expected = search(space, 'Patient', query);
    expect(
      expected?.includedWith(expected.matches).map((identity) => identity.replace('/_history/1', '')),
    ).toEqual(along);
  });
});
