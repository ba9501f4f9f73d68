import pino from 'pino';
import type { Settings } from '../config';

export type ProcessLog = pino.Logger;

/** JSON lines on the standard output, written at once, so that the last line before an end is never lost. */
export function makeLog(settings: Pick<Settings, 'LOG_LEVEL'>): ProcessLog {
  return pino({ level: settings.LOG_LEVEL, base: { pid: process.pid } });
}

/**
 * What a log may say of an error: never the message of one that came from PostgreSQL, which may quote what a client
 * wrote.
 */
export function toLoggable(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { reason: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const isFromDatabase = 'severity' in error && code !== undefined;
  const stack = error.stack?.slice(error.stack.indexOf('\n    at ') + 1);
  return { name: error.name, code, ...(isFromDatabase ? {} : { reason: error.message }), stack };
}
