import { fromThread, LONG_CODE_SYSTEM, readHere, type ReadCodeSystem } from '../cache/code-system-cache';
import { createAsk } from './calls';
import type { Task, TaskResult, ThreadTasks } from './messages';

/** Reads short code systems in this thread, and long ones by `run` in the worker thread. */
export function createThreadedReader(run: (task: Task) => Promise<TaskResult>): ReadCodeSystem {
  const ask = createAsk<ThreadTasks>(run);
  return async (text) =>
    text.length > LONG_CODE_SYSTEM ? fromThread(await ask('codeSystem', text)) : readHere(text);
}
