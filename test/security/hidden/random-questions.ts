/** Random requests, from a seed: both sides get the same ones. */
import type { Release } from '../../../src/core';
import type { Random } from '../../properties/oracle/random';
import { graphqlReads } from './graphql-reads';
import { graphqlPast } from './past';
import { direct, GUESSES, guessesOf, parametersOf, QUERIES, READS, VEILED_TYPES, waysOf } from './questions';
import { graphql, type Question } from './two-sides';
import { writes } from './writes';

const JSON_TYPE = { 'content-type': 'application/json' };
const MODIFIERS: Readonly<Record<string, readonly string[]>> = {
  token: ['', ':not', ':text', ':missing', ':of-type'],
  string: ['', ':exact', ':contains', ':missing'],
  reference: ['', ':missing', ':identifier', ':Patient', ':Practitioner'],
  uri: ['', ':below', ':missing'],
};
const ADDRESSES = [
  ...[
    'Patient/a',
    'Patient/b',
    'Patient/c',
    'Patient/d',
    'Observation/v1',
    'Observation/v4',
    'Observation/h1',
  ],
  ...[
    'Condition/c1',
    'Condition/c2',
    'Condition/c3',
    'Condition/c4',
    'Condition/c5',
    'Bundle/bun',
    'Flag/f1',
  ],
  ...[
    'Encounter/e1',
    'List/l1',
    'Composition/comp',
    'Binary/bin',
    'Procedure/q1',
    'QuestionnaireResponse/answer',
  ],
] as const;
const PATHS = [
  ...['/telecom/0/value', '/identifier', '/contained/0/telecom', '/entry/0/resource/telecom', '/subject'],
  ...[
    '/note',
    '/valueQuantity/value',
    '/entry/0/item/reference',
    '/name/0/given',
    '/text',
    '/data',
    '/item/0/item',
  ],
] as const;

/** `parameter=value`, as a search of the type may have it. */
function anyCriterion(random: Random, release: Release, type: string): string {
  const [code, kind] = random.pick(parametersOf(release, type));
  const modifier = random.pick(MODIFIERS[kind] ?? ['', ':missing']);
  const value =
    modifier === ':missing'
      ? random.pick(['true', 'false'])
      : random.pick(
          random.chance(0.8) ? guessesOf(kind) : (GUESSES[random.pick(Object.keys(GUESSES))] ?? ['x']),
        );
  const criterion = `${code}${modifier}=${encodeURIComponent(value)}`;
  if (random.chance(0.7)) return criterion;
  return random.pick([
    `subject:${type}.${criterion}`,
    `patient.${criterion}`,
    `_has:${type}:subject:${criterion}`,
    `_has:${type}:patient:${criterion}`,
    `_has:${type}:performer:${criterion}`,
    `_has:Observation:subject:_has:${type}:subject:${criterion}`,
    `general-practitioner.${criterion}`,
  ]);
}

function anyPresentation(random: Random, release: Release, type: string): string {
  const code = (): string => random.pick(parametersOf(release, type))[0];
  return random.pick([
    '',
    `_sort=${random.pick(['', '-'])}${code()}`,
    `_sort=${code()},-_lastUpdated`,
    `_count=${random.below(4)}`,
    '_total=accurate&_count=1',
    '_summary=count',
    `_summary=${random.pick(['true', 'text', 'data'])}`,
    `_include=${type}:${code()}`,
    `_include=*`,
    `_revinclude=${random.pick(VEILED_TYPES)}:${random.pick(['subject', 'patient', 'performer', 'item', '*'])}`,
    '_elements=id,telecom,value,note,entry',
  ]);
}

function anySearch(random: Random, release: Release): string {
  const type = random.pick(VEILED_TYPES);
  const place = random.chance(0.15) ? `Patient/${random.pick(['a', 'b', 'c'])}/${type}` : type;
  const criteria = Array.from({ length: 1 + random.below(2) }, () => anyCriterion(random, release, type));
  return `${place}?${[...criteria, anyPresentation(random, release, type)].filter((part) => part !== '').join('&')}`;
}

/** One of every kind there is. Those that change something come with those that read. */
export function anyQuestion(random: Random, release: Release): Question {
  const root = `/fhir/${release}`;
  const handling = { prefer: `handling=${random.pick(['strict', 'lenient'])}` };
  const get = (path: string): Question => ({ method: 'GET', path: `${root}/${path}`, headers: handling });
  const criteria = (): string => anyCriterion(random, release, 'Patient');
  switch (random.below(12)) {
    case 0:
    case 1:
    case 2:
      return get(anySearch(random, release));
    case 3: {
      const type = random.pick(VEILED_TYPES);
      const [code, kind] = random.pick(parametersOf(release, type));
      return get(random.pick(waysOf(type, code, kind, random.pick(guessesOf(kind)))));
    }
    case 4:
      return get(random.pick(random.chance(0.5) ? READS : QUERIES));
    case 5:
      return { method: 'GET', path: '@next@' };
    case 6:
      return random.pick(random.chance(0.6) ? graphqlReads(release) : graphqlPast(release));
    case 7: {
      const [place = '', query = ''] = anySearch(random, release).split('?');
      const type = place.split('/').at(-1) ?? '';
      const text = `query($q: String) { search(type: ${type}, query: $q, first: 2) { total resources { id json } included { id } pageInfo { hasNextPage endCursor } issues { code diagnostics } } }`;
      return graphql(release, text, { q: query });
    }
    case 8:
      return random.pick(writes(release));
    case 9:
      return random.pick(direct(release));
    case 10: {
      const path = random.pick(PATHS);
      const operation = random.pick([
        { op: 'test', path, value: random.pick(guessesOf('token')) },
        { op: 'remove', path },
        { op: 'copy', from: path, path: '/language' },
        { op: 'add', path, value: 'x' },
      ]);
      return {
        method: 'PATCH',
        path: `${root}/${random.pick(ADDRESSES)}`,
        body: [operation],
        headers: { 'content-type': 'application/json-patch+json' },
      };
    }
    default: {
      const born = { resourceType: 'Patient', gender: 'other' };
      return random.pick<Question>([
        { method: 'POST', path: `${root}/Patient`, body: born, headers: { 'if-none-exist': criteria() } },
        { method: 'PUT', path: `${root}/Patient?${criteria()}`, body: born },
        {
          method: 'PATCH',
          path: `${root}/Patient?${criteria()}`,
          body: [],
          headers: { 'content-type': 'application/json-patch+json' },
        },
        {
          method: 'DELETE',
          path: `${root}/Observation?${anyCriterion(random, release, 'Observation')}&status=none`,
        },
        {
          method: 'POST',
          path: `/graphql/${release}`,
          body: {
            query:
              'mutation($r: ResourceInput!, $c: String) { create(resource: $r, ifNoneExist: $c, dryRun: true) { created } }',
            variables: { r: born, c: criteria() },
          },
          headers: JSON_TYPE,
        },
      ]);
    }
  }
}
