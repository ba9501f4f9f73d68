/** http://hl7.org/fhirpath/N1/#string-manipulation */
import {
  fault,
  fromTest,
  one,
  unsupported,
  type CallSite,
  type Compiled,
  type FunctionTable,
  type Scope,
} from '../compiled';
import type { Pattern } from '../../terminology/pattern';
import { compileClientPattern } from '../foreign-pattern';
import type { SystemType } from '../syntax';
import { SYSTEM_NODES } from '../type-node';
import { EMPTY, makeValue, single, type PathNode, type PathNodes } from '../value';

type Argument = string | number | undefined;

/** Undefined is the empty collection. */
type Answer = string | number | boolean | undefined;

/** The text and the given arguments; undefined if one of them is empty, which makes the result empty. */
type Inputs = readonly [text: string, ...values: Argument[]] | undefined;

function inputsOf(call: CallSite): (focus: PathNodes, scope: Scope) => Inputs {
  const name = `${call.syntax.name}()`;
  const { run: on } = call.on;
  const values = call.syntax.arguments.map((_syntax, index) => call.argument(index).run);
  return (focus, scope) => {
    const text = textOf(on(focus, scope), scope, name);
    if (text === undefined) return undefined;
    const inputs: [text: string, ...values: Argument[]] = [text];
    for (const run of values) {
      const value = one(run(scope.self, scope), scope, name)?.value;
      if (value === undefined || value === null) return undefined;
      if (typeof value !== 'string' && typeof value !== 'number') {
        fault(scope, `${name} takes strings and numbers`);
        return undefined;
      }
      inputs.push(value);
    }
    return inputs;
  };
}

/** Compiles a function of one string and its arguments. `answer` must count its result before it makes it. */
function textFunction(
  type: SystemType,
  answer: (scope: Scope, text: string, ...values: Argument[]) => Answer,
): (call: CallSite) => Compiled {
  return (call) => {
    const inputs = inputsOf(call);
    return {
      run: (focus, scope) => {
        const given = inputs(focus, scope);
        const result = given && answer(scope, ...given);
        return result === undefined ? EMPTY : single(result, type);
      },
      nodes: [SYSTEM_NODES[type]],
    };
  };
}

function textTest(
  test: (scope: Scope, text: string, value: string) => boolean | undefined,
): (call: CallSite) => Compiled {
  return (call) => {
    const inputs = inputsOf(call);
    return fromTest((focus, scope) => {
      const given = inputs(focus, scope);
      return given && test(scope, given[0], String(given[1]));
    });
  };
}

/** FHIR's strings have at most 1 MiB characters; from some 4 million on, regular expressions run out of memory. */
const MAX_MATCHED = 1024 * 1024;

/** Returns undefined if the text is too long for a regular expression. */
type Matcher = (text: string, pattern: string, scope: Scope) => boolean | undefined;

function matching(mustMatchAll: boolean): (call: CallSite) => Compiled {
  return (call) => {
    const inputs = inputsOf(call);
    const matches = call.context.isFromClient
      ? foreignMatcher(call, mustMatchAll)
      : (text: string, pattern: string) =>
          text.length > MAX_MATCHED
            ? undefined
            : toRegExp(mustMatchAll ? `^(?:${pattern})$` : pattern)?.test(text) === true;
    return fromTest((focus, scope) => {
      const given = inputs(focus, scope);
      if (!given) return undefined;
      const answer = matches(given[0], String(given[1]), scope);
      if (answer === undefined)
        fault(scope, `A text of ${given[0].length} characters is too long for ${call.syntax.name}()`);
      return answer;
    });
  };
}

/** Steps of making one state of an automaton. */
const STEPS_OF_STATE = 20;

function foreignMatcher(call: CallSite, mustMatchAll: boolean): Matcher {
  const [source] = call.syntax.arguments;
  if (source?.kind !== 'literal')
    throw unsupported(`${call.syntax.name}() with a computed pattern`, call.syntax);
  let pattern: Pattern;
  try {
    pattern = compileClientPattern(source.text, mustMatchAll);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw unsupported(`The pattern of ${call.syntax.name}(): ${error.message};`, call.syntax);
  }
  call.context.meter.spend(pattern.states * STEPS_OF_STATE);
  // Following one state for one character takes some 10 ns, a tenth of a step.
  return (text, _pattern, scope) => pattern(text, (steps) => scope.spend(steps / 10));
}

function textOf(nodes: PathNodes, scope: Scope, name: string): string | undefined {
  const node: PathNode | undefined = one(nodes, scope, name);
  if (!node || node.value === null) return undefined;
  if (typeof node.value === 'string' && node.node.kind !== 'Decimal') return node.value;
  fault(scope, `${name} takes a string`);
  return undefined;
}

/** Compiles a function that returns several strings of one string. */
function textParts(
  split: (scope: Scope, text: string, separator: string) => string[],
): (call: CallSite) => Compiled {
  return (call) => {
    const separator = call.syntax.arguments.length > 0 ? call.argument(0).run : undefined;
    return {
      run: (focus, scope) => {
        const text = textOf(call.on.run(focus, scope), scope, call.syntax.name);
        const by = separator ? textOf(separator(scope.self, scope), scope, call.syntax.name) : '';
        return text === undefined || by === undefined
          ? EMPTY
          : split(scope, text, by).map((part) => makeValue(part, 'String'));
      },
      nodes: [SYSTEM_NODES.String],
    };
  };
}

const expressions = new Map<string, RegExp | undefined>();
const MAX_EXPRESSIONS = 500;

/**
 * Returns a cached regular expression, because nearly all are literals. Undefined for an invalid one, which matches
 * nothing.
 */
function toRegExp(source: string, flag: '' | 'g' = ''): RegExp | undefined {
  const key = `${flag} ${source}`;
  let expression = expressions.get(key);
  if (expression === undefined && !expressions.has(key)) {
    if (expressions.size >= MAX_EXPRESSIONS) expressions.clear();
    // `\\-` and the like are allowed in other dialects but not under the flag u.
    expression = makeRegExp(source, `${flag}su`) ?? makeRegExp(source, `${flag}s`);
    expressions.set(key, expression);
  }
  return expression;
}

function makeRegExp(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

const ENCODINGS: Readonly<Record<string, BufferEncoding>> = {
  hex: 'hex',
  base64: 'base64',
  urlbase64: 'base64url',
};

function encode(scope: Scope, text: string, encoding: Argument): string | undefined {
  const name = ENCODINGS[String(encoding)];
  if (name === undefined) return undefined;
  const bytes = Buffer.byteLength(text, 'utf8');
  scope.makeText(name === 'hex' ? 2 * bytes : 4 * Math.ceil(bytes / 3));
  const encoded = Buffer.from(text, 'utf8').toString(name);
  // FHIRPath's urlbase64 keeps the padding.
  return name === 'base64url' ? encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=') : encoded;
}

function decode(scope: Scope, text: string, encoding: Argument): string | undefined {
  const name = ENCODINGS[String(encoding)];
  scope.makeText(text.length);
  return name && Buffer.from(text, name).toString('utf8');
}

const HTML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const LONGEST_ENTITY = 6;

function escape(scope: Scope, text: string, target: Argument): string | undefined {
  if (target === 'html') {
    let escaped = 0;
    for (const character of Object.keys(HTML)) escaped += occurrences(scope, text, character);
    scope.makeText(text.length + escaped * (LONGEST_ENTITY - 1));
    scope.spend(escaped * 2);
    return text.replace(/[&<>"']/g, (character) => HTML[character] ?? character);
  }
  if (target !== 'json') return undefined;
  // A control character becomes six.
  scope.makeText(text.length);
  const escaped = JSON.stringify(text).slice(1, -1);
  scope.makeText(escaped.length);
  return escaped;
}

/** Control characters by the letters of their escapes in JSON. */
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function unescape(scope: Scope, text: string, target: Argument): string | undefined {
  scope.makeText(text.length);
  if (target === 'html') {
    return Object.entries(HTML).reduceRight(
      (result, [character, entity]) => replaceAll(scope, result, entity, character),
      text,
    );
  }
  if (target !== 'json') return undefined;
  scope.spend(occurrences(scope, text, '\\') * 2);
  return text.replace(
    /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g,
    (_escape, code: string | undefined, letter: string) =>
      code === undefined ? (CONTROLS[letter] ?? letter) : String.fromCharCode(parseInt(code, 16)),
  );
}

/** Counts a search for `part`: the engine may compare all of it at each position. */
function search(scope: Scope, text: string, part: string): void {
  scope.spend(1 + Math.ceil((text.length * Math.min(part.length, text.length)) / 256));
}

/** Counts the occurrences of `part` without overlaps; '' occurs between all characters. */
function occurrences(scope: Scope, text: string, part: string): number {
  if (part === '') return text.length + 1;
  search(scope, text, part);
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

function replaceAll(scope: Scope, text: string, from: string, to: string): string {
  const count = occurrences(scope, text, from);
  scope.makeText(text.length + count * (to.length - from.length));
  scope.spend(count * 3);
  return text.replaceAll(from, () => to);
}

function split(scope: Scope, text: string, separator: string): string[] {
  scope.makeValues(occurrences(scope, text, separator));
  return text.split(separator);
}

function toChars(scope: Scope, text: string): string[] {
  scope.makeValues(text.length);
  return Array.from(text);
}

/** A letter may become three. */
function changeCase(scope: Scope, text: string, change: (text: string) => string): string {
  scope.makeText(text.length);
  const changed = change(text);
  scope.makeText(changed.length);
  return changed;
}

function trim(scope: Scope, text: string): string {
  scope.spend(text.length >> 4);
  return text.trim();
}

function substring(_scope: Scope, text: string, start: Argument, length: Argument): string | undefined {
  if (typeof start !== 'number' || start < 0 || start >= text.length) return undefined;
  if (length === undefined) return text.slice(start);
  return typeof length === 'number' ? text.slice(start, start + Math.max(0, length)) : undefined;
}

const replaceMatchesOfText = textFunction('String', (_scope, text, pattern, to) => {
  if (pattern === '' || text.length > MAX_MATCHED) return text;
  const expression = toRegExp(String(pattern), 'g');
  return expression ? text.replace(expression, String(to)) : text;
});

function replaceMatches(call: CallSite): Compiled {
  if (call.context.isFromClient) throw unsupported('replaceMatches() of a client', call.syntax);
  return replaceMatchesOfText(call);
}

export const TEXT: FunctionTable = {
  indexOf: [
    1,
    1,
    textFunction('Integer', (scope, text, part) => {
      search(scope, text, String(part));
      return text.indexOf(String(part));
    }),
  ],
  substring: [1, 2, textFunction('String', substring)],
  startsWith: [
    1,
    1,
    textTest((scope, text, part) => {
      scope.spend(part.length >> 8);
      return text.startsWith(part);
    }),
  ],
  endsWith: [
    1,
    1,
    textTest((scope, text, part) => {
      scope.spend(part.length >> 8);
      return text.endsWith(part);
    }),
  ],
  contains: [
    1,
    1,
    textTest((scope, text, part) => {
      search(scope, text, part);
      return text.includes(part);
    }),
  ],
  upper: [0, 0, textFunction('String', (scope, text) => changeCase(scope, text, (one) => one.toUpperCase()))],
  lower: [0, 0, textFunction('String', (scope, text) => changeCase(scope, text, (one) => one.toLowerCase()))],
  replace: [
    2,
    2,
    textFunction('String', (scope, text, from, to) => replaceAll(scope, text, String(from), String(to))),
  ],
  matches: [1, 1, matching(false)],
  matchesFull: [1, 1, matching(true)],
  replaceMatches: [2, 2, replaceMatches],
  length: [0, 0, textFunction('Integer', (_scope, text) => text.length)],
  trim: [0, 0, textFunction('String', trim)],
  encode: [1, 1, textFunction('String', encode)],
  decode: [1, 1, textFunction('String', decode)],
  escape: [1, 1, textFunction('String', escape)],
  unescape: [1, 1, textFunction('String', unescape)],
  toChars: [0, 0, textParts(toChars)],
  split: [1, 1, textParts(split)],
  join: [
    0,
    1,
    (call) => {
      const separator = call.syntax.arguments.length > 0 ? call.argument(0).run : undefined;
      return {
        run: (focus, scope) => {
          const nodes = call.on.run(focus, scope);
          const by = separator ? textOf(separator(scope.self, scope), scope, 'join()') : '';
          if (by === undefined || nodes.length === 0) return EMPTY;
          scope.spend(nodes.length);
          const texts = nodes.map((node) => node.value).filter((value) => typeof value === 'string');
          scope.makeText(texts.reduce((sum, text) => sum + text.length + by.length, 0));
          return single(texts.join(by), 'String');
        },
        nodes: [SYSTEM_NODES.String],
      };
    },
  ],
};
