/** When a list of objects reads best as a table. */
import { isArray, isObject, objectsOf, textOf, type JsonObject, type JsonValue } from '../api/json';
import type { ElementInfo } from './definitions';
import { formatValue, guessType } from './format';
import { membersOf, type Member } from './members';

const MOST_COLUMNS = 6;
/** Longer texts make cells that nobody can read. */
const LONGEST = 80;

function isShort(value: JsonValue | undefined): boolean {
  if (isArray(value)) return value.length === 1 && isShort(value[0]);
  if (!isObject(value)) return (textOf(value) ?? '').length <= LONGEST;
  const type = guessType(value);
  const isPlain = objectsOf(value['extension']).length === 0;
  const text = type === undefined ? '' : formatValue(value, type);
  return isPlain && text !== '' && text.length <= LONGEST;
}

/** The columns of a table of these objects, in the order of the definition; undefined: they make no table. */
export function columnsOf(
  objects: readonly JsonObject[],
  elements: readonly ElementInfo[],
): readonly Member[] | undefined {
  if (objects.length < 2) return undefined;
  if (!objects.every((object) => Object.values(object).every(isShort))) return undefined;
  const all: Record<string, JsonValue | undefined> = {};
  for (const object of objects) Object.assign(all, object);
  const columns = membersOf(all, elements);
  const hasMore = Object.keys(all).some((name) => name.startsWith('_') || /xtension$/.test(name));
  return hasMore || columns.length > MOST_COLUMNS ? undefined : columns;
}
