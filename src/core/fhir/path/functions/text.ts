/** http://hl7.org/fhirpath/N1/#string-manipulation */
import { fault, one, type CallSite, type Compiled, type FunctionTable, type Scope } from '../compiled';
import type { SystemType } from '../syntax';
import { SYSTEM_NODES } from '../type-node';
import { EMPTY, makeValue, single, type PathNode, type PathNodes } from '../value';

type Argument = string | number | undefined;

/** Undefined: empty. */
type Answer = string | number | boolean | undefined;

/** A function of one string and its arguments, of which none may be empty unless it is left out. */
function textFunction(
  type: SystemType,
  answer: (text: string, ...values: Argument[]) => Answer,
): (call: CallSite) => Compiled {
  return (call) => {
    const name = `${call.syntax.name}()`;
    const values = call.syntax.arguments.map((_syntax, index) => call.argument(index).run);
    return {
      run: (focus, scope) => {
        const text = textOf(call.on.run(focus, scope), scope, name);
        if (text === undefined) return EMPTY;
        const given: Argument[] = [];
        for (const run of values) {
          const value = one(run(scope.self, scope), scope, name)?.value;
          if (value === undefined || value === null) return EMPTY;
          if (typeof value !== 'string' && typeof value !== 'number')
            return fault(scope, `${name} takes strings and numbers`);
          given.push(value);
        }
        const result = answer(text, ...given);
        return result === undefined ? EMPTY : single(result, type);
      },
      nodes: [SYSTEM_NODES[type]],
    };
  };
}

function textOf(nodes: PathNodes, scope: Scope, name: string): string | undefined {
  const node: PathNode | undefined = one(nodes, scope, name);
  if (!node || node.value === null) return undefined;
  if (typeof node.value === 'string' && node.node.kind !== 'Decimal') return node.value;
  fault(scope, `${name} takes a string`);
  return undefined;
}

/** For functions that return strings of one string, several at a time. */
function textParts(split: (text: string, separator: string) => string[]): (call: CallSite) => Compiled {
  return (call) => {
    const separator = call.syntax.arguments.length > 0 ? call.argument(0).run : undefined;
    return {
      run: (focus, scope) => {
        const text = textOf(call.on.run(focus, scope), scope, call.syntax.name);
        const by = separator ? textOf(separator(scope.self, scope), scope, call.syntax.name) : '';
        return text === undefined || by === undefined
          ? EMPTY
          : split(text, by).map((part) => makeValue(part, 'String'));
      },
      nodes: [SYSTEM_NODES.String],
    };
  };
}

const expressions = new Map<string, RegExp | undefined>();
const MAX_EXPRESSIONS = 500;

/** Compiled regular expressions are kept, for nearly all are literals; a faulty one matches nothing. */
function toRegExp(source: string): RegExp | undefined {
  if (!expressions.has(source)) {
    if (expressions.size >= MAX_EXPRESSIONS) expressions.clear();
    let expression: RegExp | undefined;
    try {
      expression = new RegExp(source, 'su');
    } catch {
      // `\-` and the like are allowed in other dialects but not under the flag u.
      expression = toLooseRegExp(source);
    }
    expressions.set(source, expression);
  }
  return expressions.get(source);
}

function toLooseRegExp(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 's');
  } catch {
    return undefined;
  }
}

const ENCODINGS: Readonly<Record<string, BufferEncoding>> = {
  hex: 'hex',
  base64: 'base64',
  urlbase64: 'base64url',
};

function encode(text: string, encoding: Argument): string | undefined {
  const name = ENCODINGS[String(encoding)];
  const encoded = name && Buffer.from(text, 'utf8').toString(name);
  // FHIRPath's urlbase64 keeps the padding.
  return encoded !== undefined && name === 'base64url'
    ? encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=')
    : encoded;
}

function decode(text: string, encoding: Argument): string | undefined {
  const name = ENCODINGS[String(encoding)];
  return name && Buffer.from(text, name).toString('utf8');
}

const HTML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string, target: Argument): string | undefined {
  if (target === 'html') return text.replace(/[&<>"']/g, (character) => HTML[character] ?? character);
  return target === 'json' ? JSON.stringify(text).slice(1, -1) : undefined;
}

function unescape(text: string, target: Argument): string | undefined {
  if (target === 'html') {
    return Object.entries(HTML).reduceRight(
      (result, [character, entity]) => result.replaceAll(entity, character),
      text,
    );
  }
  return target === 'json'
    ? text
        .replace(/\\(["\\/])/g, '$1')
        .replace(/\\n/g, '\n')
        .replace(/\\t/g, '\t')
    : undefined;
}

function substring(text: string, start: Argument, length: Argument): string | undefined {
  if (typeof start !== 'number' || start < 0 || start >= text.length) return undefined;
  if (length === undefined) return text.slice(start);
  return typeof length === 'number' ? text.slice(start, start + Math.max(0, length)) : undefined;
}

export const TEXT: FunctionTable = {
  indexOf: [1, 1, textFunction('Integer', (text, part) => text.indexOf(String(part)))],
  substring: [1, 2, textFunction('String', substring)],
  startsWith: [1, 1, textFunction('Boolean', (text, part) => text.startsWith(String(part)))],
  endsWith: [1, 1, textFunction('Boolean', (text, part) => text.endsWith(String(part)))],
  contains: [1, 1, textFunction('Boolean', (text, part) => text.includes(String(part)))],
  upper: [0, 0, textFunction('String', (text) => text.toUpperCase())],
  lower: [0, 0, textFunction('String', (text) => text.toLowerCase())],
  replace: [
    2,
    2,
    textFunction('String', (text, from, to) => text.replaceAll(String(from), () => String(to))),
  ],
  matches: [1, 1, textFunction('Boolean', (text, pattern) => toRegExp(String(pattern))?.test(text))],
  matchesFull: [
    1,
    1,
    textFunction('Boolean', (text, pattern) => toRegExp(`^(?:${String(pattern)})$`)?.test(text)),
  ],
  replaceMatches: [
    2,
    2,
    textFunction('String', (text, pattern, to) => {
      const expression = pattern === '' ? undefined : toRegExp(String(pattern));
      return expression
        ? text.replace(new RegExp(expression.source, `${expression.flags}g`), String(to))
        : text;
    }),
  ],
  length: [0, 0, textFunction('Integer', (text) => text.length)],
  trim: [0, 0, textFunction('String', (text) => text.trim())],
  encode: [1, 1, textFunction('String', encode)],
  decode: [1, 1, textFunction('String', decode)],
  escape: [1, 1, textFunction('String', escape)],
  unescape: [1, 1, textFunction('String', unescape)],
  toChars: [0, 0, textParts((text) => Array.from(text))],
  split: [1, 1, textParts((text, separator) => text.split(separator))],
  join: [
    0,
    1,
    (call) => {
      const separator = call.syntax.arguments.length > 0 ? call.argument(0).run : undefined;
      return {
        run: (focus, scope) => {
          const nodes = call.on.run(focus, scope);
          const by = separator ? textOf(separator(scope.self, scope), scope, 'join()') : '';
          const texts = nodes.map((node) => node.value).filter((value) => typeof value === 'string');
          return by === undefined || nodes.length === 0 ? EMPTY : single(texts.join(by), 'String');
        },
        nodes: [SYSTEM_NODES.String],
      };
    },
  ],
};
