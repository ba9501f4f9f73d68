/** The sources of the values of settings, for messages: the environment, unless another is noted here. */
const sources = new Map<string, string>();

export const ENVIRONMENT_FILE = '.env';
export const QUICK_START = 'the quick start';

export function noteSource(names: readonly string[], source: string): void {
  for (const name of names) sources.set(name, source);
}

/** The noted sources, by the names of the settings. */
export function sourcesOfSettings(): Readonly<Record<string, string>> {
  return Object.fromEntries(sources);
}

/** `.env`, `--port`, `the quick start`, or `the environment`. */
export function sourceOf(name: string): string {
  return sources.get(name) ?? 'the environment';
}

/** Adds where the settings that a message names come from, if one does not come from the environment. */
export function withSources(line: string): string {
  const names = [...new Set(line.match(/\b[A-Z][A-Z_]+\b/g))].filter((name) => sources.has(name));
  if (names.length === 0) return line;
  return `${line} (${names.map((name) => `${name} comes from ${sourceOf(name)}`).join(', ')})`;
}
