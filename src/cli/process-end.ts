import { type ProcessLog, toLoggable } from './log';

export interface EndOptions {
  readonly log: ProcessLog;
  /** Milliseconds that `stop` may take. */
  readonly timeoutMs: number;
  /** Exit code after `stop`; default 0. */
  readonly code?: number;
  stop(): Promise<void>;
}

/**
 * Ends the process on SIGTERM, SIGINT and SIGHUP: with `code` after `stop`, with 1 if that takes too long or a second signal
 * arrives.
 */
export function endOnSignals({ log, timeoutMs, code = 0, stop }: EndOptions): void {
  let stoppingSince: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stoppingSince !== undefined) {
      // npm repeats the Ctrl-C of a terminal; that is not a second signal of the user.
      if (performance.now() - stoppingSince > 1_000) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    log.info({ signal, timeoutMs }, 'stopping');
    setTimeout(() => {
      log.warn({ timeoutMs }, 'stopped before all requests were answered');
      process.exit(1);
    }, timeoutMs).unref();
    stop().then(
      () => {
        log.info('stopped');
        process.exit(code);
      },
      (error: unknown) => {
        log.error(toLoggable(error), 'stopping failed');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
}

/** Logs an uncaught error and ends the process with code 1, because its state is unknown. */
export function endOnUncaughtErrors(log: ProcessLog): void {
  const end = (kind: string) => (error: unknown) => {
    log.fatal(toLoggable(error), kind);
    process.exit(1);
  };
  process.on('uncaughtException', end('an error was not caught; the process ends'));
  process.on('unhandledRejection', end('a rejection was not handled; the process ends'));
}
