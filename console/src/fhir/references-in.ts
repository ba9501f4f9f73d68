/** The references of a record, with the places in which they stand. */
import { isArray, isObject, textOf, type JsonObject, type JsonValue } from '../api/json';
import { finish, type Steps } from '../api/slices';
import { humanize } from './humanize';

export interface FoundReference {
  /** Names of elements: `participant.individual`. */
  readonly path: string;
  readonly label: string;
  readonly reference: JsonObject;
}

/** The references in the order of the record, without the server's own in the metadata. */
export function referencesIn(record: JsonObject): readonly FoundReference[] {
  return finish(referenceSteps(record));
}

/** The same, in steps. */
export function* referenceSteps(record: JsonObject): Steps<readonly FoundReference[]> {
  const found: FoundReference[] = [];
  for (const [name, value] of Object.entries(record)) {
    if (name !== 'meta' && name !== 'text') yield* collect(value, [name], found);
  }
  return found;
}

function* collect(
  value: JsonValue | undefined,
  path: readonly string[],
  found: FoundReference[],
): Steps<void> {
  if (isArray(value)) for (const each of value) yield* collect(each, path, found);
  if (!isObject(value)) return;
  yield;
  const isReference = textOf(value['reference']) !== undefined && typeof value['reference'] === 'string';
  if (isReference && path[0] !== 'contained' && !textOf(value['reference'])?.startsWith('#'))
    found.push({ path: path.join('.'), label: path.map(humanize).join(' · '), reference: value });
  for (const [name, each] of Object.entries(value)) yield* collect(each, [...path, name], found);
}
