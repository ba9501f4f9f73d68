/**
 * Regular expressions of clients, run in linear time, because backtracking can take exponential time. The pattern
 * becomes a nondeterministic automaton of at most `MAX_STATES` states, all of which are followed at once. A match costs
 * at most states × characters for any pattern.
 *
 * Supported: characters, `.`, `[…]`, `\d \w \s` and their opposites, escapes, `( )` and `(?: )`, `|`, `* + ?`, `{n}`,
 * `{n,}`, `{n,m}`; `^` at the beginning and `$` at the end, which are implied: the whole value must match. Anything
 * else (back references, look-around, unicode classes) is refused.
 */
export interface Pattern {
  /** @param spend called after each character with the steps that it took; may throw */
  (value: string, spend?: (steps: number) => void): boolean;
  /** A match takes at most this many steps per character, of some 10 ns each. */
  readonly states: number;
}

const MAX_LENGTH = 500;
const MAX_STATES = 2_000;

type CharacterTest = (code: number) => boolean;
/** A state consumes one character and continues, or continues in one or two states without a character. */
type State =
  | { readonly kind: 'character'; readonly test: CharacterTest; readonly cost: number; next: number }
  | { readonly kind: 'split'; first: number; second: number }
  | { readonly kind: 'accept' };

interface CharacterNode {
  readonly kind: 'character';
  readonly test: CharacterTest;
  /** Comparisons of one test: a class has as many as it has members. */
  readonly cost: number;
}

type Node =
  | { readonly kind: 'empty' }
  | CharacterNode
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly options: readonly Node[] }
  | { readonly kind: 'repeat'; readonly node: Node; readonly min: number; readonly max: number };

/**
 * Compiles a test for whole values. Throws RangeError, with a readable message, for an unsupported or too large
 * pattern.
 */
export function compilePattern(source: string): Pattern {
  if (source.length > MAX_LENGTH) throw new RangeError(`it is longer than ${MAX_LENGTH} characters`);
  const states: State[] = [{ kind: 'accept' }];
  const start = build(parse(source), 0, states);
  return Object.assign((value: string, spend?: (steps: number) => void) => run(states, start, value, spend), {
    states: states.reduce((sum, state) => sum + (state.kind === 'character' ? state.cost : 1), 0),
  });
}

function run(
  states: readonly State[],
  start: number,
  value: string,
  spend?: (steps: number) => void,
): boolean {
  // The active states before and after a character; `marks` ensures that each is there at most once.
  let current = new Int32Array(states.length);
  let following = new Int32Array(states.length);
  const marks = new Int32Array(states.length).fill(-1);
  const stack: number[] = [];
  let mark = 0;
  let steps = states.length;
  const add = (first: number, into: Int32Array, size: number): number => {
    let count = size;
    stack.push(first);
    for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
      if (marks[state] === mark) continue;
      marks[state] = mark;
      steps++;
      const found = states[state];
      if (found?.kind === 'split') stack.push(found.second, found.first);
      else into[count++] = state;
    }
    return count;
  };
  let count = add(start, current, 0);
  for (let at = 0; at < value.length; at++) {
    const code = value.codePointAt(at) ?? 0;
    if (code > 0xffff) at++;
    mark++;
    let next = 0;
    for (let index = 0; index < count; index++) {
      const found = states[current[index] ?? 0];
      if (found?.kind !== 'character') continue;
      steps += found.cost;
      if (found.test(code)) next = add(found.next, following, next);
    }
    spend?.(steps);
    steps = 0;
    if (next === 0) return false;
    [current, following, count] = [following, current, next];
  }
  return current.subarray(0, count).some((state) => states[state]?.kind === 'accept');
}

/** Appends the states of a node that leads to `next`; returns its first state. */
function build(node: Node, next: number, states: State[]): number {
  if (states.length > MAX_STATES) throw new RangeError('it needs too many steps');
  switch (node.kind) {
    case 'empty':
      return next;
    case 'character':
      return states.push({ kind: 'character', test: node.test, cost: node.cost, next }) - 1;
    case 'sequence':
      return node.parts.reduceRight((following, part) => build(part, following, states), next);
    case 'choice':
      return node.options
        .map((option) => build(option, next, states))
        .reduceRight((second, first) => states.push({ kind: 'split', first, second }) - 1);
    case 'repeat': {
      let following = next;
      if (node.max === Infinity) {
        const loop: State = { kind: 'split', first: next, second: next };
        following = states.push(loop) - 1;
        loop.first = build(node.node, following, states);
      } else {
        for (let optional = node.min; optional < node.max; optional++) {
          following =
            states.push({ kind: 'split', first: build(node.node, following, states), second: next }) - 1;
        }
      }
      for (let needed = 0; needed < node.min; needed++) {
        const before = states.length;
        following = build(node.node, following, states);
        // A node that matches only '' is built once; without this, ((){9999}){9999} would not end.
        if (states.length === before) break;
      }
      return following;
    }
  }
}

function parse(source: string): Node {
  // A dollar after an even number of backslashes is not escaped.
  const characters = [...source.replace(/^\^/, '').replace(/(?<!\\)((?:\\\\)*)\$$/, '$1')];
  let at = 0;

  const parseChoice = (depth: number): Node => {
    if (depth > 50) throw new RangeError('it is nested too deeply');
    const options = [parseSequence(depth)];
    while (characters[at] === '|') {
      at++;
      options.push(parseSequence(depth));
    }
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: 'choice', options };
  };

  const parseSequence = (depth: number): Node => {
    const parts: Node[] = [];
    while (at < characters.length && characters[at] !== '|' && characters[at] !== ')') {
      parts.push(parseRepeat(parseAtom(depth)));
    }
    return parts.length === 0 ? { kind: 'empty' } : { kind: 'sequence', parts };
  };

  const parseRepeat = (atom: Node): Node => {
    const sign = characters[at];
    let range: readonly [min: number, max: number] | undefined;
    if (sign === '*') range = [0, Infinity];
    else if (sign === '+') range = [1, Infinity];
    else if (sign === '?') range = [0, 1];
    else if (sign === '{') {
      const found = /^\{(\d{1,4})(,(\d{1,4})?)?\}/.exec(characters.slice(at, at + 12).join(''));
      if (found === null) throw new RangeError(`the count at ${at + 1} is not valid`);
      at += found[0].length - 1;
      const min = Number(found[1]);
      range = [min, found[2] === undefined ? min : found[3] === undefined ? Infinity : Number(found[3])];
      if (range[0] > range[1]) throw new RangeError(`the count at ${at + 1} is the wrong way round`);
    }
    if (range === undefined) return atom;
    at++;
    if (characters[at] === '?') at++;
    if ('*+{?'.includes(characters[at] ?? ' '))
      throw new RangeError(`there is nothing to repeat at ${at + 1}`);
    return { kind: 'repeat', node: atom, min: range[0], max: range[1] };
  };

  const parseAtom = (depth: number): Node => {
    const character = characters[at++] ?? '';
    switch (character) {
      case '(': {
        if (characters[at] === '?') {
          if (characters[at + 1] !== ':')
            throw new RangeError('look-around and named groups are not supported');
          at += 2;
        }
        const inner = parseChoice(depth + 1);
        if (characters[at++] !== ')') throw new RangeError('a ( is not closed');
        return inner;
      }
      case '[':
        return parseClass();
      case '.':
        return single((code) => code !== 10 && code !== 13);
      case '\\':
        return single(parseEscape());
      case '*':
      case '+':
      case '?':
      case '{':
      case '^':
      case '$':
        throw new RangeError(`the ${character} at ${at} is not valid there`);
      default:
        return single(isCharacter(character));
    }
  };

  const parseEscape = (): CharacterTest => {
    const character = characters[at++];
    if (character === undefined) throw new RangeError('it ends with a backslash');
    const escape = ESCAPES[character];
    if (escape !== undefined) return escape;
    if (/[A-Za-z0-9]/.test(character)) throw new RangeError(`\\${character} is not supported`);
    return isCharacter(character);
  };

  const parseClass = (): CharacterNode => {
    const negated = characters[at] === '^';
    if (negated) at++;
    const tests: CharacterTest[] = [];
    for (let first = true; first || characters[at] !== ']'; first = false) {
      const character = characters[at++];
      if (character === undefined) throw new RangeError('a [ is not closed');
      if (character === '\\') {
        tests.push(parseEscape());
      } else if (characters[at] === '-' && characters[at + 1] !== ']' && characters[at + 1] !== undefined) {
        const low = character.codePointAt(0) ?? 0;
        let end = characters[at + 1] ?? '';
        at += 2;
        if (end === '\\') end = characters[at++] ?? '';
        const high = end.codePointAt(0) ?? 0;
        if (low > high) throw new RangeError(`the range ${character}-${end} is the wrong way round`);
        tests.push((code) => code >= low && code <= high);
      } else {
        tests.push(isCharacter(character));
      }
    }
    at++;
    return {
      kind: 'character',
      test: (code) => tests.some((test) => test(code)) !== negated,
      cost: Math.max(1, tests.length),
    };
  };

  const node = parseChoice(0);
  if (at < characters.length) throw new RangeError('a ) has no (');
  return node;
}

function single(test: CharacterTest): CharacterNode {
  return { kind: 'character', test, cost: 1 };
}

function isCharacter(character: string): CharacterTest {
  const wanted = character.codePointAt(0);
  return (code) => code === wanted;
}

const isDigit: CharacterTest = (code) => code >= 48 && code <= 57;
const isWord: CharacterTest = (code) =>
  isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
const isSpace: CharacterTest = (code) => code === 32 || (code >= 9 && code <= 13) || code === 160;
const ESCAPES: Readonly<Record<string, CharacterTest>> = {
  d: isDigit,
  D: (code) => !isDigit(code),
  w: isWord,
  W: (code) => !isWord(code),
  s: isSpace,
  S: (code) => !isSpace(code),
  f: (code) => code === 12,
  t: (code) => code === 9,
  n: (code) => code === 10,
  r: (code) => code === 13,
};
