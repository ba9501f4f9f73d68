/**
 * Random searches counted by random parameters, against the oracle of ./oracle and a plain count of its resources:
 * the server reads few matches, and counts index rows of many.
 */
import { FhirError, type AggregateGroup, type RequestContext } from '../../src/core';
import { OPEN } from '../support/server';
import { openCore, type OpenedCore } from '../support/core';
import { rangesOfElement } from './oracle/date';
import type { Feature } from './oracle/features';
import { generateData } from './oracle/generate-data';
import { generateSearch } from './oracle/generate-query';
import { toJsonText, type JsonObject, type Resource } from './oracle/json';
import { makeSpace } from './oracle/make-space';
import { search } from './oracle/matcher';
import { parametersOf, type Parameter } from './oracle/parameters';
import { createRandom } from './oracle/random';
import { referenceText, targetOf } from './oracle/reference';
import { Unclear } from './oracle/refusal';
import type { Space } from './oracle/space';
import { tokensOf } from './oracle/token';
import { elementsOf, type Element } from './oracle/values';
import { TESTED_RELEASES } from '../support/releases';
import { rounds } from '../support/rounds';

const PUBLIC_URL = 'https://fhir.example.org';
const SEED = 11;
/** So many more than are read one by one. */
const MANY = 1_060;
const SEARCHES = rounds(30, 60);
/** They are met by most Observations. */
const BROAD = [
  '',
  '',
  'status:not=cancelled',
  '_id:not=unknown',
  '_lastUpdated=ge2020',
  'code:not=http://loinc.org|unknown',
  'component-code:not=http://loinc.org|unknown&status:missing=false',
];
const BUCKETS = ['year', 'month', 'day'] as const;
type Bucket = (typeof BUCKETS)[number];
/** Each resource has an id of its own; a profile is a uri to the server; of Group codes of both kinds are values. */
const NOT_COUNTED_BY = ['_id', '_profile', 'value'];
/** Other tests show how criteria are met. */
const FEATURES: readonly Feature[] = [
  'token',
  'token:not',
  'reference',
  'reference:type',
  'date',
  'string',
  'missing',
  'chain',
];

const LENGTHS = { year: 4, month: 7, day: 10 } as const;

/** Tokens and references as the groups have them; of codings the case of letters makes no difference. */
function valuesOf(space: Space, parameter: Parameter, element: Element): string[] {
  if (parameter.kind === 'token')
    return tokensOf(element).flatMap(({ system, code, isExact }) =>
      code === undefined ? [] : [`${system ?? ''} ${isExact ? code : code.toLowerCase()}`],
    );
  const text = referenceText(element.value);
  if (text === undefined || text.startsWith('#')) return [];
  if (element.type === 'canonical') return [text.split(/[|#]/)[0] ?? ''];
  const target = targetOf(text, space.root);
  const type = target?.type ?? /([A-Z][A-Za-z]+)\/[^/]+$/.exec(text)?.[1];
  if (parameter.onlyTarget !== undefined && type !== parameter.onlyTarget) return [];
  if (target !== undefined) return [`${target.type}/${target.id}`];
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? [text] : [];
}

/** In UTC, in which the space counts. */
function datesOf(element: Element, bucket: Bucket): string[] {
  return rangesOfElement(element.type, element.value).flatMap(([low, high]) => {
    if (low === -Infinity) return [];
    const start = new Date(low);
    const [year, month] = [start.getUTCFullYear(), start.getUTCMonth()];
    const name = start.toISOString();
    const isYear = low === Date.UTC(year, 0, 1) && high === Date.UTC(year + 1, 0, 1);
    const isMonth = low === Date.UTC(year, month, 1) && high === Date.UTC(year, month + 1, 1);
    if (isYear && bucket !== 'year') return [name.slice(0, 4)];
    if (isMonth && bucket === 'day') return [name.slice(0, 7)];
    return [name.slice(0, LENGTHS[bucket])];
  });
}

function count(
  space: Space,
  matches: readonly Resource[],
  parameter: Parameter,
  bucket?: Bucket,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const resource of matches) {
    const all = elementsOf(resource, parameter).flatMap((element) =>
      bucket === undefined ? valuesOf(space, parameter, element) : datesOf(element, bucket),
    );
    for (const value of new Set(all)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

const sortedText = (counts: Map<string, number>): string => JSON.stringify([...counts].sort());

const toKey = ({ value, coding }: AggregateGroup, parameter: Parameter): string => {
  if (coding === undefined) return value;
  const isExact = parameter.paths.every(({ type }) => ['code', 'boolean', 'deceased'].includes(type));
  return `${coding.system ?? ''} ${isExact ? coding.code : coding.code.toLowerCase()}`;
};

describe.each(TESTED_RELEASES)('counts of random searches in %s', (release) => {
  let opened: OpenedCore;
  let context: RequestContext;
  let space: Space;

  beforeAll(async () => {
    opened = await openCore({ environment: { ...OPEN, PUBLIC_URL } });
    for (const name of ['elsewhere', 'empty']) await opened.core.tenants.create(name);
    context = await opened.context('system', release);
    const root = `${PUBLIC_URL}/w/system/api/v1/fhir/${release}`;
    const many = generateData({ seed: SEED, root, size: MANY / 60 }).filter(
      ({ resourceType }) => resourceType === 'Observation',
    );
    const usual = generateData({ seed: SEED + 1, root }).filter(
      ({ resourceType }) => resourceType !== 'Observation',
    );
    const resources = [...usual, ...many];
    const stored = await store(context, resources);
    // Nothing of another tenant under the same ids is counted.
    const other = generateData({ seed: SEED + 2, root: root.replace('system', 'elsewhere') });
    await store(await opened.context('elsewhere', release), other);
    space = makeSpace({ release, root, resources: stored });
  });
  afterAll(() => opened.close());

  async function store(of: RequestContext, resources: readonly Resource[]): Promise<Resource[]> {
    const entries = resources.map(
      (resource) =>
        `{"resource":${toJsonText(resource)},"request":{"method":"PUT","url":"${resource.resourceType}/${resource.id}"}}`,
    );
    const text = `{"resourceType":"Bundle","type":"transaction","entry":[${entries.join(',')}]}`;
    const { entries: answers } = await opened.core.interactions.bundle(of, { input: { text } });
    return answers.map((answer, index) => {
      const resource = resources[index];
      if (answer.kind !== 'written' || resource === undefined) throw new Error('a resource was not stored');
      const lastUpdated = new Date(answer.result.version.lastUpdated).toISOString();
      return { ...resource, meta: { ...(resource['meta'] as JsonObject | undefined), lastUpdated } };
    });
  }

  it('are those of a plain count', async () => {
    const random = createRandom(SEED);
    const isOn = (feature: Feature): boolean => FEATURES.includes(feature);
    const tally = { compared: 0, groups: 0, many: 0, refused: 0 };
    const wrong: string[] = [];
    for (let round = 0; round < SEARCHES; round++) {
      const { type, query } =
        round % 3 === 0
          ? { type: 'Observation', query: random.pick(BROAD) }
          : generateSearch({ space, random, isOn });
      if (type === undefined) continue;
      const parameter = random.pick(
        parametersOf(type).filter(
          ({ kind, code }) => ['token', 'reference', 'date'].includes(kind) && !NOT_COUNTED_BY.includes(code),
        ),
      );
      const bucket = parameter.kind === 'date' ? random.pick(BUCKETS) : undefined;
      const by = { parameter: parameter.code, ...(bucket === undefined ? {} : { bucket }) };
      const criteria = { type, parameters: [...new URLSearchParams(query)] };
      let matches: readonly Resource[] | undefined;
      try {
        matches = search(space, type, query)?.matches;
      } catch (error) {
        if (error instanceof Unclear) continue;
        throw error;
      }
      const got = await opened.core.interactions
        .aggregate(context, { ...criteria, by })
        .catch((error: unknown) => error);
      if (matches === undefined || got instanceof Error) {
        tally.refused++;
        if ((matches === undefined) !== got instanceof FhirError && !isTooCostly(got))
          wrong.push(`${type}?${query} by ${parameter.code}: ${String(got)}`);
        continue;
      }
      const { groups } = got as { groups: readonly AggregateGroup[] };
      const { total } = await opened.core.interactions.aggregate(context, criteria);
      const expected = count(space, matches, parameter, bucket);
      const found = new Map(groups.map((group) => [toKey(group, parameter), group.count]));
      tally.compared++;
      if (expected.size > 0) tally.groups++;
      if (matches.length > 1_000) tally.many++;
      if (
        total !== matches.length ||
        groups.length !== found.size ||
        sortedText(found) !== sortedText(expected)
      )
        wrong.push(
          `${type}?${decodeURIComponent(query)} by ${parameter.code} ${bucket ?? ''}\n  expected ${matches.length} ${sortedText(expected)}\n  got      ${total ?? '-'} ${sortedText(found)}`,
        );
    }
    if (wrong.length > 0) throw new Error(`${wrong.length} differ:\n${wrong.slice(0, 5).join('\n')}`);
    // The test would show nothing if hardly anything were counted, or always in the same way.
    expect(tally.compared).toBeGreaterThan(SEARCHES * 0.7);
    expect(tally.groups).toBeGreaterThan(SEARCHES * 0.4);
    expect(tally.many).toBeGreaterThan(SEARCHES * 0.15);
  });

  it('by every parameter of every type, dates by every part of time, are those of a plain count', async () => {
    const types = [...new Set(space.resources.map(({ resourceType }) => resourceType))];
    const wrong: string[] = [];
    const compared = { token: 0, reference: 0, date: 0, groups: 0 };
    const empty = await opened.context('empty', release);
    for (const type of types) {
      // The specification's own resources, which every tenant has, are not among those that are counted here.
      const { total } = await opened.core.interactions.aggregate(empty, { type, parameters: [] });
      if (total !== 0) continue;
      const matches = search(space, type, '')?.matches ?? [];
      for (const parameter of parametersOf(type)) {
        const { kind, code } = parameter;
        if (!(kind === 'token' || kind === 'reference' || kind === 'date') || NOT_COUNTED_BY.includes(code))
          continue;
        for (const bucket of kind === 'date' ? BUCKETS : [undefined]) {
          const by = { parameter: code, ...(bucket === undefined ? {} : { bucket }) };
          const { groups } = await opened.core.interactions.aggregate(context, { type, parameters: [], by });
          const expected = count(space, matches, parameter, bucket);
          const found = new Map(groups.map((group) => [toKey(group, parameter), group.count]));
          compared[kind]++;
          compared.groups += expected.size;
          if (groups.length !== found.size || sortedText(found) !== sortedText(expected))
            wrong.push(
              `${type} by ${code} ${bucket ?? ''}\n  expected ${sortedText(expected)}\n  got      ${sortedText(found)}`,
            );
        }
      }
    }
    if (wrong.length > 0) throw new Error(`${wrong.length} differ:\n${wrong.slice(0, 5).join('\n')}`);
    expect(Math.min(compared.token, compared.reference, compared.date)).toBeGreaterThan(30);
    expect(compared.groups).toBeGreaterThan(200);
  });

  const isTooCostly = (error: unknown): boolean => error instanceof FhirError && error.key === 'tooCostly';
});
