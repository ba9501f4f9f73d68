import { parseJson, type JsonLimits } from '../fhir/json';
import { valueOf, type Task, type TaskResult } from './messages';
import type { Preparer, ResourceInput } from './preparer';

/** Characters from which on a text is worth a thread of its own. */
const LONG_TEXT = 256 * 1024;

/** The input of a write: parsed, or left as text for another thread. Throws what the parser finds. */
export function toResourceInput(text: string, limits: JsonLimits): ResourceInput {
  return text.length > LONG_TEXT ? { text } : parseJson(text, limits);
}

/** What is parsed already has kept others waiting: nothing is gained by sending it away. */
export function isLong(input: ResourceInput): boolean {
  return 'text' in input && input.text.length > LONG_TEXT;
}

/** Does short tasks here and now, and has long ones done by `run`, in another thread. */
export function createThreadedPreparer(here: Preparer, run: (task: Task) => Promise<TaskResult>): Preparer {
  return {
    async resource(task) {
      if (!isLong(task.input)) return here.resource(task);
      return valueOf('resource', await run({ kind: 'resource', ...task }));
    },
    async patch(task) {
      if (task.current.length <= LONG_TEXT && !isLong(task.operations)) return here.patch(task);
      return valueOf('patch', await run({ kind: 'patch', ...task }));
    },
    async rows(task) {
      if (task.body.length <= LONG_TEXT) return here.rows(task);
      return valueOf('rows', await run({ kind: 'rows', ...task }));
    },
    inspect: (space, input) => here.inspect(space, input),
    async judge(task) {
      const { input } = task.invocation;
      const isStoredLong = task.stored !== undefined && task.stored.length > LONG_TEXT;
      if (!isStoredLong && (input === undefined || !isLong(input))) return here.judge(task);
      return valueOf('judgement', await run({ kind: 'judgement', ...task }));
    },
    async outline(task) {
      // What is short is parsed as a whole, and nothing of it stays text.
      if (task.text.length <= LONG_TEXT) return { value: parseJson(task.text, task.limits).value, parts: [] };
      return valueOf('outline', await run({ kind: 'outline', ...task }));
    },
  };
}
