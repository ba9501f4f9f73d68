import { type ProcessLog, toLoggable } from './log';

export interface EndOptions {
  readonly log: ProcessLog;
  /** Milliseconds that `stop` may take. */
  readonly timeoutMs: number;
  /** Default: SIGTERM, SIGINT and SIGHUP. */
  readonly signals?: readonly NodeJS.Signals[];
  /** Exit code after `stop`; default 0. */
  readonly code?: number;
  stop(): Promise<void>;
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Ends the process on SIGTERM, SIGINT and SIGHUP: with `code` after `stop`, with 1 if that takes too long or a second signal
 * arrives. Returns a function that ends it in the same way for another reason, within another time; a signal afterwards only limits it
 * to `timeoutMs` from then on.
 */
export function endOnSignals({
  log,
  timeoutMs,
  signals = SIGNALS,
  code = 0,
  stop,
}: EndOptions): (reason: string, timeoutMs: number) => void {
  let isStopping = false;
  let signalledAt: number | undefined;
  const end = (cause: Readonly<Record<string, string>>, withinMs: number): void => {
    log.info({ ...cause, timeoutMs: withinMs }, 'stopping');
    setTimeout(() => {
      log.warn({ timeoutMs: withinMs }, 'stopped before all requests were answered');
      process.exit(1);
    }, withinMs).unref();
    if (isStopping) return;
    isStopping = true;
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
  const onSignal = (signal: NodeJS.Signals): void => {
    if (signalledAt === undefined) {
      signalledAt = performance.now();
      end({ signal }, timeoutMs);
    }
    // npm repeats the Ctrl-C of a terminal; that is not a second signal of the user.
    else if (performance.now() - signalledAt > 1_000) process.exit(1);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return (reason, withinMs) => {
    if (!isStopping) end({ reason }, withinMs);
  };
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
