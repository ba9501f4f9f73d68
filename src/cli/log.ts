import pino from 'pino';
import type { Settings } from '../config/settings';

export type ProcessLog = pino.Logger;

/** Lines are buffered for so many bytes or milliseconds: one system call for each line took a quarter of a read's processor time. */
const BUFFER_BYTES = 4096;
const FLUSH_MS = 200;

/**
 * A log of JSON lines on the standard output of a server. `to` is 2 for commands, whose standard output is their result
 * (an export, a list). A fatal line and the end of the process flush the buffer; only kill -9 may
 * lose the lines of the last 0.2 seconds.
 */
export function makeLog(settings: Pick<Settings, 'log'>, to: 1 | 2 = 1): ProcessLog {
  const destination = pino.destination({
    dest: to,
    sync: false,
    minLength: BUFFER_BYTES,
    periodicFlush: FLUSH_MS,
  });
  return pino({ level: settings.log.level, base: { pid: process.pid } }, destination);
}

/**
 * The properties of an error for the log, without messages of PostgreSQL, which may quote the input of a client.
 */
export function toLoggable(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { reason: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const isFromDatabase = 'severity' in error && code !== undefined;
  const stack = error.stack?.slice(error.stack.indexOf('\n    at ') + 1);
  return { name: error.name, code, ...(isFromDatabase ? {} : { reason: error.message }), stack };
}
