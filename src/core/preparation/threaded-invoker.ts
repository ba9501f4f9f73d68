import type { Invocation, InvocationResult } from '../api/operation';
import type { RequestContext } from '../context';
import { createAsk } from './calls';
import type { Task, TaskResult, ThreadTasks } from './messages';
import { isLong } from './resource-input';

type Invoke = (context: RequestContext, invocation: Invocation) => Promise<InvocationResult>;

/**
 * Runs operations by `here`, and those with a large input by `run` in the worker thread. There they run from the
 * parser to the text of the answer, because their work on a large input takes longer than parsing it.
 */
export function createThreadedInvoker(here: Invoke, run: (task: Task) => Promise<TaskResult>): Invoke {
  const ask = createAsk<ThreadTasks>(run);
  return async (context, invocation) => {
    const { input } = invocation;
    if (input === undefined || !isLong(input)) return here(context, invocation);
    const { space, actor, access, deadline, requestId } = context;
    const sent = { space, actor, deadline, requestId, ...(access === undefined ? {} : { access }) };
    return ask('invoke', sent, invocation);
  };
}
