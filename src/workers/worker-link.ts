/** The connection of a worker to the process that has started it. */
import cluster from 'node:cluster';
import { type FromWorker, isToWorker, type Metrics, type SharedState, type WorkerStart } from './messages';

/** The argument of the program of a worker. Another manager of processes may use node:cluster too, without our messages. */
export const WORKER_ARGUMENT = '--worker';

export function isWorker(): boolean {
  return cluster.isWorker && process.argv.includes(WORKER_ARGUMENT);
}

export interface WorkerEvents {
  state(state: SharedState): void;
  /** Another worker has taken the place of this one. */
  replaced(): void;
  /** The process that started this one has ended: nothing arrives at the port any more. */
  abandoned(): void;
  metrics(): Promise<Metrics>;
}

export class WorkerLink {
  #events: WorkerEvents | undefined;

  /** Waits for what the first process tells a new worker. */
  async open(): Promise<WorkerStart> {
    // Node.js would end this process at once where the other one has ended.
    if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
    process.once('disconnect', () => {
      // Before it listens, nothing is lost.
      if (this.#events === undefined) process.exit(1);
      this.#events.abandoned();
    });
    return new Promise((resolve) =>
      process.on('message', (message: unknown) => {
        if (!isToWorker(message)) return;
        if (message.kind === 'start') resolve(message.start);
        else if (message.kind === 'state') this.#events?.state(message.state);
        else if (message.kind === 'alive') void this.#send({ kind: 'alive' });
        else if (message.kind === 'replaced') this.#events?.replaced();
        else void this.#answer(message.request);
      }),
    );
  }

  listen(events: WorkerEvents): void {
    this.#events = events;
  }

  listening(host: string, port: number): Promise<void> {
    return this.#send({ kind: 'listening', host, port });
  }

  /** Tells the metrics before this process ends, so that they stay in the sums. */
  async leave(): Promise<void> {
    await this.#answer(undefined);
  }

  async #answer(request: number | undefined): Promise<void> {
    const metrics = await this.#events?.metrics();
    if (metrics !== undefined) await this.#send({ kind: 'metrics', request, metrics });
  }

  /** Resolves when it is written; also when the other process has ended. */
  #send(message: FromWorker): Promise<void> {
    return new Promise((resolve) => {
      if (process.send === undefined || !process.connected) resolve();
      else process.send(message, undefined, undefined, () => resolve());
    });
  }
}
