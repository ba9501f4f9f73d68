import type { Log } from '../../src/core/context';

/** Keeps the output of the tests to the tests. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export interface LoggedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly details: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A log whose lines can be read. */
export function recordingLog(): { readonly log: Log; readonly lines: readonly LoggedLine[] } {
  const lines: LoggedLine[] = [];
  const at =
    (level: LoggedLine['level']) =>
    (details: object, message: string): void => {
      lines.push({ level, details: { ...details }, message });
    };
  return { log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines };
}
