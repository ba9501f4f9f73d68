/**
 * Reads JSON (https://www.rfc-editor.org/rfc/rfc8259) step by step, so that a long text does not stop the page. What is made
 * of it is up to the caller: values, or a tree with places.
 */
import type { Steps } from './slices';

/** A member of an object, with the place of its name and quotation marks. */
export interface ReadMember<Value> {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly value: Value;
}

/** Makes what is read. Places are offsets in the text: the first character, and the one behind the last. */
export interface Maker<Value> {
  /** `token`: a string with its quotation marks, a number, `true`, `false` or `null`. */
  readonly primitive: (token: string, from: number, to: number) => Value;
  readonly array: (items: readonly Value[], from: number, to: number) => Value;
  readonly object: (members: readonly ReadMember<Value>[], from: number, to: number) => Value;
}

/** Values between two pauses. */
const EVERY = 500;
/** Objects with more members find repeated names by a table. */
const FEW = 16;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const UNUSUAL = /[\\\p{Cc}]/u;

interface Open<Value> {
  readonly from: number;
  readonly end: '}' | ']';
  readonly items: Value[];
  readonly members: ReadMember<Value>[];
  names: Set<string> | undefined;
  /** The name whose value is read. */
  name: { readonly name: string; readonly from: number; readonly to: number } | undefined;
}

/** Reads a text. Throws `SyntaxError` with the line and column. */
export function* readSteps<Value>(text: string, make: Maker<Value>): Steps<Value> {
  const open: Open<Value>[] = [];
  let at = afterSpace(text, 0);
  for (let count = 1; ; count++) {
    if (count % EVERY === 0) yield;
    const mark = text[at];
    let value: Value;
    if (mark === '{' || mark === '[') {
      const end = mark === '{' ? '}' : ']';
      const inside = afterSpace(text, at + 1);
      if (text[inside] !== end) {
        const container: Open<Value> = {
          from: at,
          end,
          items: [],
          members: [],
          names: undefined,
          name: undefined,
        };
        open.push(container);
        at = end === '}' ? readName(text, inside, container) : inside;
        continue;
      }
      value = end === '}' ? make.object([], at, inside + 1) : make.array([], at, inside + 1);
      at = inside + 1;
    } else {
      const to = endOfPrimitive(text, at);
      value = make.primitive(text.slice(at, to), at, to);
      at = to;
    }
    for (;;) {
      at = afterSpace(text, at);
      const around = open.at(-1);
      if (around === undefined) {
        if (at < text.length) throw syntaxFault(text, at, 'The text goes on after the end of the value');
        return value;
      }
      add(around, value);
      if (text[at] === ',') {
        at = afterSpace(text, at + 1);
        if (around.end === '}') at = readName(text, at, around);
        break;
      }
      if (text[at] !== around.end) throw syntaxFault(text, at, `Expected “,” or “${around.end}”`);
      at++;
      open.pop();
      value =
        around.end === '}'
          ? make.object(around.members, around.from, at)
          : make.array(around.items, around.from, at);
    }
  }
}

function add<Value>({ items, members, name }: Open<Value>, value: Value): void {
  if (name === undefined) items.push(value);
  else members.push({ ...name, value });
}

/** Reads the name of a member and its colon; returns where the value begins. */
function readName<Value>(text: string, from: number, container: Open<Value>): number {
  if (text[from] !== '"') throw syntaxFault(text, from, 'Expected the name of a member in quotation marks');
  const to = endOfString(text, from);
  const name = JSON.parse(text.slice(from, to)) as string;
  if (isRepeated(container, name)) throw syntaxFault(text, from, `The member “${name}” is repeated`);
  container.name = { name, from, to };
  const colon = afterSpace(text, to);
  if (text[colon] !== ':') throw syntaxFault(text, colon, 'Expected “:”');
  return afterSpace(text, colon + 1);
}

function isRepeated<Value>(container: Open<Value>, name: string): boolean {
  const { members } = container;
  if (members.length < FEW) return members.some((member) => member.name === name);
  container.names ??= new Set(members.map((member) => member.name));
  const isKnown = container.names.has(name);
  container.names.add(name);
  return isKnown;
}

function endOfPrimitive(text: string, at: number): number {
  if (text[at] === '"') return endOfString(text, at);
  for (const pattern of [NUMBER, WORD]) {
    pattern.lastIndex = at;
    if (pattern.test(text)) return pattern.lastIndex;
  }
  throw syntaxFault(text, at, at >= text.length ? 'The text ends too early' : 'Expected a value');
}

/** Where a string ends that begins at `from`. Cost: without a regular expression over the whole, which may be megabytes. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (text[quote - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 1) continue;
    const token = text.slice(from, quote + 1);
    if (UNUSUAL.test(token) && !isString(token))
      throw syntaxFault(text, from, 'The text in quotation marks is not allowed');
    return quote + 1;
  }
  throw syntaxFault(text, from, 'The quotation mark is not closed');
}

function isString(token: string): boolean {
  try {
    JSON.parse(token);
    return true;
  } catch {
    return false;
  }
}

function afterSpace(text: string, from: number): number {
  let at = from;
  for (; ; at++) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at;
  }
}

function syntaxFault(text: string, at: number, words: string): SyntaxError {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return new SyntaxError(`${words} (line ${line}, column ${at - before.lastIndexOf('\n')})`);
}
