import DataLoader from 'dataloader';

/** Groups that are remembered; an old one is made again when it is asked for. */
const MAX_GROUPS = 1000;

/** How requests go together. */
export interface Gathered {
  /** Statements under way at once, over all groups. */
  readonly concurrent: number;
  /** Requests in one statement. */
  readonly most: number;
}

/**
 * Lets requests of a kind that come while all statements are under way go together in the next one. A request never
 * joins a statement that was sent before it was asked for, and no answer is kept, so each is as fresh as its own
 * statement. When nothing is under way nothing waits.
 */
export class Gathering<Group, Request, Answer> {
  private readonly loaders = new Map<string, DataLoader<Request, Answer>>();
  private readonly waiting: (() => void)[] = [];
  private free: number;

  constructor(
    private readonly options: Gathered & {
      /** One statement for all requests; answers in their order. Its failure is that of each of them. */
      readonly run: (group: Group, requests: readonly Request[]) => Promise<(Answer | Error)[]>;
      /** Told the number of requests of each statement; for metrics. */
      readonly observe: (requests: number) => void;
    },
  ) {
    this.free = options.concurrent;
  }

  /** `name` tells one group from another: only requests of one group share a statement. */
  load(name: string, group: Group, request: Request): Promise<Answer> {
    let loader = this.loaders.get(name);
    if (loader === undefined) {
      if (this.loaders.size >= MAX_GROUPS) this.loaders.clear();
      loader = new DataLoader((requests) => this.run(group, requests), {
        cache: false,
        maxBatchSize: this.options.most,
        batchScheduleFn: (dispatch) => setImmediate(() => this.whenFree(dispatch)),
      });
      this.loaders.set(name, loader);
    }
    return loader.load(request);
  }

  /** Dispatches when a statement may be sent: until then further requests join. */
  private whenFree(dispatch: () => void): void {
    if (this.free > 0) {
      this.free--;
      dispatch();
    } else {
      this.waiting.push(dispatch);
    }
  }

  private async run(group: Group, requests: readonly Request[]): Promise<(Answer | Error)[]> {
    this.options.observe(requests.length);
    try {
      return await this.options.run(group, requests);
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }
}
