/** Business versions of code systems and value sets, and patterns of them. */

/** Business versions have no fixed form: compares numeric parts as numbers, other parts as text. */
export function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

const ANY_PART: ReadonlySet<string> = new Set(['x', 'X', '*']);

/** True if a text is a pattern of versions, and not a version: some part of it is `x` or `*`. */
function isVersionPattern(asked: string): boolean {
  return asked.split('.').some((part) => ANY_PART.has(part));
}

/**
 * True if a version is the one that is asked for, or fits the pattern that is: each `x` or `*` stands for one part, and the last part
 * of a pattern for all that follow too (`1.x` has 1.2.0). `1` has 1 alone, as an edition is another one than the next.
 */
export function satisfiesVersion(version: string | undefined, asked: string): boolean {
  if (version === asked) return true;
  if (version === undefined || !isVersionPattern(asked)) return false;
  const [parts, wanted] = [version.split('.'), asked.split('.')];
  const isOpen = ANY_PART.has(wanted.at(-1) ?? '');
  if (isOpen ? parts.length < wanted.length : parts.length !== wanted.length) return false;
  return wanted.every((part, index) => ANY_PART.has(part) || part === parts[index]);
}
