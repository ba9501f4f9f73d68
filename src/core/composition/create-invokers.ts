import { requireInvocation } from '../authorization/operation-rule';
import type { Core } from '../api/core';
import type { RequestContext } from '../context';
import type { BundleTools } from '../interactions/bundle/run-bundle';
import { createOperationEnvironment, type OperationParts } from './operation-environment';
import { createReadingStorage } from './operation-storage';
import type { OperationStorage } from '../operations/environment';
import { invokeOperation } from '../operations/invoke';
import type { Task, TaskResult } from '../preparation/messages';
import { createThreadedInvoker } from '../preparation/threaded-invoker';
import type { SearchServices } from '../ports';

export interface InvokerOptions {
  readonly services: SearchServices;
  readonly parts: OperationParts;
  /** Returns the storage for the operations of one request. */
  readonly storageOf: (context: RequestContext) => OperationStorage;
  readonly inThread: (task: Task) => Promise<TaskResult>;
}

export interface Invokers {
  /** The caller of this function has authorized the client. */
  readonly invoke: Core['invoke'];
  /** Runs an operation inside a transaction: it sees the writes of the transaction and must not write itself. */
  readonly invokeWithin: BundleTools['invokeWithin'];
}

/** Creates the functions that run operations. */
export function createInvokers({ services, parts, storageOf, inThread }: InvokerOptions): Invokers {
  const invoke = createThreadedInvoker(
    (context, invocation) =>
      invokeOperation(createOperationEnvironment(parts, context, storageOf(context)), invocation),
    inThread,
  );
  const invokeWithin: BundleTools['invokeWithin'] = async (within, context, invocation) => {
    requireInvocation(services, context, invocation);
    return invokeOperation(
      createOperationEnvironment(
        { ...parts, codeSystems: within.codeSystems },
        context,
        createReadingStorage(within, context),
      ),
      invocation,
    );
  };
  return { invoke, invokeWithin };
}
