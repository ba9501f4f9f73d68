/** Limits on the cost of evaluations: steps of some 100 ns each, and processor time. */
import { isMainThread } from 'node:worker_threads';
import { processorTime, processorTimeOfAll } from '../processor-time';
import { PathBudgetError } from './error';

/** Counts work before it is done. */
export interface Meter {
  /** Throws PathBudgetError beyond the limit. */
  spend(steps: number): void;
}

/** For work that is bounded by the size of a resource. */
export const UNMETERED: Meter = { spend: () => undefined };

/** Longest text that an expression of a client may produce, in characters: the longest string of FHIR. */
const MAX_TEXT = 1024 * 1024;
/** Largest collection that it may produce. */
const MAX_VALUES = 100_000;
/** Steps that an evaluation takes from its budget at a time; the clock is read each time. */
const PORTION = 2_000;
const PAUSE_MILLISECONDS = 10;
const PAUSE_STEPS = 50_000;

let milliseconds = 50;

/** Sets the time limit of one evaluation, for the whole process. */
export function limitEvaluationTime(limit: number): void {
  milliseconds = limit;
}

/**
 * The budget of one or several evaluations of client expressions. `left` is the number of steps, negative once the budget
 * is exhausted. In the main thread the time limit holds for all evaluations between two pauses together; in a worker thread
 * it holds for each.
 */
export class PathAllowance {
  /** An upper bound of the milliseconds used since the last pause (`Stopwatch`). */
  private spent = 0;
  /** The processor time of this thread soon after the last pause; undefined: little was spent since. */
  private usedBefore: number | undefined;
  private leftAtPause: number;

  constructor(public left: number) {
    this.leftAtPause = left;
  }

  /** True when the caller should yield to the event loop. */
  get needsPause(): boolean {
    return this.spent > PAUSE_MILLISECONDS || this.leftAtPause - this.left > PAUSE_STEPS;
  }

  /** Restarts the clock, after the caller has yielded. */
  pause(): void {
    this.spent = 0;
    this.usedBefore = undefined;
    this.leftAtPause = this.left;
  }

  /** Counts work outside of an evaluation, such as compiling. Throws PathBudgetError. */
  spend(steps: number): void {
    if (steps > this.left) this.exhaust('The expressions cost more steps than are allowed');
    this.left -= steps;
  }

  /** Begins an evaluation; returns its first portion of steps. Throws PathBudgetError. */
  begin(): number {
    if (!isMainThread) this.pause();
    return this.take(0);
  }

  /** Returns a portion of at least `needed` steps. Throws PathBudgetError. */
  take(needed: number): number {
    if (needed > this.left) this.exhaust('The expression costs more steps than are allowed');
    if (this.spent > milliseconds && this.usedMilliseconds() > milliseconds)
      this.exhaust(`The expression takes longer than the limit of ${milliseconds} ms`);
    const portion = Math.min(this.left, needed + PORTION);
    this.left -= portion;
    return portion;
  }

  /** Returns unused steps to the budget. */
  putBack(steps: number): void {
    if (this.left >= 0) this.left += steps;
  }

  /** Counts elapsed milliseconds. */
  pass(elapsed: number): void {
    this.spent += elapsed;
    if (this.spent > milliseconds / 10) this.usedBefore ??= processorTime();
  }

  /** Processor time of this thread alone, without that of other threads of the process. */
  private usedMilliseconds(): number {
    return this.usedBefore === undefined ? 0 : processorTime() - this.usedBefore;
  }

  checkText(length: number): void {
    if (length > MAX_TEXT) this.exhaust(`The expression makes a text of more than ${MAX_TEXT} characters`);
  }

  checkValues(count: number): void {
    if (count > MAX_VALUES)
      this.exhaust(`The expression makes a collection of more than ${MAX_VALUES} values`);
  }

  exhaust(reason: string): never {
    this.left = -1;
    throw new PathBudgetError(reason);
  }
}

/**
 * An upper bound of the processor time of this thread that costs little: the lesser of the elapsed time and of the processor
 * time of the process.
 */
export class Stopwatch {
  private now = performance.now();
  private used = processorTimeOfAll();

  /** Milliseconds since the last lap. */
  lap(): number {
    const { now, used } = this;
    this.now = performance.now();
    this.used = processorTimeOfAll();
    return Math.min(this.now - now, this.used - used);
  }
}
