import { PathSyntaxError } from './error';

export interface Token {
  readonly kind:
    'identifier' | 'delimited' | 'string' | 'number' | 'date' | 'dateTime' | 'time' | 'symbol' | 'end';
  /** Without quotes, escapes and `@`. */
  readonly text: string;
  readonly position: number;
}

const SPACE = /(?:\s+|\/\/[^\r\n]*|\/\*[^]*?\*\/)+/y;
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /\d+(?:\.\d+)?/y;
const TIME = /@T(\d\d(?::\d\d(?::\d\d(?:\.\d+)?)?)?)/y;
const DATE_TIME = /@(\d{4}(?:-\d\d(?:-\d\d)?)?T(?:\d\d(?::\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:\d\d)?)?)/y;
const DATE = /@(\d{4}(?:-\d\d(?:-\d\d)?)?)/y;
const QUOTED = /'((?:[^'\\]|\\[^])*)'/y;
const DELIMITED = /`((?:[^`\\]|\\[^])*)`/y;
const SYMBOL = /<=|>=|!=|!~|[.,()[\]{}+\-*/&|<>=~$%]/y;
const ESCAPE = /\\(u[0-9a-fA-F]{4}|[^])/g;
const ESCAPED: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  '`': '`',
  '\\': '\\',
  '/': '/',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Kinds in the order in which they are tried; a date with `T` is a date-time. */
const PATTERNS: readonly (readonly [Token['kind'], RegExp])[] = [
  ['identifier', IDENTIFIER],
  ['number', NUMBER],
  ['time', TIME],
  ['dateTime', DATE_TIME],
  ['date', DATE],
  ['string', QUOTED],
  ['delimited', DELIMITED],
  ['symbol', SYMBOL],
];

/** Returns the tokens of an expression, the last one of kind `end`. Throws PathSyntaxError. */
export function tokenize(expression: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  for (;;) {
    SPACE.lastIndex = position;
    if (SPACE.test(expression)) position = SPACE.lastIndex;
    if (position >= expression.length) break;
    const token = nextToken(expression, position);
    tokens.push(token.token);
    position = token.end;
  }
  tokens.push({ kind: 'end', text: '', position });
  return tokens;
}

function nextToken(expression: string, position: number): { token: Token; end: number } {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = position;
    const match = pattern.exec(expression);
    if (!match) continue;
    const raw = match[1] ?? match[0];
    const isQuoted = kind === 'string' || kind === 'delimited';
    return {
      token: { kind, text: isQuoted ? unescape(raw, position) : raw, position },
      end: pattern.lastIndex,
    };
  }
  throw new PathSyntaxError(`'${expression.slice(position, position + 10)}' is not FHIRPath`, position);
}

function unescape(raw: string, position: number): string {
  if (!raw.includes('\\')) return raw;
  return raw.replace(ESCAPE, (_whole, code: string) => {
    if (code.length === 5) return String.fromCharCode(parseInt(code.slice(1), 16));
    const character = ESCAPED[code];
    if (character === undefined)
      throw new PathSyntaxError(`'\\${code}' is not an escape of FHIRPath`, position);
    return character;
  });
}
