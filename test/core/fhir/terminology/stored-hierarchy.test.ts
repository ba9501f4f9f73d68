/** Value sets over a code system whose concepts are in tables. */
import type { JsonObject } from '../../../../src/core/fhir/json';
import { composeValueSet } from '../../../../src/core/fhir/terminology/compose';
import type { ConceptRow, ConceptStorage } from '../../../../src/core/fhir/terminology/concept-set';
import { expandValueSet } from '../../../../src/core/fhir/terminology/expansion';
import { objectsMember, stringMember } from '../../../../src/core/fhir/terminology/members';
import { lookUp } from '../../../../src/core/fhir/terminology/lookup';
import { storedCodeSystem, withConcepts } from '../../../../src/core/fhir/terminology/stored-code-system';
import { NO_CONCEPTS } from '../../../support/no-concepts';

const URL = 'http://example.org/large';
/** More than an evaluation without an index may read. */
const CONCEPTS = 120_000;
const TOPS: ReadonlySet<number> = new Set([1, 70_000, 110_000]);

const rowOf = (number: number): ConceptRow => ({
  ...{ number, folded: `c${number}`, isAbstract: false, isInactive: number === 70_000 },
  ...{ parents: TOPS.has(number) ? [] : ['c1'], descendants: number === 1 ? CONCEPTS : 0 },
  ...{ keys: [String(number)], element: `{"code":"c${number}"}` },
});

/** Reads the set in order, as the tables do. */
const storage: ConceptStorage = {
  ...NO_CONCEPTS,
  async scanConcepts(_set, { isTop, isActive }, { after, limit }) {
    const rows: ConceptRow[] = [];
    for (let number = after + 1; number <= CONCEPTS && rows.length < limit; number++) {
      if (isTop === true && !TOPS.has(number)) continue;
      const row = rowOf(number);
      if (isActive !== true || !row.isInactive) rows.push(row);
    }
    return rows;
  },
  // Everything is below the first.
  findConcepts: async (_set, _criteria, limit) => Array.from({ length: limit }, (_, at) => at + 2),
  readConcepts: async (_set, folded) => folded.map((code) => rowOf(Number(code.slice(1)))),
};
const set = { number: 1, url: URL, version: '1', concepts: CONCEPTS, isHierarchical: true };
const head = { resourceType: 'CodeSystem', url: URL, version: '1', content: 'complete' };

async function expandTop(options: { readonly [name: string]: number | boolean | string }) {
  const include = [{ system: URL, filter: [{ property: 'parent', op: 'exists', value: 'false' }] }];
  const valueSet: JsonObject = { resourceType: 'ValueSet', compose: { include } };
  const composed = await composeValueSet(valueSet, {
    concepts: storage,
    findCodeSystem: async () => storedCodeSystem(head, set),
    findValueSet: async () => undefined,
    listVersions: async () => ['1'],
  });
  const expansion = await expandValueSet(composed, {
    ...{ maxCodes: 1_000, identifier: 'urn:uuid:7b4a4d5e-0000-4000-8000-000000000000' },
    ...{ timestamp: '2026-01-01T00:00:00Z', parameters: [], storage },
    ...options,
  });
  const codes = objectsMember(expansion, 'contains').map((each) => stringMember(each, 'code'));
  return { codes, total: expansion['total'] };
}

it('the concepts without a parent are found in a system that is too large to evaluate, in pages', async () => {
  const tops = ['c1', 'c70000', 'c110000'];
  expect(await expandTop({ offset: 0, count: 50 })).toEqual({ codes: tops, total: 3 });
  // Whether there are more is not known before they are read.
  expect(await expandTop({ offset: 0, count: 2 })).toEqual({ codes: tops.slice(0, 2), total: undefined });
  expect(await expandTop({ offset: 2, count: 2 })).toEqual({ codes: tops.slice(2), total: 3 });
  expect((await expandTop({ count: 50, activeOnly: true })).codes).toEqual(['c1', 'c110000']);
});

it('they are not found by words as well without reading more than that', async () => {
  const found = await expandTop({ count: 50, filter: 'c7' });
  expect(found).toEqual({ codes: ['c70000'], total: 1 });
});

it('a concept is looked up without its children, which may be too many', async () => {
  const system = storedCodeSystem(head, set);
  const parametersOf = (properties: readonly string[]) =>
    withConcepts(storage, () => {
      const concept = system.find('c1');
      if (concept === undefined) throw new Error('The concept is missing');
      return lookUp(system, concept, { properties });
    });
  const parameters = await parametersOf(['parent']);
  expect(parameters.map(({ name }) => name)).toEqual(['name', 'version', 'display']);
  await expect(parametersOf(['child'])).rejects.toThrow('more than 5000 concepts');
});
