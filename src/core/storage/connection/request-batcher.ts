import DataLoader from 'dataloader';
import { isTraced, waitedFor } from '../../tracing';
import { FairTurns } from './fair-turns';

/** Number of cached groups; beyond it the cache is cleared, and groups are created again on demand. */
const MAX_GROUPS = 1000;

/** Limits on batches. */
export interface BatchLimits {
  /** Concurrent statements of one space. */
  readonly concurrent: number;
  /** Concurrent statements of all spaces; undefined: as of one space. */
  readonly inAll?: number;
  /** Requests in one statement. */
  readonly most: number;
}

/**
 * Batches requests: those that arrive while all statements are under way share the next one. A request never joins a
 * statement that was sent before it, and no response is cached, so each is as fresh as its own statement. A request
 * does not wait when no statement is under way. Spaces take turns (fair-turns.ts).
 */
export class RequestBatcher<Group, Request, Answer> {
  private readonly loaders = new Map<string, DataLoader<Request, Answer>>();
  private readonly turns: FairTurns;

  constructor(
    private readonly options: BatchLimits & {
      /** The name of the wait in traces: `read of versions`. */
      readonly name: string;
      /** Runs one statement for all requests; returns their answers in order. Its failure fails each request. */
      readonly run: (group: Group, requests: readonly Request[]) => Promise<(Answer | Error)[]>;
      /** The space that a request reads or writes. */
      readonly spaceOf: (group: Group, request: Request) => number;
      /** Receives the number of requests of each statement, for metrics. */
      readonly observe: (requests: number) => void;
    },
  ) {
    const { concurrent, inAll = concurrent } = options;
    this.turns = new FairTurns({ slots: inAll, most: concurrent });
  }

  /** Adds a request to the group of that name; only requests of one group share a statement. */
  load(name: string, group: Group, request: Request): Promise<Answer> {
    let loader = this.loaders.get(name);
    if (loader === undefined) {
      if (this.loaders.size >= MAX_GROUPS) this.loaders.clear();
      const space = this.options.spaceOf(group, request);
      loader = new DataLoader((requests) => this.run(space, group, requests), {
        cache: false,
        maxBatchSize: this.options.most,
        batchScheduleFn: (dispatch) => setImmediate(() => this.whenFree(space, dispatch)),
      });
      this.loaders.set(name, loader);
    }
    const answer = loader.load(request);
    return isTraced() ? waitedFor(this.options.name, answer) : answer;
  }

  /** Dispatches when a statement may be sent; further requests join until then. */
  private whenFree(space: number, dispatch: () => void): void {
    const turn = this.turns.enter(space);
    if (turn === undefined) dispatch();
    // The promise does not reject, because these turns have no limit on the number or duration of waits.
    else void turn.then(dispatch);
  }

  private async run(space: number, group: Group, requests: readonly Request[]): Promise<(Answer | Error)[]> {
    this.options.observe(requests.length);
    try {
      return await this.options.run(group, requests);
    } finally {
      this.turns.leave(space);
    }
  }
}
