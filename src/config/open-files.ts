/** Compares the limit of open files with the settings. Each connection is a file. */
import type { Settings } from './settings';

/** Connections to Redis, connections to PostgreSQL outside of the pool, logs, metrics and the program's own files. */
const MARGIN = 64;

/** The soft limit in the text of /proc/self/limits; undefined if it is unlimited or missing. */
function readLimit(limits: string): number | undefined {
  const [, soft] = /^Max open files\s+(\d+)\s/m.exec(limits) ?? [];
  return soft === undefined ? undefined : Number(soft);
}

/** The warning if the limit is too low. `limits`: the text of /proc/self/limits; undefined if the system has none. */
export function openFilesWarning(
  { connection: { connections }, database }: Pick<Settings, 'connection' | 'database'>,
  limits: string | undefined,
): string | undefined {
  const limit = readLimit(limits ?? '');
  const needed = connections + database.connections + MARGIN;
  if (limit === undefined || limit >= needed) return undefined;
  return `MAX_CONNECTIONS is ${connections}, but the process may open ${limit} files: it needs ${needed} (MAX_CONNECTIONS, DATABASE_CONNECTIONS and ${MARGIN} for Redis, logs and files). Raise the limit (ulimit -n) or lower MAX_CONNECTIONS`;
}
