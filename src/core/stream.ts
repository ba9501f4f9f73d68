/** Thrown into the work when nobody listens any more. */
class Abandoned extends Error {}

/**
 * What `work` emits, as an iteration. `work` waits at each value until it is taken, so that nothing piles up; when the
 * iteration is left early, its `emit` throws.
 */
export async function* streamOf<Value>(
  work: (emit: (value: Value) => Promise<void>) => Promise<void>,
): AsyncGenerator<Value> {
  const offers: { value: Value; taken: () => void; refuse: (reason: Error) => void }[] = [];
  let wake = (): void => undefined;
  const state = { ended: false };
  const running = work(
    (value) =>
      new Promise<void>((taken, refuse) => {
        offers.push({ value, taken, refuse });
        wake();
      }),
  ).finally(() => {
    state.ended = true;
    wake();
  });
  // The failure is told below; until then nobody else waits for it.
  running.catch(() => undefined);
  try {
    for (;;) {
      const [offer] = offers;
      if (offer !== undefined) {
        yield offer.value;
        offers.shift();
        offer.taken();
      } else if (state.ended) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    await running;
  } finally {
    for (const { refuse } of offers) refuse(new Abandoned('the iteration was left'));
    await running.catch(() => undefined);
  }
}
