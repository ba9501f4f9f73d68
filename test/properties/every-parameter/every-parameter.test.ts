/**
 * Every search parameter of both releases finds an official example by a value that the example has, and leaves out
 * another resource of the type. Where no example has a value, one is put into a copy of an example. What is stored is not
 * validated, so that an element can be put in or left out by itself.
 */
import { loadDefinitions, type SearchParameterDefinition } from '../../../src/core/fhir/definitions';
import type { JsonObject } from '../../../src/core/fhir/json';
import { storedParameters } from '../../../src/core/search/parameters/parameter';
import { searchTypeOf } from '../../../src/core/search/types';
import type { Core, Release, RequestContext } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';
import { forEachOf, readExamples } from '../../support/examples';
import { storeUnvalidated } from '../../support/unvalidated';
import { withValue } from './made-values';
import { compileSearches } from './parameter-values';
import type { SearchValue } from './search-value';
import { TESTED_RELEASES } from '../../support/releases';

/** Larger examples would take long and show nothing more. */
const LARGEST = 100_000;
/** Other examples of a type that each search is tested with. */
const OTHERS = 4;
const AT_ONCE = 8;
/** Different values of a parameter that are searched for, until one leaves a resource out. */
const SEARCHES = 2;
/** The expression of R4B's Ingredient?manufacturer ends at an element that holds references, not at one. */
const WITHOUT_VALUES: Readonly<Record<Release, readonly string[]>> = {
  r4: [],
  r4b: ['Ingredient?manufacturer'],
};
/** An id of no example. */
const BARE = 'bare-of-values';

/** A parameter, and searches by it with the resource that each must find; one of them must leave a resource out. */
interface Search {
  readonly type: string;
  readonly code: string;
  readonly searches: readonly Sought[];
}

interface Sought {
  readonly search: SearchValue;
  readonly id: string;
}

interface Plan {
  /** By type and id. */
  readonly stored: Map<string, Map<string, JsonObject>>;
  readonly searchList: readonly Search[];
  /** `Type?code` of which no search could be made. */
  readonly left: readonly string[];
  /** Number of searches that find a made resource. */
  readonly made: number;
}

function planSearches(release: Release): Plan {
  const definitions = loadDefinitions(release);
  const examples = new Map<string, JsonObject[]>();
  for (const { type, resource, text } of readExamples(release)) {
    if (text.length > LARGEST) continue;
    examples.set(type, [...(examples.get(type) ?? []), resource]);
  }
  const stored = new Map<string, Map<string, JsonObject>>();
  const searchList: Search[] = [];
  const left: string[] = [];
  let made = 0;
  for (const type of definitions.resourceTypes) {
    const ofType = examples.get(type) ?? [];
    const byId = new Map<string, JsonObject>([[BARE, { resourceType: type, id: BARE }]]);
    const addResource = (resource: JsonObject): string => {
      const { id } = resource;
      if (typeof id !== 'string') throw new Error(`an example of ${type} has no id`);
      byId.set(id, resource);
      return id;
    };
    ofType.slice(0, OTHERS).forEach(addResource);
    stored.set(type, byId);
    for (const parameter of searchable(release, type)) {
      const { code } = parameter;
      const searchesOf = compileSearches(definitions, parameter);
      const found = findSome(ofType, searchesOf);
      if (found.length > 0) {
        searchList.push({
          type,
          code,
          searches: found.map(({ search, resource }) => ({ search, id: addResource(resource) })),
        });
        continue;
      }
      const base = ofType[0] ?? { resourceType: type, id: BARE };
      const copies = withValue(definitions, parameter, base).map((copy, index) => ({
        ...copy,
        id: `made-${parameter.ordinal}-${index}`,
      }));
      const [makeup] = findSome(copies, searchesOf);
      made += 1;
      if (makeup === undefined) left.push(`${type}?${code}`);
      else
        searchList.push({
          type,
          code,
          searches: [{ search: makeup.search, id: addResource(makeup.resource) }],
        });
    }
  }
  return { stored, searchList, left, made };
}

/** The parameters that compare values, except those of the head, which are tested separately. */
function searchable(release: Release, type: string): SearchParameterDefinition[] {
  return [...storedParameters(loadDefinitions(release), type).values()]
    .filter((stored) => searchTypeOf(stored) !== undefined)
    .map(({ parameter }) => parameter);
}

/** The first few different searches. */
function findSome(
  resources: readonly JsonObject[],
  searchesOf: (resource: JsonObject) => readonly SearchValue[],
): { readonly resource: JsonObject; readonly search: SearchValue }[] {
  const found = new Map<string, { readonly resource: JsonObject; readonly search: SearchValue }>();
  for (const resource of resources) {
    if (found.size >= SEARCHES) break;
    const [search] = searchesOf(resource);
    if (search !== undefined && !found.has(search.text)) found.set(search.text, { resource, search });
  }
  return [...found.values()];
}

/** When the last of the resources without values was stored; all others are later. */
async function store(
  opened: OpenedCore,
  release: Release,
  space: number,
  stored: Plan['stored'],
): Promise<number> {
  const all = [...stored].flatMap(([type, resources]) =>
    [...resources].map(([id, resource]) => ({ type, id, resource })),
  );
  const to = { database: opened.database, release, space };
  const bareAt = await storeUnvalidated(
    to,
    all.filter(({ id }) => id === BARE),
  );
  await new Promise((resolve) => setTimeout(resolve, 5));
  await storeUnvalidated(
    to,
    all.filter(({ id }) => id !== BARE),
  );
  return bareAt;
}

/** The faults of the answers. */
async function run(
  core: Core,
  context: RequestContext,
  stored: Plan['stored'],
  { type, code, searches }: Search,
): Promise<string[]> {
  const existing = [...(stored.get(type)?.keys() ?? [])].filter((id) => !id.startsWith('made-'));
  const wrong: string[] = [];
  let leavesOut = false;
  for (const { search, id } of searches) {
    if (leavesOut) break;
    const ids = [id, ...existing.filter((other) => other !== id).slice(0, OTHERS + 1)];
    const name = `${code}${search.modifier}`;
    const label = `${type}?${name}=${search.text}`;
    try {
      const { matches } = await core.interactions.search(context, {
        type,
        parameters: [
          [name, search.text],
          ['_id', ids.join(',')],
        ],
      });
      if (!matches.some((match) => match.id === id)) wrong.push(`${label} does not find ${id}`);
      leavesOut ||= matches.length < ids.length;
    } catch (error) {
      wrong.push(`${label}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return leavesOut ? wrong : [...wrong, `${type}?${code} leaves out nothing`];
}

describe.each(TESTED_RELEASES)('the search parameters of %s', (release) => {
  const { stored, searchList, left, made } = planSearches(release);
  let opened: OpenedCore;
  let context: RequestContext;
  let bareAt = 0;
  beforeAll(async () => {
    opened = await openCore();
    context = await opened.context('system', release);
    bareAt = await store(opened, release, context.space.number, stored);
  });
  afterAll(() => opened.close());

  it('find a resource by a value that it has, and not the others', async () => {
    const wrong: string[] = [];
    const since = new Date(bareAt).toISOString();
    const ofHeads = [...stored].flatMap(([type, resources]): Search[] => {
      const id = [...resources.keys()].find((one) => one !== BARE);
      if (id === undefined) return [];
      const search = (text: string): Sought[] => [{ id, search: { modifier: '', text } }];
      return [
        { type, code: '_id', searches: search(id) },
        { type, code: '_lastUpdated', searches: search(`gt${since}`) },
      ];
    });
    await forEachOf([...searchList, ...ofHeads], AT_ONCE, async (one) => {
      wrong.push(...(await run(opened.core, context, stored, one)));
    });
    expect(wrong.sort()).toEqual([]);
  });

  it('are searched with values of official examples, or made ones, except those that can have none', () => {
    expect(left).toEqual(WITHOUT_VALUES[release]);
    expect(made).toBeLessThan(searchList.length / 2);
  });
});
