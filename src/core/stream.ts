/** Thrown into the work when nobody listens any more. */
class Abandoned extends Error {}

/**
 * What `work` emits, as an iteration. `work` waits at each value until it is taken, so that nothing piles up; when the
 * iteration is left early, its `emit` throws.
 */
export async function* streamOf<Value>(
  work: (emit: (value: Value) => Promise<void>) => Promise<void>,
): AsyncGenerator<Value> {
  let offered: { value: Value; taken: () => void; refuse: (reason: Error) => void } | undefined;
  let wake = (): void => undefined;
  let ended = false;
  const running = work(
    (value) =>
      new Promise<void>((taken, refuse) => {
        offered = { value, taken, refuse };
        wake();
      }),
  ).finally(() => {
    ended = true;
    wake();
  });
  // The failure is told below; until then nobody else waits for it.
  running.catch(() => undefined);
  try {
    for (;;) {
      if (offered === undefined && !ended) await new Promise<void>((resolve) => (wake = resolve));
      if (offered === undefined) break;
      const { value } = offered;
      yield value;
      const { taken } = offered;
      offered = undefined;
      taken();
    }
    await running;
  } finally {
    offered?.refuse(new Abandoned('the iteration was left'));
    await running.catch(() => undefined);
  }
}
