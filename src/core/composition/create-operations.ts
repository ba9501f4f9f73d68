import { requireInvocation } from '../authorization/operation-rule';
import type { Run } from '../api/interactions';
import type { RequestContext } from '../context';
import type { CacheInvalidator } from '../cache/cache-invalidator';
import { removeNotedObjects } from '../content/content-sweep';
import { purge, type PurgeOptions } from '../erasure/purge';
import type { BundleTools } from '../interactions/bundle/run-bundle';
import type { OperationStorage } from '../operation-types/environment';
import { OPERATIONS } from '../operations';
import { invokeOperation } from '../operations/invoke';
import { answerRequest, type RequestTargets } from '../preparation/messages';
import { createThreadedInvoker } from '../preparation/threaded-invoker';
import { requireDatabase } from '../search-execution/page/search-result-cache';
import type { RetryingWriter } from '../interactions/retrying-writer';
import type { CoreOptions } from './core-options';
import type { CreatedServices } from './create-services';
import { createTerminologyStorage } from '../terminology/environment';
import { createOperationEnvironment } from './operation-environment';
import { createOperationStorage, createReadingStorage, type StorageTools } from './operation-storage';

export interface OperationsParts {
  readonly options: Pick<CoreOptions, 'database' | 'isPurgeOpen' | 'log'>;
  readonly created: CreatedServices;
  readonly write: RetryingWriter;
  readonly cacheInvalidator: CacheInvalidator;
  rootOf: StorageTools['rootOf'];
  issueBindingToken: StorageTools['issueBindingToken'];
}

export interface Operations {
  readonly invoke: Run<'invoke'>;
  /** Runs an operation inside a transaction: it sees the writes of the transaction and must not write itself. */
  readonly invokeWithin: BundleTools['invokeWithin'];
}

/** Creates the functions that run operations, here and in the worker thread, which is given its database. */
export function createOperations({
  options,
  created,
  write,
  cacheInvalidator,
  rootOf,
  issueBindingToken,
}: OperationsParts): Operations {
  const { services, threads, workerHost } = created;
  const purging: PurgeOptions = {
    ...{ services, database: options.database, cacheInvalidator },
    removeObjects: (session, spaces) =>
      removeNotedObjects({ contents: services.contents, log: options.log }, session, spaces),
    isOpen: options.isPurgeOpen,
  };
  const storageOf = (context: RequestContext): OperationStorage =>
    createOperationStorage(services, context, {
      ...{ write, rootOf, issueBindingToken },
      purge: (of, request) => purge(purging, of, request),
    });
  const targets: RequestTargets = {
    informant: workerHost,
    storage: (context) => storageOf({ ...context, log: options.log }),
    terminology: (space) => createTerminologyStorage(services, space),
  };
  threads.serve((request) => answerRequest(targets, request));
  const invoke = createThreadedInvoker(
    (context, invocation) =>
      invokeOperation(createOperationEnvironment(services, context, storageOf(context)), invocation),
    (task) => threads.run(task),
  );
  return {
    async invoke(context, invocation) {
      requireDatabase(context);
      requireInvocation(services, context, { operations: OPERATIONS, invocation });
      return invoke(context, invocation);
    },
    async invokeWithin(within, context, invocation) {
      requireInvocation(services, context, { operations: OPERATIONS, invocation });
      const environment = createOperationEnvironment(
        { ...services, codeSystems: within.codeSystems },
        context,
        createReadingStorage(within, context, { rootOf, issueBindingToken }),
      );
      return invokeOperation(environment, invocation);
    },
  };
}
