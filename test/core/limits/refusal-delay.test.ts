import { RefusalDelay } from '../../../src/core/limits/refusal-delay';
import { Cancellation } from '../../../src/core/concurrency/cancellation';

const WINDOW_MS = 60_000;

/** Sleeps end when the test says so. */
function createDelay() {
  const sleeping: { milliseconds: number; wake(): void }[] = [];
  const clock = { now: 0 };
  const delay = new RefusalDelay(
    (milliseconds, signal) =>
      new Promise((resolve) => {
        sleeping.push({ milliseconds, wake: resolve });
        signal.addEventListener('abort', () => resolve());
      }),
    () => clock.now,
  );
  const refuse = (client = 'a', cancellation?: Cancellation): Promise<void> =>
    delay.wait(client, WINDOW_MS, cancellation);
  const refuseAtOnce = async (times: number, client = 'a'): Promise<void> => {
    for (let time = 0; time < times; time++) await refuse(client);
  };
  return { sleeping, clock, refuse, refuseAtOnce };
}

describe('refusals of a client', () => {
  it('are sent at once nine times, then each with a longer delay, up to a second', async () => {
    const { sleeping, refuse, refuseAtOnce } = createDelay();
    await refuseAtOnce(9);
    const waiting = Array.from({ length: 15 }, () => refuse());
    const times = sleeping.map(({ milliseconds }) => milliseconds);
    expect(times.slice(0, 11)).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1000]);
    for (const { wake } of sleeping) wake();
    await Promise.all(waiting);
  });

  it('do not delay other clients', async () => {
    const { sleeping, refuse, refuseAtOnce } = createDelay();
    await refuseAtOnce(9);
    const waiting = refuse();
    await refuseAtOnce(9, 'b');
    expect(sleeping).toHaveLength(1);
    sleeping[0]?.wake();
    await waiting;
  });

  it('are counted from zero after the window', async () => {
    const { clock, refuseAtOnce } = createDelay();
    await refuseAtOnce(9);
    clock.now = WINDOW_MS;
    await refuseAtOnce(9);
  });

  it('are sent at once while a hundred refusals of the client are delayed', async () => {
    const { sleeping, refuse, refuseAtOnce } = createDelay();
    await refuseAtOnce(9);
    const waiting = Array.from({ length: 100 }, () => refuse());
    await refuseAtOnce(10);
    expect(sleeping).toHaveLength(100);
    for (const { wake } of sleeping) wake();
    await Promise.all(waiting);
  });

  it('are sent at once while a thousand refusals of all clients are delayed', async () => {
    const { sleeping, refuse, refuseAtOnce } = createDelay();
    const waiting: Promise<void>[] = [];
    for (let client = 0; client < 11; client++) {
      await refuseAtOnce(9, String(client));
      for (let time = 0; time < 100; time++) waiting.push(refuse(String(client)));
    }
    expect(sleeping).toHaveLength(1_000);
    for (const { wake } of sleeping) wake();
    await Promise.all(waiting);
  });

  it('are cancelled when the client disconnects', async () => {
    const { refuse, refuseAtOnce } = createDelay();
    await refuseAtOnce(9);
    const cancellation = new Cancellation(Date.now() + 60_000);
    const waiting = refuse('a', cancellation);
    cancellation.cancel();
    await waiting;
  });
});
