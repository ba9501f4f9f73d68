/** The grammar of `_filter` (https://hl7.org/fhir/R4/search_filter.html). */
import { BadSearch } from './refusal';

export interface FilterStep {
  readonly name: string;
  /** `name:Type`: only resources of this type. */
  readonly type: string | undefined;
  /** `name[filter]`: only resources that meet it. */
  readonly filter: FilterNode | undefined;
}

export interface FilterTest {
  readonly kind: 'test';
  readonly path: readonly FilterStep[];
  readonly operator: string;
  readonly value: string;
}

export type FilterNode =
  | FilterTest
  | { readonly kind: 'and' | 'or'; readonly one: FilterNode; readonly other: FilterNode }
  | { readonly kind: 'not'; readonly one: FilterNode };

export const OPERATORS = [
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
];

/** The rest of the text; each reader consumes its beginning. */
class Rest {
  constructor(public text: string) {}

  /** Returns the match of the pattern, which begins with ^, at the beginning. */
  take(pattern: RegExp): string | undefined {
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.text = this.text.slice(found.length);
    return found;
  }

  need(pattern: RegExp, what: string): string {
    const found = this.take(pattern);
    if (found === undefined) throw new BadSearch(`_filter: ${what} is missing before '${this.text}'`);
    return found;
  }
}

/** @throws BadSearch */
export function parseFilter(text: string): FilterNode {
  const rest = new Rest(text.trim());
  const node = readLogical(rest);
  if (rest.text !== '') throw new BadSearch(`_filter: '${rest.text}' is too much`);
  return node;
}

/** From left to right, `and` and `or` alike. */
function readLogical(rest: Rest): FilterNode {
  let one = readOne(rest);
  for (;;) {
    const word = rest.take(/^\s+(and|or)\b\s*/)?.trim();
    if (word !== 'and' && word !== 'or') return one;
    one = { kind: word, one, other: readOne(rest) };
  }
}

function readOne(rest: Rest): FilterNode {
  if (rest.take(/^not\s*\(\s*/) !== undefined) return { kind: 'not', one: readClosed(rest) };
  if (rest.take(/^\(\s*/) !== undefined) return readClosed(rest);
  const path = readPath(rest);
  const operator = rest.need(/^\s+[a-z]{2}\s+/, 'an operator').trim();
  if (!OPERATORS.includes(operator)) throw new BadSearch(`_filter: ${operator} is no operator`);
  return { kind: 'test', path, operator, value: readValue(rest) };
}

function readClosed(rest: Rest): FilterNode {
  const node = readLogical(rest);
  rest.need(/^\s*\)/, ')');
  return node;
}

function readPath(rest: Rest): FilterStep[] {
  const name = rest.need(/^[A-Za-z_][\w-]*/, 'a parameter');
  const type = rest.take(/^:[A-Z]\w*/)?.slice(1);
  let filter: FilterNode | undefined;
  if (rest.take(/^\[\s*/) !== undefined) {
    filter = readLogical(rest);
    rest.need(/^\s*\]/, ']');
  }
  const step = { name, type, filter };
  return rest.take(/^\./) === undefined ? [step] : [step, ...readPath(rest)];
}

function readValue(rest: Rest): string {
  const quoted = rest.take(/^"(?:[^"\\]|\\.)*"/);
  if (quoted === undefined) return rest.need(/^[^\s")\]][^\s)\]]*/, 'a value');
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new BadSearch(`_filter: ${quoted} is not a string of JSON`);
  }
}
