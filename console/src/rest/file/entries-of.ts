/**
 * The resources in the text of a Bundle, cut out of it: no value is parsed and written again, so that each keeps its digits.
 * Works in slices, so that a page stays alive beside it.
 */
import { rest } from './rest';

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gy;
const BLANK = /\s*/gy;
/** Characters between two rests. */
const SLICE = 1_000_000;

/** Texts of the members of an object. */
export type Members = ReadonlyMap<string, string>;

export interface BundleText {
  /** The members of the Bundle other than `entry`. */
  readonly members: Members;
  /** Those of each entry: `resource`, `request`, `fullUrl`. */
  readonly entries: readonly Members[];
}

/** Reads marks and values of JSON one after the other. Throws `SyntaxError`. */
class Reader {
  place = 0;
  constructor(private readonly text: string) {}

  private fail(wanted: string, from: number): never {
    throw new SyntaxError(`no ${wanted} at the character ${from + 1}`);
  }

  /** Passes the next mark or value, and returns it. */
  next(): string {
    BLANK.lastIndex = this.place;
    BLANK.exec(this.text);
    const from = BLANK.lastIndex;
    TOKEN.lastIndex = from;
    const [token] = TOKEN.exec(this.text) ?? this.fail('JSON', from);
    this.place = from + token.length;
    return token;
  }

  expect(wanted: string): void {
    const token = this.next();
    if (token !== wanted) this.fail(wanted, this.place - token.length);
  }

  /** Passes a value; returns its text. */
  value(): string {
    const first = this.next();
    const from = this.place - first.length;
    if ('}]:,'.includes(first)) this.fail('value', from);
    let depth = first === '{' || first === '[' ? 1 : 0;
    while (depth > 0) {
      const token = this.next();
      if (token === '{' || token === '[') depth++;
      else if (token === '}' || token === ']') depth--;
    }
    return this.text.slice(from, this.place);
  }

  /** The names of an object; its reader passes the value of each before the next. */
  *names(): Generator<string> {
    this.expect('{');
    let token = this.next();
    if (token === '}') return;
    for (;;) {
      if (!token.startsWith('"')) this.fail('name', this.place - token.length);
      this.expect(':');
      yield JSON.parse(token) as string;
      token = this.next();
      if (token === '}') return;
      if (token !== ',') this.fail('comma', this.place - token.length);
      token = this.next();
    }
  }

  /** Goes to each item of an array; its reader passes the item before the next. */
  *items(): Generator<void> {
    this.expect('[');
    const begin = this.place;
    if (this.next() === ']') return;
    this.place = begin;
    for (;;) {
      yield;
      const token = this.next();
      if (token === ']') return;
      if (token !== ',') this.fail('comma', this.place - token.length);
    }
  }

  /** Nothing stands behind what was read. */
  end(): void {
    const rest = this.text.slice(this.place).trimStart();
    if (rest !== '') this.fail('end', this.text.length - rest.length);
  }

  members(): Members {
    const found = new Map<string, string>();
    for (const name of this.names()) found.set(name, this.value());
    return found;
  }
}

/** The parts of a Bundle. Throws `SyntaxError`. */
export async function entriesOf(text: string): Promise<BundleText> {
  const reader = new Reader(text);
  const members = new Map<string, string>();
  const entries: Members[] = [];
  let rested = 0;
  for (const name of reader.names()) {
    if (name !== 'entry') {
      members.set(name, reader.value());
      continue;
    }
    for (const _ of reader.items()) {
      entries.push(reader.members());
      if (reader.place - rested < SLICE) continue;
      rested = reader.place;
      await rest();
    }
  }
  reader.end();
  return { members, entries };
}
