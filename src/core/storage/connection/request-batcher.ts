import DataLoader from 'dataloader';
import { FairTurns } from './fair-turns';

/** Groups that are remembered; an old one is made again when it is asked for. */
const MAX_GROUPS = 1000;

/** How requests go together. */
export interface Gathered {
  /** Statements of one space under way at once. */
  readonly concurrent: number;
  /** Those of all spaces; undefined: no more than of one. */
  readonly inAll?: number;
  /** Requests in one statement. */
  readonly most: number;
}

/**
 * Lets requests of a kind that come while all statements are under way go together in the next one. A request never
 * joins a statement that was sent before it was asked for, and no answer is kept, so each is as fresh as its own
 * statement. When nothing is under way nothing waits. Spaces take turns (fair-turns.ts).
 */
export class RequestBatcher<Group, Request, Answer> {
  private readonly loaders = new Map<string, DataLoader<Request, Answer>>();
  private readonly turns: FairTurns;

  constructor(
    private readonly options: Gathered & {
      /** One statement for all requests; answers in their order. Its failure is that of each of them. */
      readonly run: (group: Group, requests: readonly Request[]) => Promise<(Answer | Error)[]>;
      /** The space that is asked. */
      readonly spaceOf: (group: Group, request: Request) => number;
      /** Told the number of requests of each statement; for metrics. */
      readonly observe: (requests: number) => void;
    },
  ) {
    const { concurrent, inAll = concurrent } = options;
    this.turns = new FairTurns({ slots: inAll, most: concurrent });
  }

  /** `name` tells one group from another: only requests of one group share a statement. */
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
    return loader.load(request);
  }

  /** Dispatches when a statement may be sent: until then further requests join. */
  private whenFree(space: number, dispatch: () => void): void {
    const turn = this.turns.enter(space);
    if (turn === undefined) dispatch();
    // Nothing refuses a turn here: neither how many wait nor how long is limited.
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
