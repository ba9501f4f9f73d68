/** The bound Subscriptions of one space in this process. */
import { PollingLoop } from '../../concurrency/polling-loop';
import type { Log, TenantSpace } from '../../context';
import { isNoDatabaseTrouble } from '../../storage/connection/database-error';
import { readStates } from '../../storage/notifications/feeds';
import type { BindingTools, SocketBinding } from './socket-binding';

export interface SocketSpaceTools extends BindingTools {
  readonly log: Log;
  /** Milliseconds after which a client that reads nothing is disconnected. */
  readonly stallMs: number;
  /** The space as it is now; undefined: its tenant is disabled. */
  findSpace(): Promise<TenantSpace | undefined>;
  /** Called when a binding has ended. */
  onEnd(binding: SocketBinding): void;
}

/** Interval in milliseconds between polls without a notice. */
const POLL_MS = 500;
/** Least interval in milliseconds between two polls; events gather in between. */
const GATHER_MS = 20;
/** Bindings that are worked on at once. */
const AT_ONCE = 8;

/**
 * Reads the events of bound Subscriptions from the database, whichever process has made them. A notice through Redis only
 * saves waiting for the next poll. Cost: one statement for each poll, for all bindings together.
 */
export class SocketSpace {
  readonly bindings = new Set<SocketBinding>();
  readonly #loop: PollingLoop;

  constructor(
    private readonly tools: SocketSpaceTools,
    private readonly number: number,
    readonly tenantNumber: number,
  ) {
    this.#loop = new PollingLoop({
      round: () => this.#round(),
      retryMs: POLL_MS,
      gatherMs: GATHER_MS,
      log: tools.log,
      trouble: 'bound Subscriptions wait: events cannot be read',
      isReported: isNoDatabaseTrouble,
    });
    this.#loop.start();
  }

  add(binding: SocketBinding): void {
    this.bindings.add(binding);
    this.wake();
  }

  /** There may be new events. */
  wake(): void {
    this.#loop.wake();
  }

  /** Resolves when no statement is under way any more. */
  close(): Promise<void> {
    return this.#loop.close();
  }

  async #round(): Promise<number | undefined> {
    if (this.bindings.size === 0) return undefined;
    await this.#poll();
    return POLL_MS;
  }

  async #poll(): Promise<void> {
    const space = await this.tools.findSpace();
    // A tenant of the same name that was made later has other spaces.
    if (space?.number !== this.number) {
      for (const binding of [...this.bindings]) {
        binding.queue.end({ kind: 'denied', reason: 'The tenant is not active' });
        this.tools.onEnd(binding);
      }
      return;
    }
    // A binding that is added in between may be of a later state than the one that is read here.
    const bindings = [...this.bindings];
    for (const binding of bindings) {
      if (binding.queue.idleFor > this.tools.stallMs) binding.queue.endSlow();
      if (binding.queue.isOver) this.tools.onEnd(binding);
    }
    const keys = [...new Set(bindings.map(({ key }) => key))];
    const states = await readStates(this.tools.services.database, this.number, keys);
    const byKey = new Map(states.map((state) => [state.key, state]));
    const due = bindings.filter((binding) => binding.isDue(byKey.get(binding.key)));
    for (let index = 0; index < due.length && !this.#loop.isClosed; index += AT_ONCE)
      await Promise.all(
        due.slice(index, index + AT_ONCE).map(async (binding) => {
          const end = await binding.deliver(this.tools, space, byKey.get(binding.key));
          if (end === undefined) return;
          if (end.kind !== 'over') binding.queue.end(end);
          this.bindings.delete(binding);
          if (![...this.bindings].some((other) => other.queue === binding.queue)) binding.queue.end(end);
          this.tools.onEnd(binding);
        }),
      );
  }
}
