import { fromThread, LONG_CODE_SYSTEM, readHere, type ReadCodeSystem } from '../cache/code-system-cache';
import { valueOf, type Task, type TaskResult } from './messages';

/** Reads short code systems in this thread, and long ones by `run` in the worker thread. */
export function createThreadedReader(run: (task: Task) => Promise<TaskResult>): ReadCodeSystem {
  return async (text) =>
    text.length > LONG_CODE_SYSTEM
      ? fromThread(valueOf('code-system', await run({ kind: 'code-system', text })))
      : readHere(text);
}
