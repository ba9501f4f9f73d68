import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Log } from '../context';
import { fhirError } from '../errors';
import {
  toError,
  toFailure,
  type FromWorker,
  type Question,
  type Task,
  type TaskResult,
  type ToWorker,
  type WorkerSettings,
} from './messages';

/** A thread that has had nothing to do for so long is ended: it takes some 100 MB. */
const IDLE_MS = 60_000;
/** A task that is not done by then is given up, and the thread with it. */
const TASK_LIMIT_MS = 25_000;
/** Tasks that wait; each holds the text that a client sent. */
const MAX_WAITING = 64;
const HEAP_MEGABYTES = 1024;

interface Running {
  readonly resolve: (value: TaskResult) => void;
  readonly reject: (error: Error) => void;
  readonly task: Task;
}

/**
 * One thread for what would keep all other requests waiting: parsing, validating and indexing long resources. It is
 * started when there is such a task and does them one after the other.
 */
export class WorkerPool {
  private worker: Worker | undefined;
  private readonly waiting: Running[] = [];
  private running: Running | undefined;
  private timer: NodeJS.Timeout | undefined;
  private number = 0;
  private isClosed = false;

  constructor(
    private readonly settings: WorkerSettings,
    private readonly answer: (question: Question) => Promise<unknown>,
    private readonly log: Log,
  ) {}

  /** Throws what the task throws; `overloaded` when too many wait; `tooCostly` when it takes too long. */
  run(task: Task): Promise<TaskResult> {
    if (this.waiting.length >= MAX_WAITING) return Promise.reject(fhirError('overloaded'));
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject, task });
      this.next();
    });
  }

  private next(): void {
    if (this.running !== undefined || this.isClosed) return;
    const running = this.waiting.shift();
    clearTimeout(this.timer);
    if (running === undefined) {
      this.timer = setTimeout(() => void this.stop(), IDLE_MS).unref();
      return;
    }
    this.running = running;
    this.number++;
    this.timer = setTimeout(() => {
      const reason = 'The resource takes too long to be checked';
      this.lose(fhirError('tooCostly', { reason }));
    }, TASK_LIMIT_MS);
    this.worker ??= this.start();
    this.send({ kind: 'task', number: this.number, task: running.task });
  }

  private start(): Worker {
    const worker = new Worker(workerFile(), {
      workerData: this.settings,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    });
    // The process may end while the thread idles.
    worker.unref();
    worker.on('message', (message: FromWorker) => {
      if (this.worker === worker) this.hear(message);
    });
    worker.on('error', (error) => {
      if (this.worker !== worker) return;
      this.log.error({ reason: error.message }, 'the preparation thread failed');
      this.lose(fhirError('tooCostly', { reason: 'The resource needs too much memory to be checked' }));
    });
    worker.on('exit', () => {
      if (this.worker === worker) this.lose(new Error('the preparation thread ended'));
    });
    return worker;
  }

  private hear(message: FromWorker): void {
    if (message.kind === 'question') {
      const { number } = message;
      this.answer(message.question).then(
        (value) => this.send({ kind: 'answer', number, value }),
        (error: unknown) => this.send({ kind: 'failure', number, failure: toFailure(error) }),
      );
      return;
    }
    if (message.number !== this.number || this.running === undefined) return;
    const { resolve, reject } = this.running;
    this.running = undefined;
    if (message.kind === 'done') resolve(message.value);
    else reject(toError(message.failure));
    this.next();
  }

  private send(message: ToWorker): void {
    this.worker?.postMessage(message);
  }

  /** Gives up the thread and what it was at. */
  private lose(error: Error): void {
    const { running } = this;
    this.running = undefined;
    void this.stop();
    running?.reject(error);
    this.next();
  }

  private async stop(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    const error = fhirError('overloaded');
    for (const { reject } of this.waiting.splice(0)) reject(error);
    this.running?.reject(error);
    this.running = undefined;
    await this.stop();
  }
}

/** The compiled file beside this one, or in dist when this one runs as TypeScript (tests). */
function workerFile(): string {
  const beside = join(__dirname, 'worker.js');
  if (existsSync(beside)) return beside;
  let root = __dirname;
  while (!existsSync(join(root, 'package.json'))) root = dirname(root);
  return join(root, 'dist', 'src', 'core', 'preparation', 'worker.js');
}
