/** What changed between two versions of a record, element by element. */
import { isArray, isObject, textOf, type JsonArray, type JsonObject, type JsonValue } from '../../api/json';
import { finish, type Steps } from '../../api/slices';
import { isSame, ItemNumbers } from './same';
import { SERVER_EXTENSIONS } from '../../../../packages/fhir-values/server-meta';

/** The way to a value: names of members, and indexes in arrays. */
export type JsonPath = readonly (string | number)[];

/** One element that is not the same in both versions. */
export interface Difference {
  /** In the version after; of a removed element in the version before. */
  readonly path: JsonPath;
  readonly kind: 'added' | 'removed' | 'changed';
  /** Undefined: it was not there. */
  readonly before: JsonValue | undefined;
  /** Undefined: it is not there any more. */
  readonly after: JsonValue | undefined;
}

/** Longer arrays are compared index by index, because the comparison takes the product of their lengths. */
const ALIGNED = 400;
const SERVER_META = ['versionId', 'lastUpdated'];

function isServerExtension(url: string): boolean {
  return SERVER_EXTENSIONS.some((name) => url.endsWith(`/StructureDefinition/${name}`));
}

/** The record without what the server writes into `meta`: number, time, sequence and author of the version. */
export function withoutServerMeta(record: JsonObject): JsonObject {
  const { meta } = record;
  if (!isObject(meta)) return record;
  const kept = Object.entries(meta).flatMap(([name, value]): [string, JsonValue | undefined][] => {
    if (SERVER_META.includes(name)) return [];
    if (name !== 'extension' || !isArray(value)) return [[name, value]];
    const extensions = value.filter(
      (each) => !isObject(each) || !isServerExtension(textOf(each['url']) ?? ''),
    );
    return extensions.length === 0 ? [] : [[name, extensions]];
  });
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]): [string, JsonValue | undefined][] => {
      if (name !== 'meta') return [[name, value]];
      return kept.length === 0 ? [] : [[name, Object.fromEntries(kept)]];
    }),
  );
}

/** The elements that differ, in the order of the version after. The order of members does not matter, that of arrays does. */
export function diffOf(before: JsonObject, after: JsonObject): readonly Difference[] {
  return finish(diffSteps(before, after));
}

/** The same, in steps: two large records take their time. */
export function* diffSteps(before: JsonObject, after: JsonObject): Steps<readonly Difference[]> {
  const found: Difference[] = [];
  yield* diffObjects(before, after, [], found);
  return found;
}

/** The paths of differences as a line: `birthDate, name[0].family and 3 more`. */
export function pathsOf(differences: readonly Difference[], shown = 4): { paths: string[]; more: number } {
  const all = [...new Set(differences.map(({ path }) => writePath(path)))];
  return { paths: all.slice(0, shown), more: Math.max(0, all.length - shown) };
}

/** A path as people write it: `name[0].family`. */
export function writePath(path: JsonPath): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

function* diffValues(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: JsonPath,
  found: Difference[],
): Steps<void> {
  if (before === undefined) {
    if (after !== undefined) found.push({ path, kind: 'added', before, after });
  } else if (after === undefined) found.push({ path, kind: 'removed', before, after });
  else if (isObject(before) && isObject(after)) yield* diffObjects(before, after, path, found);
  else if (isArray(before) && isArray(after)) yield* diffArrays(before, after, path, found);
  else if (!isSame(before, after)) found.push({ path, kind: 'changed', before, after });
}

function* diffObjects(
  before: JsonObject,
  after: JsonObject,
  path: JsonPath,
  found: Difference[],
): Steps<void> {
  yield;
  const removed = Object.keys(before).filter((name) => after[name] === undefined);
  for (const name of [...Object.keys(after), ...removed])
    yield* diffValues(before[name], after[name], [...path, name], found);
}

/** Equal items are aligned, so that one that is inserted at the front does not change all others. */
function* diffArrays(before: JsonArray, after: JsonArray, path: JsonPath, found: Difference[]): Steps<void> {
  yield;
  const pairs = alignedItems(before, after);
  let [doneBefore, doneAfter] = [0, 0];
  for (const [atBefore, atAfter] of [...pairs, [before.length, after.length] as const]) {
    // Between two equal items, the first of one side became the first of the other.
    for (; doneBefore < atBefore || doneAfter < atAfter; doneBefore++, doneAfter++) {
      const old = doneBefore < atBefore ? before[doneBefore] : undefined;
      const index = doneAfter < atAfter ? doneAfter : doneBefore;
      yield* diffValues(old, doneAfter < atAfter ? after[doneAfter] : undefined, [...path, index], found);
    }
    [doneBefore, doneAfter] = [atBefore + 1, atAfter + 1];
  }
}

/** The indexes of equal items of two lists, in their order; none in long lists. */
export function alignedItems(before: JsonArray, after: JsonArray): readonly (readonly [number, number])[] {
  const isLong = before.length > ALIGNED || after.length > ALIGNED;
  if (isLong) return [];
  const numbers = new ItemNumbers();
  return commonItems(numbers.of(before), numbers.of(after));
}

/** The indexes of the longest common subsequence. */
function commonItems(
  before: readonly number[],
  after: readonly number[],
): readonly (readonly [number, number])[] {
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  const lengthAt = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        before[row] === after[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
  const pairs: (readonly [number, number])[] = [];
  let [row, column] = [0, 0];
  while (row < before.length && column < after.length)
    if (before[row] === after[column]) pairs.push([row++, column++]);
    else if (lengthAt(row + 1, column) >= lengthAt(row, column + 1)) row++;
    else column++;
  return pairs;
}
