/**
 * Paths from the root of a resource to elements that the server controls. Everything else in meta may be patched; the
 * server sets its own elements again in any case.
 */
const PROTECTED: readonly (readonly string[])[] = [
  ['id'],
  ['resourceType'],
  ['meta', 'versionId'],
  ['meta', 'lastUpdated'],
];

/** True if a path of member names from the root leads to an element that the server controls, or below one. */
export function isProtected(way: readonly string[]): boolean {
  return PROTECTED.some((names) => names.every((name, at) => way[at] === name));
}
