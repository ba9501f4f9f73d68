/** Profiles of a package are stored after those that they are derived from. */
import { inOrderOfNeed, readResources } from '../../src/packages/package-resource';

const urlOf = (index: number): string => `http://example.org/p${index}`;

const profile = (index: number, base: number): { name: string; isExample: boolean; text: string } => ({
  name: `p${index}.json`,
  isExample: false,
  text: JSON.stringify({
    resourceType: 'StructureDefinition',
    url: urlOf(index),
    baseDefinition: urlOf(base),
    differential: { element: [{ type: [{ profile: [`${urlOf(base)}|1.0`] }] }] },
  }),
});

async function order(bases: readonly number[]): Promise<number[]> {
  const entries = bases.map((base, index) => profile(index, base));
  const { resources } = await readResources(entries, new Set(['StructureDefinition']), 100);
  return inOrderOfNeed(resources).map(({ file }) => Number(/\d+/.exec(file)?.[0]));
}

it('a profile follows its base, and those that need each other keep their order', async () => {
  expect(await order([3, 0, 9, 2])).toEqual([2, 3, 0, 1]);
  expect(await order([1, 2, 0])).toEqual([2, 1, 0]);
});

it('a chain of bases may be as long as a package can make it', async () => {
  const count = 30_000;
  const bases = Array.from({ length: count }, (_, index) => index + 1);
  expect(await order(bases)).toEqual(bases.map((_, index) => count - 1 - index));
});
