/**
 * The worker thread for large bodies. It has the same preparer and operations as the main thread, and sends its
 * database calls there.
 */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { Log, Space } from '../context';
import { InFlight } from '../concurrency/in-flight';
import { timesFile } from '../fhir/processor-time';
import { limitEvaluationTime } from '../fhir/path';
import { createOperationEnvironment, type OperationParts } from './operation-environment';
import { createCodeSystemCache, readCompact } from '../cache/code-system-cache';
import type {
  OperationStorage,
  TerminologyEnvironment,
  TerminologyStorage,
} from '../operation-types/environment';
import { invokeOperation } from '../operations/invoke';
import { evictSpaces } from '../memory/cache-registry';
import { createHasher } from '../search/rows/hash';
import { StoredBundles } from '../preparation/stored-bundles';
import { answerCall, createProxy, type Answer } from '../preparation/calls';
import { createCodingChecker } from '../validation/coding-checker';
import { checkRelations } from '../validation/relations';
import {
  MAY_WRITE,
  toError,
  toFailure,
  type FromWorker,
  type HostCalls,
  type WorkerHost,
  type WorkerRequest,
  type TaskResult,
  type ThreadTasks,
  type ToWorker,
  type WorkerSettings,
} from '../preparation/messages';
import { createPreparer } from '../preparation/create-preparer';
import { toParts, transferredBy } from '../preparation/result-parts';
import { SpaceIndexing } from '../preparation/space-indexing';

class HostRequests {
  private number = 0;
  private readonly open = new InFlight<
    number,
    { resolve(value: Answer<HostCalls>): void; reject(error: Error): void }
  >();

  constructor(private readonly port: MessagePort) {}

  send(request: WorkerRequest): Promise<Answer<HostCalls>> {
    const number = ++this.number;
    return new Promise((resolve, reject) => {
      this.open.add(number, { resolve, reject });
      this.port.postMessage({ kind: 'request', number, request } satisfies FromWorker);
    });
  }

  settle(message: Extract<ToWorker, { kind: 'answer' | 'failure' }>): void {
    const pending = this.open.take(message.number);
    if (message.kind === 'answer') pending?.resolve(message.value);
    else pending?.reject(toError(message.failure));
  }
}

/** Sends results, large ones in parts. */
class ResultSender {
  private readonly open = new Map<number, () => void>();

  constructor(private readonly port: MessagePort) {}

  async send(number: number, result: TaskResult): Promise<void> {
    const { rest, parts } = toParts(result);
    for (const part of parts) {
      const acknowledged = new Promise<void>((resolve) => this.open.set(number, resolve));
      this.port.postMessage({ kind: 'part', number, part } satisfies FromWorker);
      await acknowledged;
    }
    this.open.delete(number);
    this.port.postMessage({ kind: 'done', number, value: rest } satisfies FromWorker, transferredBy(rest));
  }

  acknowledge(number: number): void {
    this.open.get(number)?.();
  }
}

/** Creates a log that sends its entries to the main thread. */
function createLogProxy(port: MessagePort): Log {
  const send = (level: keyof Log) => (details: object, message: string) =>
    port.postMessage({ kind: 'log', level, details, message } satisfies FromWorker);
  return { debug: send('debug'), info: send('info'), warn: send('warn'), error: send('error') };
}

function createInvoke(
  port: MessagePort,
  requests: HostRequests,
  parts: OperationParts,
): ThreadTasks['invoke'] {
  const log = createLogProxy(port);
  return (context, invocation) => {
    const storage = createProxy<HostCalls, keyof OperationStorage>(MAY_WRITE.storage, (call) =>
      requests.send({ kind: 'storage', context, call }),
    );
    return invokeOperation(createOperationEnvironment(parts, { ...context, log }, storage), invocation);
  };
}

function serve(port: MessagePort, settings: WorkerSettings): void {
  const { ownAddresses, extensionBase, limits } = settings;
  limitEvaluationTime(limits.pathTimeoutMs);
  const requests = new HostRequests(port);
  const tools = new SpaceIndexing({
    hasher: createHasher(Buffer.from(settings.hashKey)),
    ownAddresses,
    maxIndexRows: limits.maxIndexRows,
  });
  const codeSystems = createCodeSystemCache();
  const codingChecker = createCodingChecker();
  const terminologyIn = (space: Space): TerminologyEnvironment => ({
    codeSystems,
    ...createProxy<HostCalls, keyof TerminologyStorage>(MAY_WRITE.terminology, (call) =>
      requests.send({ kind: 'terminology', space, call }),
    ),
  });
  const host: WorkerHost = {
    ...createProxy<HostCalls, keyof typeof MAY_WRITE.informant>(MAY_WRITE.informant, (call) =>
      requests.send({ kind: 'informant', call }),
    ),
    checkCodings: (space, codings) => codingChecker.check(space, terminologyIn(space), codings),
    checkRelations: (space, resource) => checkRelations(terminologyIn(space), resource),
    absentSystems: (space) => codingChecker.absentSystems(space),
  };
  const preparer = createPreparer(tools.preparationTools(extensionBase, host), limits);
  const invoke = createInvoke(port, requests, {
    preparer,
    codeSystems,
    limits,
    validator: (release) => tools.validator(release),
  });
  const bundles = new StoredBundles(preparer);
  const tasks: ThreadTasks = {
    ...preparer,
    invoke,
    codeSystem: readCompact,
    warmUp: () => undefined,
    bundle: (number, task) => bundles.open(number, task),
    versions: (number, task, again) => bundles.prepare(number, task, again),
  };
  const results = new ResultSender(port);
  port.postMessage({ kind: 'ready', timesFile: timesFile() } satisfies FromWorker);
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'evict') {
      bundles.evict(message.number);
      return;
    }
    if (message.kind === 'evict-spaces') {
      evictSpaces(message.spaces);
      return;
    }
    if (message.kind === 'received') {
      results.acknowledge(message.number);
      return;
    }
    if (message.kind !== 'task') {
      requests.settle(message);
      return;
    }
    const { number, task } = message;
    answerCall<ThreadTasks, keyof ThreadTasks>(tasks, task)
      .then((value) => results.send(number, value))
      .catch((error: unknown) =>
        port.postMessage({ kind: 'failed', number, failure: toFailure(error) } satisfies FromWorker),
      );
  });
}

if (parentPort !== null) serve(parentPort, workerData as WorkerSettings);
