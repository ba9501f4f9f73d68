/**
 * Ways from the root of a resource to what belongs to the server. Everything else in meta may be patched; the server's
 * part of it is set anew anyway.
 */
const PROTECTED: readonly (readonly string[])[] = [
  ['id'],
  ['resourceType'],
  ['meta', 'versionId'],
  ['meta', 'lastUpdated'],
];

/** Whether a way, by member names from the root, leads to what belongs to the server, or below it. */
export function isProtected(way: readonly string[]): boolean {
  return PROTECTED.some((names) => names.every((name, at) => way[at] === name));
}
