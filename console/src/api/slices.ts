/** Long work in slices of a few milliseconds, between which a browser draws and hears the person. */

/** Work that can pause at each `yield`. */
export type Steps<Value> = Generator<undefined, Value>;

/** As long as a browser has for one picture. */
const SLICE_MS = 12;

/** Does all of the work at once. */
export function finish<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Does one slice of the work; undefined: there is more to do. */
export function doSlice<Value>(steps: Steps<Value>): { readonly value: Value } | undefined {
  const end = performance.now() + SLICE_MS;
  do {
    const { done, value } = steps.next();
    if (done === true) return { value };
  } while (performance.now() < end);
  return undefined;
}

/** Does the work slice by slice. Rejects with the reason of `signal` when it is aborted before the end. */
export async function inSlices<Value>(steps: Steps<Value>, signal?: AbortSignal): Promise<Value> {
  for (;;) {
    signal?.throwIfAborted();
    const result = doSlice(steps);
    if (result !== undefined) return result.value;
    await nextTask();
  }
}

/** Resolves in a task of its own. Timers would be slowed down, in a hidden tab to one a second. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
