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
