/** The ways to get hidden data. */
import { loadDefinitions } from '../../../src/core/fhir/definitions';
import type { Release } from '../../../src/core';
import { wordOf } from './data';
import type { Question } from './two-sides';

const WORD = wordOf(0);

/** Types of which something is hidden, or of which some rows are. */
export const VEILED_TYPES = [
  ...['Patient', 'Observation', 'Condition', 'Procedure', 'Encounter', 'List', 'Composition', 'Bundle'],
  ...['QuestionnaireResponse', 'Questionnaire', 'Flag'],
] as const;

/** Guesses, by the kind of a search parameter: values of one of the sides, of both and of none. */
export const GUESSES: Readonly<Record<string, readonly string[]>> = {
  token: [
    `${WORD}-mrn-1`,
    'urn:mrn|',
    `phone|${WORD}-phone`,
    `${WORD}-code`,
    WORD,
    'final',
    `${WORD}-inside`,
  ],
  string: [WORD, 'canary', `${WORD}-given`, 'Abel', 'Ann'],
  reference: [
    'Practitioner/p1',
    'Patient/a',
    'p1',
    'Observation/v1',
    'Organization/o1',
    'Encounter/e1',
    'Condition/c3',
  ],
  quantity: ['11', 'gt50', '11||mg', 'lt5'],
  date: ['2021-03-10', 'gt2021-03-12', '2020', 'lt2021-03-12'],
  number: ['1', 'gt0'],
  uri: ['urn:ask', WORD],
  composite: ['weight$11', 'weight$gt50', `weight$${WORD}`, 'part$1', `part$gt1`],
  special: ['1'],
};

/** Codes and kinds of all search parameters of a type, and of those that the tenant has made. */
export function parametersOf(
  release: Release,
  type: string,
): readonly (readonly [code: string, kind: string])[] {
  const own: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    Patient: [
      ['own-phone', 'token'],
      ['own-given', 'string'],
      ['own-extension', 'string'],
      ['own-family', 'string'],
    ],
    Observation: [
      ['own-inside', 'token'],
      ['own-any', 'token'],
    ],
    Bundle: [['own-held', 'token']],
    Flag: [['own-flag', 'token']],
  };
  const parameters = [...loadDefinitions(release).searchParameters(type).values()]
    .filter(({ code }) => code !== '_lastUpdated')
    .map(({ code, kind }) => [code, kind] as const);
  return [...parameters, ...(own[type] ?? [])];
}

export const guessesOf = (kind: string): readonly string[] => GUESSES[kind] ?? [WORD];

/** Searches of a type by a parameter: addresses below `{fhir_root}`. */
export function waysOf(type: string, code: string, kind: string, value: string): readonly string[] {
  const text = encodeURIComponent(value);
  return [
    `${type}?${code}=${text}`,
    `${type}?${code}:missing=true`,
    `${type}?_sort=${code}&_count=2`,
    `${type}?_sort=-${code},_id`,
    `${type}?${code}=${text}&_summary=count`,
    `${type}?${code}:missing=false&_total=accurate&_count=1`,
    `${type}?_filter=${encodeURIComponent(`${code} eq "${value}"`)}`,
    ...(kind === 'token' ? [`${type}?${code}:not=${text}`, `${type}?${code}:text=${text}`] : []),
    ...(kind === 'string' ? [`${type}?${code}:contains=nary`, `${type}?${code}:exact=${text}`] : []),
    ...(kind === 'reference'
      ? [
          `${type}?_include=${type}:${code}`,
          `Patient?_revinclude=${type}:${code}`,
          `Practitioner?_revinclude=${type}:${code}`,
          `Practitioner?_has:${type}:${code}:_id=v1`,
          `${type}?${code}:Practitioner._id=p1`,
          `${type}?${code}.name=Pick`,
          `${type}?${code}:identifier=${text}`,
        ]
      : []),
    ...(type === 'Patient'
      ? [
          `Observation?subject:Patient.${code}=${text}`,
          `Observation?patient.${code}=${text}`,
          `Provenance?target:Patient.${code}=${text}`,
          `Organization?_has:Patient:organization:${code}=${text}`,
        ]
      : [`Patient?_has:${type}:patient:${code}=${text}`, `Patient?_has:${type}:subject:${code}=${text}`]),
  ];
}

const batchOf = (release: Release, urls: readonly string[]): Question => ({
  method: 'POST',
  path: `/fhir/${release}`,
  body: {
    resourceType: 'Bundle',
    type: 'batch',
    entry: urls.map((url) => ({ request: { method: 'GET', url } })),
  },
});

/** All reads as entries of batches. */
export function inBatches(release: Release, urls: readonly string[], size = 60): Question[] {
  const batches: Question[] = [];
  for (let start = 0; start < urls.length; start += size)
    batches.push(batchOf(release, urls.slice(start, start + size)));
  return batches;
}

/** Reads by address, of resources that both sides have, one has, or none. */
export const READS: readonly string[] = [
  ...[
    'Patient/a',
    'Patient/b',
    'Patient/c',
    'Patient/d',
    'Observation/v1',
    'Observation/v2',
    'Observation/v3',
  ],
  ...[
    'Observation/v4',
    'Observation/h1',
    'Observation/v9',
    'Condition/c1',
    'Condition/c2',
    'Condition/c3',
    'Condition/c4',
    'Condition/c5',
  ],
  ...['Flag/f1', 'Flag/none', 'Basic/f1', 'List/l1', 'Composition/comp', 'Bundle/bun', 'Binary/bin'],
  ...['Questionnaire/ask', 'QuestionnaireResponse/answer', 'Encounter/e1', 'Procedure/q1'],
].flatMap((address) => [
  address,
  `${address}?_summary=true`,
  `${address}?_summary=data`,
  `${address}?_elements=telecom,name,value,extension`,
  `${address}/_history`,
  `${address}/_history?_count=0`,
  `${address}/_history?_summary=data`,
  `${address}/_history?_elements=telecom,name,value,extension`,
  `${address}/_history/1`,
  `${address}/_history/2`,
  `${address}/$meta`,
  `${address}/$validate`,
]);

/** Searches, histories and operations that are about more than one parameter. */
export const QUERIES: readonly string[] = [
  '_history',
  '_history?_count=0',
  ...VEILED_TYPES.flatMap((type) => [
    `${type}/_history`,
    `${type}/_history?_count=0`,
    type,
    `${type}?_summary=count`,
    `${type}?_total=accurate&_count=1`,
    `${type}?_count=2`,
    `${type}?_elements=identifier,telecom,value,performed,entry`,
    `${type}?_summary=text`,
    `${type}?_include=*`,
    `${type}?_include:iterate=*`,
    `${type}?_revinclude=Provenance:target&_revinclude=Observation:*`,
    `${type}?_content=${WORD}`,
    `${type}?_text=${WORD}`,
    `${type}?_list=l1`,
    `${type}?_list=$current-problems&patient=a`,
    `${type}?_id:not=zzz`,
    `${type}?_has:List:item:_id=l1`,
    `${type}?_lastUpdated=gt2020`,
    `${type}?subject=Patient/a`,
    `${type}?patient=a`,
    `${type}?_sort=-_lastUpdated`,
    `${type}/$meta`,
  ]),
  ...['a', 'b', 'c'].flatMap((id) => [
    `Patient/${id}/*`,
    `Patient/${id}/*?_count=2`,
    `Patient/${id}/Encounter`,
    `Patient/${id}/Observation`,
    `Patient/${id}/Procedure`,
    `Patient/${id}/Condition?_total=accurate`,
    `Patient/${id}/Flag`,
    `Patient/${id}/$everything`,
    `Patient/${id}/$everything?_count=2`,
    `Patient/${id}/$everything?_type=Encounter,Procedure,Practitioner`,
    `Patient/${id}/$everything?start=2021-03-12`,
    `Patient/${id}/$everything?_since=2020-01-01`,
  ]),
  'Patient/$everything?_type=Practitioner,Procedure',
  'Practitioner/p1/*',
  'Practitioner/p1/Patient',
  'Practitioner/p1/Observation',
  'Encounter/e1/*',
  'Encounter/e1/$everything',
  'Composition/comp/$document',
  'Composition/$document?id=comp',
  'Observation/$lastn?patient=a&category=laboratory',
  'Observation/$lastn?patient=a&code=weight&max=2',
  '?_type=Patient,Observation,Procedure,Flag,Condition&_count=4',
  '?_type=Procedure,Observation&_sort=-_lastUpdated',
  '?_type=Procedure,Patient',
  '?_id=a',
  `?_content=${WORD}`,
  '?_tag:missing=true&_summary=count',
  '$meta',
  'metadata?_summary=true',
  'Procedure?subject=Patient/a',
  'Procedure?patient=a&_count=2',
  'Procedure?code=cut',
  'Procedure?code=cut&_count=1',
  'Procedure?subject=Patient/a&_include=Procedure:subject',
  'Patient?_id=a&_revinclude=Procedure:subject',
  'Patient?_id=a&_revinclude=Procedure:patient&_revinclude:iterate=Provenance:target',
  'Encounter?service-provider=Organization/o1',
  'Patient?_contained=true&telecom=x',
  'Patient?_explain=true',
  'Observation?_contained=both',
  'Patient?identifier=canary0-d&_contained=false',
  'Patient?phone:of-type=1',
  'Bundle?composition.title=Letter',
  'Bundle?composition.title=Held',
  'Bundle?composition.subject:Patient.gender=male',
  'Bundle?composition.subject:Patient.telecom=canary0-held',
  'Bundle?composition.subject:Patient.phone:missing=false',
  'Bundle?composition.author:Patient._content=canary0',
  'Bundle?composition.entry:Patient.gender=male',
  'Bundle?composition._text=canary0',
  'Patient?name=Abel&gender=female&identifier=canary0-mrn-1',
  'ValueSet?_count=0',
  '$reindex-status',
  'SearchParameter/own-flag/$reindex-status',
];

/** Asked directly, because headers, methods or forms matter. */
export function direct(release: Release): readonly Question[] {
  const root = `/fhir/${release}`;
  const get = (path: string, headers?: Question['headers']): Question => ({
    method: 'GET',
    path: `${root}/${path}`,
    ...(headers === undefined ? {} : { headers }),
  });
  const post = (path: string, body: unknown, headers?: Question['headers']): Question => ({
    method: 'POST',
    path: `${root}${path}`,
    body,
    ...(headers === undefined ? {} : { headers }),
  });
  const resource = (parts: object): object => ({
    resourceType: 'Parameters',
    parameter: [{ name: 'resource', resource: { resourceType: 'Patient', ...parts } }],
  });
  const next: Question = { method: 'GET', path: '@next@' };
  const strict = { prefer: 'handling=strict' };
  const lenient = { prefer: 'handling=lenient' };
  return [
    get('Patient/a'),
    get('Patient/a', { 'if-none-match': 'W/"2"' }),
    get('Patient/a', { 'if-none-match': 'W/"1"' }),
    get('Binary/bin', { accept: 'text/plain' }),
    get('Binary/bin', { accept: 'application/fhir+json' }),
    get(`Patient?identifier=${WORD}-mrn-1`, strict),
    get(`Patient?identifier=${WORD}-mrn-1`, lenient),
    get(`Patient?_sort=identifier`, lenient),
    get('Procedure?_sort=-date', lenient),
    get('Procedure?_count=1'),
    next,
    next,
    get('Patient/a/*?_count=2'),
    next,
    next,
    next,
    next,
    get('Procedure?patient=a&_count=1'),
    next,
    get('Patient/a/$everything?_count=2'),
    next,
    next,
    next,
    next,
    get('?_type=Procedure,Observation&_count=2'),
    next,
    next,
    get('Condition/_history?_count=1'),
    next,
    next,
    get('Observation/_history?_count=2'),
    next,
    next,
    next,
    next,
    get('_history?_count=3'),
    next,
    next,
    next,
    next,
    next,
    get('Observation/_history?_count=1&_since=2020-01-01T00:00:00Z'),
    next,
    next,
    get('_history?_list=l1'),
    get('Patient/_history?_list=l1'),
    post('/Patient/_search', `identifier=${WORD}-mrn-1&_total=accurate`, {
      'content-type': 'application/x-www-form-urlencoded',
    }),
    post('/Patient/$match', resource({ identifier: [{ system: 'urn:mrn', value: `${WORD}-mrn-1` }] })),
    post(
      '/Patient/$match',
      resource({ name: [{ family: 'Abel' }], birthDate: '1970-01-01', gender: 'female' }),
    ),
    post('/Patient/$match', resource({ birthDate: '1970-01-01' })),
    post('/Patient/$match', resource({ telecom: [{ system: 'phone', value: `${WORD}-phone` }] })),
    post('/Patient/a/$validate', {
      resourceType: 'Parameters',
      parameter: [{ name: 'mode', valueCode: 'delete' }],
    }),
    get('Patient?gender=female', { prefer: 'respond-async' }),
    get(`Patient?identifier=${WORD}-mrn-1`, { prefer: 'respond-async, handling=strict' }),
    get('Patient/a/$everything', { prefer: 'respond-async' }),
    get('_history', { prefer: 'respond-async' }),
    {
      method: 'GET',
      path: `${root}/$graphql?query=${encodeURIComponent('{PatientList{identifier{value}telecom{value}}}')}`,
      headers: { accept: 'application/json' },
    },
    {
      method: 'GET',
      path: `${root}/Patient/a/$graphql?query=${encodeURIComponent('{id name{given family} telecom{value} text{div}}')}`,
      headers: { accept: 'application/json' },
    },
  ];
}
