/**
 * Changes one value in a text of JSON. Everything else of the text stays as it is, character by character: digits of numbers,
 * order of members, unknown members, spaces.
 */
import { primitiveOf, toJson, type JsonValue } from '../api/json';
import type { JsonPath } from '../fhir/compare/diff';
import { memberIn, readTree, type JsonNode } from './json-tree';

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

const splice = (text: string, { from, to, insert }: Splice): string =>
  text.slice(0, from) + insert + text.slice(to);

function childOf(node: JsonNode, step: string | number): JsonNode | undefined {
  return typeof step === 'number' ? node.items?.[step] : memberIn(node, step)?.value;
}

/** The node at a path; undefined: there is none. */
export function nodeAt(root: JsonNode, path: JsonPath): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const step of path) node = node && childOf(node, step);
  return node;
}

/** The value inside of the containers that a path needs. */
function wrap(value: JsonValue, path: JsonPath): JsonValue {
  return path.reduceRight<JsonValue>((inner, step) => {
    if (typeof step === 'string') return { [step]: inner };
    // Only a list of simple values has empty places.
    return [...Array.from({ length: step }, () => null), inner];
  }, value);
}

/** What stands before the first sign of a line, if the place is the first in its line. */
function indentAt(text: string, at: number): string | undefined {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^\s*$/.test(line) && text.lastIndexOf('\n', at - 1) !== -1 ? line : undefined;
}

/** The JSON of a value that begins in a line with this indentation; undefined: on one line. */
function print(value: JsonValue, indent: string | undefined): string {
  return indent === undefined ? toJson(value, 0) : toJson(value).replaceAll('\n', `\n${indent}`);
}

/** The parts of a container: members with their names, or items. */
function partsOf({
  members,
  items = [],
}: JsonNode): readonly { readonly from: number; readonly to: number }[] {
  return members?.map(({ from, value }) => ({ from, to: value?.to ?? from })) ?? items;
}

/** Adds a member or item at the end of a container. */
function appended(text: string, container: JsonNode, name: string | undefined, value: JsonValue): Splice {
  const parts = partsOf(container);
  const last = parts.at(-1);
  const outer = lineIndent(text, container.from);
  const indent = last === undefined ? `${outer}  ` : indentAt(text, last.from);
  const written = (name === undefined ? '' : `${JSON.stringify(name)}: `) + print(value, indent);
  if (last !== undefined)
    return {
      from: last.to,
      to: last.to,
      insert: indent === undefined ? `, ${written}` : `,\n${indent}${written}`,
    };
  return { from: container.from + 1, to: container.to - 1, insert: `\n${indent}${written}\n${outer}` };
}

/** The spaces at the beginning of the line of a place. */
function lineIndent(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? '';
}

/** Writes a value at a path, and the containers around it that are missing. Throws `SyntaxError` where the text is no JSON. */
export function setIn(text: string, path: JsonPath, value: JsonValue): string {
  let node = readTree(text);
  for (const [depth, step] of path.entries()) {
    const child = childOf(node, step);
    if (child === undefined) {
      const canHold = typeof step === 'number' ? node.items !== undefined : node.members !== undefined;
      if (!canHold) return splice(text, replaced(text, node, wrap(value, path.slice(depth))));
      const missing = typeof step === 'number' ? step - (node.items?.length ?? 0) : 0;
      const inner = wrap(value, path.slice(depth + 1));
      const name = typeof step === 'string' ? step : undefined;
      const filled = missing > 0 ? splice(text, appended(text, node, undefined, null)) : undefined;
      return filled === undefined
        ? splice(text, appended(text, node, name, inner))
        : setIn(filled, path, value);
    }
    node = child;
  }
  return splice(text, replaced(text, node, value));
}

function replaced(text: string, { from, to }: JsonNode, value: JsonValue): Splice {
  return { from, to, insert: print(value, lineIndent(text, from)) };
}

/** Removes the member or item at a path, if it is there; the container around it stays. */
export function removeIn(text: string, path: JsonPath): string {
  const root = readTree(text);
  const step = path.at(-1);
  const container = nodeAt(root, path.slice(0, -1));
  if (step === undefined || container === undefined) return text;
  const index =
    typeof step === 'number' ? step : (container.members ?? []).findIndex(({ name }) => name === step);
  const parts = partsOf(container);
  const part = parts[index];
  if (part === undefined) return text;
  const [before, after] = [parts[index - 1], parts[index + 1]];
  if (before !== undefined) return splice(text, { from: before.to, to: part.to, insert: '' });
  if (after !== undefined) return splice(text, { from: part.from, to: after.from, insert: '' });
  return splice(text, { from: container.from + 1, to: container.to - 1, insert: '' });
}

/** Removes what is empty from the value at a path outwards: FHIR has no empty objects, lists or texts. */
export function pruneIn(text: string, path: JsonPath): string {
  let pruned = text;
  for (let depth = path.length; depth > 0; depth--) {
    const here = path.slice(0, depth);
    const node = nodeAt(readTree(pruned), here);
    if (node === undefined) continue;
    const isEmpty =
      node.members?.length === 0 ||
      node.items?.length === 0 ||
      /^(?:null|"")$/.test(pruned.slice(node.from, node.to));
    if (!isEmpty) return pruned;
    const step = here.at(-1);
    if (typeof step !== 'number') pruned = removeIn(pruned, here);
    else {
      const list = here.slice(0, -1);
      // What stands beside an empty text, such as why it is missing, stays in its place.
      if (hasSecond(pruned, list, step)) return setIn(pruned, here, null);
      pruned = removeIn(dropEmptyEnd(removeIn(pruned, [...secondOf(list), step]), secondOf(list)), here);
    }
  }
  return pruned;
}

function hasSecond(text: string, list: JsonPath, index: number): boolean {
  const node = nodeAt(readTree(text), [...secondOf(list), index]);
  return node?.members !== undefined && node.members.length > 0;
}

/** Exchanges two items of a list; a list that is not that long stays. */
export function swapIn(text: string, list: JsonPath, one: number, other: number): string {
  const items = nodeAt(readTree(text), list)?.items ?? [];
  const [first, second] = [items[Math.min(one, other)], items[Math.max(one, other)]];
  if (first === undefined || second === undefined || first === second) return text;
  const between = text.slice(first.to, second.from);
  const swapped = text.slice(second.from, second.to) + between + text.slice(first.from, first.to);
  return splice(text, { from: first.from, to: second.to, insert: swapped });
}

/** The second member of a list of simple values, with their ids and extensions: `_given` of `given`. */
function secondOf(list: JsonPath): JsonPath {
  const name = list.at(-1);
  return typeof name === 'string' ? [...list.slice(0, -1), `_${name}`] : list;
}

/** Moves an item of a list to the place beside it, with its id and extensions. */
export function moveItem(text: string, list: JsonPath, from: number, to: number): string {
  const moved = swapIn(text, list, from, to);
  const second = nodeAt(readTree(moved), secondOf(list));
  if (second?.items === undefined || second.items.length <= Math.min(from, to)) return moved;
  let filled = moved;
  for (let length = second.items.length; length <= Math.max(from, to); length++)
    filled = setIn(filled, [...secondOf(list), length], null);
  return dropEmptyEnd(swapIn(filled, secondOf(list), from, to), secondOf(list));
}

/** Removes an item of a list, with its id and extensions, and the list if it was the last. */
export function removeItem(text: string, list: JsonPath, index: number): string {
  const second = removeIn(text, [...secondOf(list), index]);
  const removed = removeIn(dropEmptyEnd(second, secondOf(list)), [...list, index]);
  return pruneIn(removed, list);
}

/** Empty places at the end of a second member say nothing. */
function dropEmptyEnd(text: string, list: JsonPath): string {
  let dropped = text;
  for (;;) {
    const items = nodeAt(readTree(dropped), list)?.items;
    const last = items?.at(-1);
    if (items === undefined) return dropped;
    if (last === undefined) return removeIn(dropped, list);
    if (dropped.slice(last.from, last.to) !== 'null') return dropped;
    dropped = removeIn(dropped, [...list, items.length - 1]);
  }
}

/** The value of a number as it is typed, with all its digits; undefined: it is no number of JSON. */
export function typedNumber(text: string): JsonValue | undefined {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? primitiveOf(text) : undefined;
}
