import { Worker } from 'node:worker_threads';
import type { Log } from '../context';
import { fhirError } from '../errors';
import { InFlight } from '../concurrency/in-flight';
import { inNextTurn } from '../concurrency/next-turn';
import type { Answer } from './calls';
import {
  MAY_WRITE,
  toError,
  toFailure,
  type FromWorker,
  type HostCalls,
  type WorkerRequest,
  type Task,
  type TaskResult,
  type ToWorker,
  type WorkerSettings,
} from './messages';
import { fromParts } from './result-parts';
import { TaskWatch } from './task-watch';
import { THREAD_LIMITS } from './thread-limits';

interface QueuedTask {
  readonly resolve: (value: TaskResult) => void;
  readonly reject: (error: Error) => void;
  readonly task: Task;
  /** True: takes at most some 10 ms. */
  readonly isShort: boolean;
  /** True: the tasks of the thread may be waiting for its result, so that it must not wait for them. */
  readonly isNested: boolean;
  /** Received texts of its result (result-parts.ts). */
  readonly texts: Map<number, string>;
}
const isShort = (queued: QueuedTask): boolean => queued.isShort;

/**
 * One worker thread for tasks that would block all other requests: parsing, validating and indexing large resources,
 * and operations with a large input. It is started for the first task and executes tasks one after the other; a short
 * task may run while another short one waits for the database.
 */
export class WorkerPool {
  private worker: Worker | undefined;
  private readonly waiting: QueuedTask[] = [];
  /** The tasks of the thread by number, oldest first. */
  private readonly running = new InFlight<number, QueuedTask>();
  private idleTimer: NodeJS.Timeout | undefined;
  private readonly watch: TaskWatch;
  /** True: the oldest task may have changed something. */
  private hasWritten = false;
  private number = 0;
  private answer: (request: WorkerRequest) => Promise<Answer<HostCalls>> = () =>
    Promise.reject(new Error('the worker thread has no database'));
  private isClosed = false;
  private threadState: 'none' | 'starting' | 'ready' = 'none';

  /** `program`: the file that the thread runs. */
  constructor(
    private readonly program: string,
    private readonly settings: WorkerSettings,
    private readonly log: Log,
    clockMs = THREAD_LIMITS.taskMs,
  ) {
    const limits = { processorMs: settings.limits.contentProcessorMs, clockMs };
    this.watch = new TaskWatch(limits, (error) => {
      const isUncertain = error.key === 'timeout' && this.hasWritten;
      this.replaceThread(isUncertain ? fhirError('unanswered') : error);
    });
  }

  /** Sets what answers the requests of the thread for the database; without it, they fail. */
  serve(answer: (request: WorkerRequest) => Promise<Answer<HostCalls>>): void {
    this.answer = answer;
  }

  /**
   * Throws the errors of the task; `overloaded` when the queue is full, `stopping` when the pool is closed; `tooCostly` when the thread
   * has used too much processor time; `timeout` when too much time has passed, `unanswered` if the task may have written.
   */
  run(task: Task, isShort = false): Promise<TaskResult> {
    if (this.isClosed) return Promise.reject(fhirError('stopping'));
    if (this.waiting.length >= THREAD_LIMITS.waiting) return Promise.reject(fhirError('overloaded'));
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject, task, isShort, isNested: false, texts: new Map() });
      // Building a large text and posting it take one turn of the event loop each.
      if (isShort) this.next();
      else inNextTurn(() => this.next());
    });
  }

  /** As `run`, beside the other tasks: for what a task of the thread may be waiting for. */
  runNested(task: Task): Promise<TaskResult> {
    if (this.isClosed) return Promise.reject(fhirError('stopping'));
    if (this.running.size >= THREAD_LIMITS.waiting) return Promise.reject(fhirError('overloaded'));
    return new Promise((resolve, reject) => {
      inNextTurn(() => {
        if (this.isClosed) reject(fhirError('stopping'));
        else this.send({ resolve, reject, task, isShort: false, isNested: true, texts: new Map() });
      });
    });
  }

  /**
   * True: a short task would start soon, because the thread runs and has no long task before it. Starts the thread if
   * there is none, so that later tasks can use it.
   */
  canStartSoon(): boolean {
    if (this.isClosed) return false;
    if (this.threadState === 'none') this.warmUp();
    if (this.threadState !== 'ready') return false;
    return (
      this.running.size + this.waiting.length < THREAD_LIMITS.short &&
      this.running.every(isShort) &&
      this.waiting.every(isShort)
    );
  }

  private warmUp(): void {
    this.threadState = 'starting';
    this.run({ name: 'warmUp', of: [] }).then(
      () => (this.threadState = 'ready'),
      () => (this.threadState = 'none'),
    );
  }

  /** Sends a message to the thread, if there is one. */
  post(message: Extract<ToWorker, { kind: 'evict' | 'evict-spaces' }>): void {
    if (this.worker !== undefined) send(this.worker, message);
  }

  private next(): void {
    while (!this.isClosed && this.canSend()) {
      const queued = this.waiting.shift();
      if (queued === undefined) break;
      this.send(queued);
    }
    if (this.running.size > 0 || this.isClosed) return;
    this.watch.stop();
    clearTimeout(this.idleTimer);
    this.idleTimer = setTimeout(() => void this.stop(), THREAD_LIMITS.idleMs).unref();
  }

  private send(queued: QueuedTask): void {
    this.number++;
    this.running.add(this.number, queued);
    if (this.running.size === 1) this.beginOldest();
    this.worker ??= this.start();
    send(this.worker, { kind: 'task', number: this.number, task: queued.task });
  }

  private canSend(): boolean {
    if (this.running.size === 0) return true;
    return (
      this.running.size < THREAD_LIMITS.given &&
      this.waiting[0]?.isShort === true &&
      this.running.every(isShort)
    );
  }

  private beginOldest(): void {
    clearTimeout(this.idleTimer);
    this.hasWritten = false;
    this.watch.begin();
  }

  private start(): Worker {
    const worker = new Worker(this.program, {
      workerData: this.settings,
      resourceLimits: {
        maxOldGenerationSizeMb: THREAD_LIMITS.heapMegabytes,
        maxYoungGenerationSizeMb: THREAD_LIMITS.youngMegabytes,
      },
    });
    // An idle thread does not keep the process alive.
    worker.unref();
    worker.on('message', (message: FromWorker) => {
      if (this.worker === worker) this.receive(worker, message);
    });
    worker.on('error', (error) => {
      if (this.worker !== worker) return;
      this.log.error({ reason: error.message }, 'the preparation thread failed');
      const reason = 'Processing the content needs too much memory';
      this.replaceThread(isOutOfMemory(error) ? fhirError('tooCostly', { reason }) : error);
    });
    worker.on('exit', () => {
      if (this.worker === worker) this.replaceThread(new Error('the preparation thread ended'));
    });
    return worker;
  }

  private receive(worker: Worker, message: FromWorker): void {
    if (message.kind === 'ready') {
      this.watch.found(worker, message.timesFile);
      return;
    }
    if (message.kind === 'request') {
      const { number, request } = message;
      if (request.kind === 'storage' && MAY_WRITE.storage[request.call.name]) this.hasWritten = true;
      // Sent to the thread that made the request, even after its replacement: another one starts its request numbers
      // from 1 again. Reading a large answer and sending it take one turn of the event loop each.
      this.answer(request).then(
        (value) => inNextTurn(() => send(worker, { kind: 'answer', number, value })),
        (error: unknown) => send(worker, { kind: 'failure', number, failure: toFailure(error) }),
      );
      return;
    }
    if (message.kind === 'log') {
      this.log[message.level](message.details, message.message);
      return;
    }
    if (message.kind === 'part') {
      const { number } = message;
      for (const [place, text] of message.part) this.running.get(number)?.texts.set(place, text);
      // Other requests get a turn before the next part.
      inNextTurn(() => send(worker, { kind: 'received', number }));
      return;
    }
    const oldest = this.running.oldestKey;
    const queued = this.running.take(message.number);
    if (queued === undefined) return;
    if (oldest === message.number && this.running.size > 0) this.beginOldest();
    this.next();
    if (message.kind === 'failed') {
      queued.reject(toError(message.failure));
      return;
    }
    const result = fromParts(message.value, queued.texts);
    if (queued.isShort) queued.resolve(result);
    // Receiving a large result and using it take one turn of the event loop each.
    else inNextTurn(() => queued.resolve(result));
  }

  /** Ends the thread and fails its oldest task; the next thread does the others. */
  private replaceThread(error: Error): void {
    const [oldest, ...others] = this.running.takeAll();
    this.waiting.unshift(...others.filter(({ isNested }) => !isNested));
    void this.stop();
    oldest?.reject(error);
    for (const queued of others) if (queued.isNested) this.send(queued);
    this.next();
  }

  private async stop(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    this.threadState = 'none';
    this.watch.lose();
    await worker?.terminate();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.idleTimer);
    const error = fhirError('stopping');
    for (const { reject } of [...this.running.takeAll(), ...this.waiting.splice(0)]) reject(error);
    await this.stop();
  }
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function send(worker: Worker, message: ToWorker): void {
  worker.postMessage(message);
}
