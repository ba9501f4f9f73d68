/** A small repeatable generator of random numbers: xorshift32. */
export class Random {
  constructor(private state: number) {}

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % limit;
  }

  pick<Choice>(choices: readonly Choice[]): Choice {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new Error('nothing to pick from');
    return choice;
  }
}

/** A document as a tree whose numbers are literals, so that it can be written and compared without a parser. */
export type Tree =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'literal'; readonly literal: string }
  | { readonly kind: 'array'; readonly elements: readonly Tree[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [name: string, value: Tree])[] };

export const NUMBERS = [
  '0', '-0', '1', '-1', '1.0', '1.00', '0.10', '1e-7', '1E5', '1e5', '1e+21', '1e21', '123456789012345678', '-0.0',
  '999999999999999', '9999999999999999', '1e400', '-1e400', '1e-400', '3.141592653589793238462643', '0e0', '100',
  '0.1', '-12.50', '1.7976931348623157e308', '5e-324',
]; // prettier-ignore
const TEXTS = [
  '',
  'Chalmers',
  'Müller',
  '寿司',
  '😀 smile',
  'a "quoted" \\ text',
  'line\nbreak\ttab',
  '\u2028',
  '1.00',
  '{"a":1}',
  '\\u0001',
  'a:b,c]}',
];
const NAMES = [
  'resourceType',
  'id',
  'family',
  '_family',
  'value',
  'naïve',
  'a.b',
  '',
  'with "quotes"',
  'toString',
  'prototype',
  'hasOwnProperty',
  'z:y',
];

export function makeTree(random: Random, depth: number): Tree {
  const choice = random.below(depth <= 0 ? 5 : 9);
  if (choice < 2) return { kind: 'text', text: random.pick(TEXTS) };
  if (choice < 4) return { kind: 'literal', literal: random.pick(NUMBERS) };
  if (choice === 4) return { kind: 'literal', literal: random.pick(['true', 'false', 'null']) };
  if (choice < 7) {
    return {
      kind: 'array',
      elements: Array.from({ length: random.below(5) }, () => makeTree(random, depth - 1)),
    };
  }
  const names = new Set(Array.from({ length: random.below(6) }, () => random.pick(NAMES)));
  return { kind: 'object', members: [...names].map((name) => [name, makeTree(random, depth - 1)] as const) };
}

/** Compact JSON text; `escaped` writes all strings as escape sequences, `space` pads every token. */
export function writeTree(tree: Tree, style: { escaped?: boolean; space?: string } = {}): string {
  const space = style.space ?? '';
  const write = (text: string): string =>
    style.escaped === true
      ? `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
      : JSON.stringify(text);
  switch (tree.kind) {
    case 'text':
      return write(tree.text);
    case 'literal':
      return tree.literal;
    case 'array':
      return `[${space}${tree.elements.map((element) => writeTree(element, style)).join(`${space},${space}`)}${space}]`;
    case 'object':
      return `{${space}${tree.members
        .map(([name, value]) => `${write(name)}${space}:${space}${writeTree(value, style)}`)
        .join(`${space},${space}`)}${space}}`;
  }
}

/** The tree with one member of one of its objects written a second time; undefined when no object has a member. */
export function duplicateMember(tree: Tree, random: Random): Tree | undefined {
  const objects = countObjects(tree);
  if (objects === 0) return undefined;
  let left = random.below(objects);
  const rebuild = (node: Tree): Tree => {
    if (node.kind === 'array') return { kind: 'array', elements: node.elements.map(rebuild) };
    if (node.kind !== 'object') return node;
    if (node.members.length > 0 && left-- === 0) {
      const [name] = random.pick(node.members);
      const members = [...node.members];
      members.splice(random.below(members.length + 1), 0, [name, { kind: 'text', text: 'again' }]);
      return { kind: 'object', members };
    }
    return { kind: 'object', members: node.members.map(([name, value]) => [name, rebuild(value)] as const) };
  };
  return rebuild(tree);
}

function countObjects(tree: Tree): number {
  if (tree.kind === 'array') return tree.elements.reduce((sum, element) => sum + countObjects(element), 0);
  if (tree.kind !== 'object') return 0;
  return tree.members.reduce((sum, [, value]) => sum + countObjects(value), tree.members.length > 0 ? 1 : 0);
}
