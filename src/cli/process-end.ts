import { type ProcessLog, toLoggable } from './log';

export interface EndOptions {
  readonly log: ProcessLog;
  /** Milliseconds that `stop` may take. */
  readonly timeoutMs: number;
  stop(): Promise<void>;
}

/**
 * Ends the process on SIGTERM, SIGINT and SIGHUP: code 0 after `stop`, 1 when that takes too long or a signal comes
 * again. An error that nobody caught ends it with 1, after the log says why.
 */
export function endOnSignals({ log, timeoutMs, stop }: EndOptions): void {
  let stoppingSince: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stoppingSince !== undefined) {
      // npm sends the Ctrl-C of a terminal a second time; that is nobody's impatience.
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
        process.exit(0);
      },
      (error: unknown) => {
        log.error(toLoggable(error), 'stopping failed');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
}

/** An error that nobody caught leaves the process in an unknown state: the log says why, and it ends with code 1. */
export function endOnUncaughtErrors(log: ProcessLog): void {
  const end = (kind: string) => (error: unknown) => {
    log.fatal(toLoggable(error), kind);
    process.exit(1);
  };
  process.on('uncaughtException', end('an error was not caught; the process ends'));
  process.on('unhandledRejection', end('a rejection was not handled; the process ends'));
}
