import type { Worker } from 'node:worker_threads';
import { fhirError, type FhirError } from '../errors';
import { processorTimeOf } from '../fhir/processor-time';

export interface TaskLimits {
  /** Processor time that the thread may use for one task. */
  readonly processorMs: number;
  /** Longest time of a task by the clock, which says nothing of its content. */
  readonly clockMs: number;
}

/**
 * Watches the oldest task of a worker thread. `end` is called with `tooCostly` when the thread itself has worked for too
 * long; and with `timeout` when too much time has passed, which a busy machine or a slow database may have used.
 */
export class TaskWatch {
  private clock: NodeJS.Timeout | undefined;
  private next: NodeJS.Timeout | undefined;
  private isWatching = false;
  /** Undefined: the thread has not loaded its program yet, which is no part of a task. */
  private measure: (() => number) | undefined;
  private usedBefore = 0;

  constructor(
    private readonly limits: TaskLimits,
    private readonly end: (error: FhirError) => void,
  ) {}

  /** Begins with the next task. */
  begin(): void {
    this.stop();
    this.isWatching = true;
    this.clock = setTimeout(() => this.end(fhirError('timeout')), this.limits.clockMs);
    this.beginToMeasure();
  }

  /** The thread can be measured from now on. */
  found(worker: Worker, file: string | undefined): void {
    this.measure = () => processorTimeOf(worker, file);
    if (this.isWatching) this.beginToMeasure();
  }

  /** The thread has no task. */
  stop(): void {
    this.isWatching = false;
    clearTimeout(this.clock);
    clearTimeout(this.next);
  }

  /** The thread has ended. */
  lose(): void {
    this.stop();
    this.measure = undefined;
  }

  private beginToMeasure(): void {
    if (this.measure === undefined) return;
    this.usedBefore = this.measure();
    this.measureAfter(this.limits.processorMs);
  }

  /** A thread cannot use more processor time than passes. */
  private measureAfter(milliseconds: number): void {
    clearTimeout(this.next);
    this.next = setTimeout(() => {
      const { processorMs } = this.limits;
      const left = processorMs - ((this.measure?.() ?? 0) - this.usedBefore);
      if (left > 0) this.measureAfter(Math.max(left, SHORTEST_MS));
      else this.end(fhirError('tooCostly', { reason: tooLong(processorMs) }));
    }, milliseconds);
  }
}

/** Least interval in milliseconds between two measurements; Linux measures no finer. */
const SHORTEST_MS = 10;

function tooLong(milliseconds: number): string {
  return `Processing the content takes more than ${milliseconds} ms of processor time (CONTENT_PROCESSOR_MS)`;
}
