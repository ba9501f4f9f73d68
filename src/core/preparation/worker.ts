/** The thread that prepares long resources: the same preparer as in the server's own, with the database at a distance. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { Finding } from '../fhir/validate';
import type { CanonicalResource } from '../operations/environment';
import { createHasher } from '../search/hash';
import type { ListedCodes } from '../validation/structure-source';
import {
  toError,
  toFailure,
  type FromWorker,
  type Informant,
  type Question,
  type Task,
  type TaskResult,
  type ToWorker,
  type WorkerSettings,
} from './messages';
import { createPreparer, type Preparer } from './preparer';
import { SpaceTools } from './space-tools';

class Asker {
  private number = 0;
  private readonly open = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();

  constructor(private readonly port: MessagePort) {}

  ask(question: Question): Promise<unknown> {
    const number = ++this.number;
    return new Promise((resolve, reject) => {
      this.open.set(number, { resolve, reject });
      this.port.postMessage({ kind: 'question', number, question } satisfies FromWorker);
    });
  }

  hear(message: Exclude<ToWorker, { kind: 'task' }>): void {
    const asked = this.open.get(message.number);
    this.open.delete(message.number);
    if (message.kind === 'answer') asked?.resolve(message.value);
    else asked?.reject(toError(message.failure));
  }
}

function prepare(preparer: Preparer, task: Task): Promise<TaskResult> {
  switch (task.kind) {
    case 'resource':
      return preparer.resource(task);
    case 'patch':
      return preparer.patch(task);
    case 'rows':
      return preparer.rows(task);
    case 'inspection':
      return preparer.inspect(task);
    case 'judgement':
      return preparer.judge(task);
  }
}

function listen(port: MessagePort, settings: WorkerSettings): void {
  const { publicUrls, extensionBase, limits } = settings;
  const asker = new Asker(port);
  const tools = new SpaceTools({
    hasher: createHasher(Buffer.from(settings.hashKey)),
    publicUrls,
    maxIndexRows: limits.maxIndexRows,
  });
  const informant: Informant = {
    judge: async (space, pending) =>
      (await asker.ask({ kind: 'judge', space, pending })) as readonly Finding[],
    version: async (space, of) => (await asker.ask({ kind: 'version', space, of })) as string,
    find: async (space, canonical) =>
      (await asker.ask({ kind: 'structure', space, canonical })) as CanonicalResource | undefined,
    listCodes: async (space, valueSet) =>
      (await asker.ask({ kind: 'codes', space, valueSet })) as ListedCodes | undefined,
  };
  const preparer = createPreparer(tools.preparationTools(extensionBase, informant), limits);
  port.on('message', (message: ToWorker) => {
    if (message.kind !== 'task') {
      asker.hear(message);
      return;
    }
    const { number, task } = message;
    prepare(preparer, task).then(
      (value) => port.postMessage({ kind: 'done', number, value } satisfies FromWorker),
      (error: unknown) =>
        port.postMessage({ kind: 'failed', number, failure: toFailure(error) } satisfies FromWorker),
    );
  });
}

if (parentPort !== null) listen(parentPort, workerData as WorkerSettings);
