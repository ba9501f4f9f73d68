import { parseJson, type JsonLimits } from '../fhir/json';
import type { IndexRows } from '../search/index-rows';
import type { Task, TaskResult } from './messages';
import type { PreparedVersion } from './prepare';
import type { Preparer, ResourceInput } from './preparer';

/** Characters from which on a text is worth a thread of its own. */
const LONG_TEXT = 256 * 1024;

/** The input of a write: parsed, or left as text for another thread. Throws what the parser finds. */
export function toResourceInput(text: string, limits: JsonLimits): ResourceInput {
  return text.length > LONG_TEXT ? { text } : parseJson(text, limits);
}

/** Does short tasks here and now, and has long ones done by `run`, in another thread. */
export function createThreadedPreparer(here: Preparer, run: (task: Task) => Promise<TaskResult>): Preparer {
  const prepared = async (task: Task): Promise<PreparedVersion> => {
    const result = await run(task);
    if ('text' in result) return result;
    throw new Error('the preparation thread gave rows for a version');
  };
  return {
    resource: (task) => (isLong(task.input) ? prepared({ kind: 'resource', ...task }) : here.resource(task)),
    patch: (task) =>
      task.current.length > LONG_TEXT || isLong(task.operations)
        ? prepared({ kind: 'patch', ...task })
        : here.patch(task),
    async rows(task): Promise<IndexRows> {
      if (task.body.length <= LONG_TEXT) return here.rows(task);
      const result = await run({ kind: 'rows', ...task });
      if ('tokens' in result) return result;
      throw new Error('the preparation thread gave a version for rows');
    },
    async inspect(task) {
      if (!isLong(task.input)) return here.inspect(task);
      const result = await run({ kind: 'inspection', ...task });
      if ('findings' in result) return result;
      throw new Error('the preparation thread gave something else for an inspection');
    },
    async judge(task) {
      const { input } = task.invocation;
      const isStoredLong = task.stored !== undefined && task.stored.length > LONG_TEXT;
      if (!isStoredLong && (input === undefined || !isLong(input))) return here.judge(task);
      const result = await run({ kind: 'judgement', ...task });
      if ('issues' in result) return result;
      throw new Error('the preparation thread gave something else for a judgement');
    },
  };
}

/** What is parsed already has kept others waiting: nothing is gained by sending it away. */
function isLong(input: ResourceInput): boolean {
  return 'text' in input && input.text.length > LONG_TEXT;
}
