/** The reason of a stop (`AbortSignal.reason`) while another process serves the same port. */
export const REPLACED = Symbol('replaced');

/** True from the moment that clients of this port have to go elsewhere. */
export function isLeaving(stopping: AbortSignal): boolean {
  return stopping.aborted && stopping.reason !== REPLACED;
}
