/** The grammar of `_filter`. Source: https://hl7.org/fhir/R4/search_filter.html */
import { fhirError } from '../../errors';

export const FILTER_OPERATORS = [
  'eq',
  'ne',
  'co',
  'sw',
  'ew',
  'gt',
  'lt',
  'ge',
  'le',
  'ap',
  'sa',
  'eb',
  'pr',
  'po',
  'ss',
  'sb',
  'in',
  'ni',
  're',
] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** One name of a path: `name`, `name:Type`, `name[filter]`. */
export interface FilterStep {
  readonly code: string;
  /** The target type of the reference, where it is named. */
  readonly type: string | undefined;
  /** The target must meet this filter. */
  readonly filter: FilterNode | undefined;
}

export interface FilterTest {
  readonly kind: 'test';
  /** At least one. */
  readonly path: readonly FilterStep[];
  readonly operator: FilterOperator;
  /** Without quotation marks and their escapes. */
  readonly value: string;
}

export type FilterNode =
  | FilterTest
  | { readonly kind: 'and' | 'or'; readonly of: readonly FilterNode[] }
  | { readonly kind: 'not'; readonly of: FilterNode };

const MAX_LENGTH = 4_000;
const MAX_DEPTH = 20;
const MAX_TESTS = 100;

/** Parses a filter. Throws invalidParameterValue with the position and the expected text, and tooCostly. */
export function parseFilter(text: string): FilterNode {
  if (text.length > MAX_LENGTH) throw tooCostly(`be ${MAX_LENGTH} characters long`);
  return new FilterParser(text).parse();
}

function tooCostly(most: string): Error {
  return fhirError('tooCostly', { reason: `A _filter may ${most} at most` });
}

const SPACE = /\s*/y;
const NOT = /not\s*\(/y;
const NAME = /[A-Za-z_][\w-]*/y;
const TYPE = /[A-Z][A-Za-z]*/y;
const OPERATOR = /[a-z]{2}(?![\w-])/y;
const CONNECTIVE = /(?:and|or)(?![\w-])/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const TOKEN = /[^\s"\])][^\s\])]*/y;

class FilterParser {
  private at = 0;
  private tests = 0;
  private turns = 0;

  constructor(private readonly text: string) {}

  parse(): FilterNode {
    const node = this.expression(0);
    if (this.at < this.text.length) throw this.expected("'and', 'or' or the end");
    return node;
  }

  /** "evaluated left to right, with no precedence between and and or": `a or b and c` is `(a or b) and c`. */
  private expression(depth: number): FilterNode {
    if (depth >= MAX_DEPTH) throw tooCostly(`be nested ${MAX_DEPTH} deep`);
    this.skipSpace();
    let node = this.member(depth);
    for (;;) {
      this.skipSpace();
      const word = this.take(CONNECTIVE);
      if (word === undefined) return node;
      this.skipSpace();
      const kind = word === 'and' ? 'and' : 'or';
      const next = this.member(depth);
      if (node.kind === kind) node = { kind, of: [...node.of, next] };
      else if (++this.turns > MAX_DEPTH) throw tooCostly(`change ${MAX_DEPTH} times between 'and' and 'or'`);
      else node = { kind, of: [node, next] };
    }
  }

  private member(depth: number): FilterNode {
    if (this.take(NOT) !== undefined) return { kind: 'not', of: this.closed(depth, ')') };
    if (this.skip('(')) return this.closed(depth, ')');
    return this.test(depth);
  }

  private closed(depth: number, end: ')' | ']'): FilterNode {
    const node = this.expression(depth + 1);
    if (!this.skip(end)) throw this.expected(`'and', 'or' or '${end}'`);
    return node;
  }

  private test(depth: number): FilterNode {
    if (++this.tests > MAX_TESTS) throw tooCostly(`have ${MAX_TESTS} comparisons`);
    const path = [this.step(depth)];
    while (this.skip('.')) path.push(this.step(depth));
    const start = this.at;
    this.skipSpace();
    const word = this.at === start ? undefined : this.take(OPERATOR);
    const operator = FILTER_OPERATORS.find((each) => each === word);
    if (operator === undefined) {
      if (word !== undefined) this.at -= word.length;
      throw this.expected(`an operator (${FILTER_OPERATORS.join(', ')}), between spaces,`);
    }
    const end = this.at;
    this.skipSpace();
    const value = this.at === end ? undefined : this.value();
    if (value === undefined) throw this.expected('a value');
    return { kind: 'test', path, operator, value };
  }

  private step(depth: number): FilterStep {
    const code = this.take(NAME);
    if (code === undefined) throw this.expected("the name of a search parameter, 'not (' or '('");
    let type: string | undefined;
    if (this.skip(':')) {
      type = this.take(TYPE);
      if (type === undefined) throw this.expected('the type of a resource');
    }
    const filter = this.skip('[') ? this.closed(depth, ']') : undefined;
    if (filter !== undefined && this.text[this.at] !== '.') throw this.expected("'.'");
    return { code, type, filter };
  }

  private value(): string | undefined {
    const quoted = this.take(STRING);
    if (quoted === undefined) return this.take(TOKEN);
    try {
      const value: unknown = JSON.parse(quoted);
      if (typeof value === 'string') return value;
    } catch {
      // The error is thrown below.
    }
    this.at -= quoted.length;
    throw this.expected('a string as in JSON');
  }

  private skipSpace(): void {
    this.take(SPACE);
  }

  private skip(character: string): boolean {
    const isThere = this.text[this.at] === character;
    if (isThere) this.at++;
    return isThere;
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private expected(what: string): Error {
    return fhirError('invalidParameterValue', {
      parameter: '_filter',
      value: this.text.slice(0, 80),
      reason: `at position ${this.at + 1} ${what} is expected`,
    });
  }
}
