import { setMaxListeners } from 'node:events';
import { OutboundError } from './outbound-error';

/**
 * Executes `work` with a signal that aborts with `signal`, or after `timeoutMs`. Throws OutboundError for the timeout, the
 * reason of `signal`, and the errors of `work`.
 */
export async function withDeadline<T>(
  signal: AbortSignal,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  // AbortSignal.any and AbortSignal.timeout would outlive the request: the one in a long-lived signal, the other as a timer.
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new OutboundError(`it did not answer within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  const abort = (): void => controller.abort(signal.reason);
  // Many requests may share a signal; Node.js would warn of a leak from the eleventh on.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await work(controller.signal);
  } catch (error) {
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Executes `work` with a signal that aborts with `signal`, or after `idleMs` without a byte; `work` says when it waits for one, as it
 * does at first. Throws as `withDeadline`.
 */
export async function whileNotIdle<T>(
  signal: AbortSignal,
  idleMs: number,
  work: (signal: AbortSignal, wait: (isWaiting: boolean) => void) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const wait = (isWaiting: boolean): void => {
    clearTimeout(timer);
    const end = (): void => controller.abort(new OutboundError(`it has sent nothing for ${idleMs / 1000} s`));
    timer = isWaiting ? setTimeout(end, idleMs) : undefined;
  };
  const abort = (): void => controller.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    wait(true);
    return await work(controller.signal, wait);
  } catch (error) {
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
