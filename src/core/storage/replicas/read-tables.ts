import { createCache } from '../../memory/create-cache';

/**
 * The data of a space, whose changes its position tells: a change of one of these tables raises a number of the position in
 * the same transaction, or a later one before anybody relies on it.
 */
const DATA = new Set([
  ...['resource', 'resource_version', 'unopened_reference', 'strings_containing'],
  ...['token_index', 'reference_index', 'range_index', 'string_index', 'uri_index'],
]);
/** What a replica's position itself is read from. */
const POSITION = new Set(['space_state', 'installation']);

/**
 * data: reads the data of a space alone; position: also what its position is read from; apart: reads nothing of either, such as
 * accounts; mixed: anything else, such as a statement that writes.
 */
export type ReadKind = 'data' | 'position' | 'apart' | 'mixed';

const kinds = createCache<string, ReadKind>({ name: 'read-tables', scope: 'program', max: 2_000 });

/** What a statement reads, by the names in its text. A table that is not listed here is never read from a replica. */
export function readKindOf(text: string): ReadKind {
  let kind = kinds.get(text);
  if (kind === undefined) kinds.set(text, (kind = findKind(text)));
  return kind;
}

const QUERY = /^\s*(?:select|with)\b/i;
const CHANGES =
  /\b(?:insert|update|delete|merge|truncate|call|do|lock|share|nextval|setval|set_config|pg_advisory\w*|pg_notify)\b/i;
const NAMES = /\bandiron"?\."?(\w+)/g;

function findKind(text: string): ReadKind {
  if (!QUERY.test(text) || CHANGES.test(text)) return 'mixed';
  const names = [...text.matchAll(NAMES)].map(([, name = '']) => name);
  if (names.every((name) => DATA.has(name))) return 'data';
  if (names.every((name) => DATA.has(name) || POSITION.has(name))) return 'position';
  return names.some((name) => DATA.has(name) || POSITION.has(name)) ? 'mixed' : 'apart';
}
