/** The hierarchy of an import is that of its concepts, whatever their order. */
import { ConceptGraph } from '../../src/core/terminology/concept-graph';

async function graphOf(
  codes: readonly string[],
  edges: readonly (readonly [parent: string, child: string])[],
): Promise<ConceptGraph> {
  const graph = new ConceptGraph();
  for (const [parent, child] of edges.slice(0, 2)) graph.connect(parent, child);
  for (const code of codes) graph.add(code);
  for (const [parent, child] of edges.slice(2)) graph.connect(parent, child);
  await graph.close();
  return graph;
}

const codesOf = (graph: ConceptGraph, places: Iterable<number>): string[] =>
  [...places].map((place) => graph.codeOf(place));

it('Parents are in the order in which they are named, each once, also those that come later; unknown ones are left out', async () => {
  const graph = await graphOf(
    ['leaf', 'b', 'a', 'root', 'alone'],
    [
      ['b', 'leaf'],
      ['unknown', 'leaf'],
      ['a', 'leaf'],
      ['b', 'leaf'],
      ['leaf', 'leaf'],
      ['root', 'a'],
      ['root', 'b'],
      ['leaf', 'unknown'],
    ],
  );
  const parents = (code: string): string[] => codesOf(graph, graph.parentsOf(graph.placeOf(code) ?? -1));
  expect(['leaf', 'a', 'b', 'root', 'alone'].map(parents)).toEqual([['b', 'a'], ['root'], ['root'], [], []]);
  expect(codesOf(graph, graph.ancestorsOf(0)).toSorted()).toEqual(['a', 'b', 'root']);
  expect([0, 1, 2, 3, 4].map((place) => graph.descendantsOf(place))).toEqual([0, 1, 1, 3, 0]);
  expect([graph.size, graph.isHierarchical, graph.placeOf('unknown')]).toEqual([5, true, undefined]);
});

it('A circle has no end, and each concept of it is below the others', async () => {
  const graph = await graphOf(
    ['a', 'b', 'c'],
    [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
    ],
  );
  expect(codesOf(graph, graph.ancestorsOf(0)).toSorted()).toEqual(['b', 'c']);
  expect([0, 1, 2].map((place) => graph.descendantsOf(place))).toEqual([2, 2, 2]);
});

it('A code that is there twice or too long, and more concepts above one than an index can have, are refused', async () => {
  await expect(graphOf(['a', 'a'], [])).rejects.toThrow('the code a is there twice');
  await expect(graphOf(['ä'.repeat(1_001)], [])).rejects.toThrow('more than 2000 bytes');
  const chain = Array.from({ length: 3_000 }, (_none, index) => `c${index}`);
  const edges = chain.slice(1).map((code, index) => [`c${index}`, code] as const);
  await expect(graphOf(chain, edges)).rejects.toThrow('more than 2000 concepts are above c2001');
  expect((await graphOf(chain.slice(0, 2_001), edges.slice(0, 2_000))).descendantsOf(0)).toBe(2_000);
});
