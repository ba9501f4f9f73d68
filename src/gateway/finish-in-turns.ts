import { turns } from '../core/index';
import type { Steps } from '../schema/steps';

/** Executes all steps, in later turns of the event loop where one had enough work. */
export async function finishInTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (turns.next() !== undefined) await turns.take();
  }
}
