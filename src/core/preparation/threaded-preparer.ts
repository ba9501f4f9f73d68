import { turns } from '../concurrency/turns';
import { FhirError } from '../errors';
import { parseJson, type JsonLimits } from '../fhir/json';
import { createShortPathBudget, isFhirPathPatch } from '../fhir/patch';
import type { BundleTask, OpenBundle, PreparedVersions, VersionsTask } from './bundle';
import { createAsk } from './calls';
import type { ThreadTasks } from './messages';
import type { WorkerPool } from './worker-pool';
import type { PatchTask, Preparer } from './preparer';
import type { ResourceInput } from '../api/resource-input';
import { isLong, LONG_TEXT } from './resource-input';

/** A body as text, or a large one as bytes (`UndecodedJson`). */
type Body = string | readonly Uint8Array[];

/** Returns the input of a write: parsed, or as text or bytes for the worker thread. Throws the errors of the parser. */
export function toResourceInput(text: Body, limits: JsonLimits): ResourceInput {
  if (typeof text !== 'string') return { blocks: text };
  return text.length > LONG_TEXT ? { text } : parseJson(text, limits);
}

/**
 * Length in characters of a transaction that takes some 5 ms to prepare: the worker thread does it unless it has a
 * long task.
 */
const MEDIUM_TRANSACTION = 32 * 1024;

/**
 * As `toResourceInput` for a Bundle. The main thread executes the entries of a batch one by one, so only large
 * batches are parsed in the worker thread.
 */
export function toBundleInput(text: Body, limits: JsonLimits): ResourceInput {
  if (typeof text !== 'string') return { blocks: text };
  return text.length > MEDIUM_TRANSACTION && isTransaction(text) ? { text } : toResourceInput(text, limits);
}

/** Looks for the type at the start and end of the text. A wrong answer only selects another thread. */
function isTransaction(text: string): boolean {
  const isNamed = (part: string): boolean => /"type"\s*:\s*"transaction"/.test(part);
  return isNamed(text.slice(0, OUTER_PART)) || isNamed(text.slice(-OUTER_PART));
}
const OUTER_PART = 500;

function isFhirPath({ operations }: PatchTask): boolean {
  return 'value' in operations && isFhirPathPatch(operations.value);
}

/**
 * True: finding the positions of a FHIRPath Patch's paths takes more than some 10 ms. Each path costs as much as
 * 10,000 characters of the resource.
 */
function hasManyPaths({ operations, current }: PatchTask): boolean {
  if (!('value' in operations) || !isFhirPathPatch(operations.value)) return false;
  const { parameter } = operations.value;
  const count = Array.isArray(parameter) ? parameter.length : 0;
  return count * (current.length + 10_000) > 2_000_000;
}

/** Does short tasks in this thread, and long ones in the worker thread. */
export function createThreadedPreparer(here: Preparer, threads: Threads): Preparer {
  const ask = createAsk<ThreadTasks>((task) => threads.run(task));
  // The rows of a statement that many requests share arrive in one turn, and each has its work here.
  return {
    async resource(task) {
      if (!isLong(task.input)) {
        await turns.take();
        return here.resource(task);
      }
      return ask('resource', task);
    },
    async patch(task) {
      const isHere = task.current.length <= LONG_TEXT && !isLong(task.operations) && !hasManyPaths(task);
      if (isHere) {
        await turns.take();
        try {
          return await here.patch({ ...task, paths: createShortPathBudget() });
        } catch (error) {
          // Paths that are too costly for this thread may be allowed in the other one.
          if (!isFhirPath(task) || !(error instanceof FhirError) || error.key !== 'tooCostly') throw error;
        }
      }
      return ask('patch', task);
    },
    async rows(task) {
      if (task.body.length <= LONG_TEXT) return here.rows(task);
      return ask('rows', task);
    },
    inspect: (space, input) => here.inspect(space, input),
    async validateOperation(task) {
      const { input } = task.invocation;
      const isStoredLong = task.stored !== undefined && task.stored.length > LONG_TEXT;
      if (!isStoredLong && (input === undefined || !isLong(input))) return here.validateOperation(task);
      return ask('validateOperation', task);
    },
    async outline(task) {
      // A short text is parsed as a whole, and no part of it stays text.
      if (task.text.length <= LONG_TEXT) return { value: parseJson(task.text, task.limits).value, parts: [] };
      return ask('outline', task);
    },
    async difference(task) {
      if (task.from.length + task.to.length <= LONG_TEXT) return here.difference(task);
      return ask('difference', task);
    },
    bundle(task) {
      if (isLong(task.input)) return openProxy(threads, task);
      return 'text' in task.input && threads.canStartSoon()
        ? openShared(here, threads, task)
        : here.bundle(task);
    },
  };
}

type Threads = Pick<WorkerPool, 'run' | 'post' | 'canStartSoon'>;

/** Numbers of Bundles in the worker thread. */
let lastNumber = 0;

/** Uses the worker thread while it has no long task; otherwise this thread, which avoids waiting. */
async function openShared(here: Preparer, threads: Threads, task: BundleTask): Promise<OpenBundle> {
  const proxy = await openProxy(threads, task, true);
  return {
    ...proxy,
    async prepare(versions) {
      if (threads.canStartSoon()) return proxy.prepare(versions);
      const local = await here.bundle(task);
      return local.prepare(versions);
    },
  };
}

/** The thread holds the parsed Bundle if it can; otherwise the Bundle is sent again. */
async function openProxy(threads: Threads, task: BundleTask, isShort = false): Promise<OpenBundle> {
  const ask = createAsk<ThreadTasks>((sent) => threads.run(sent, isShort));
  const number = ++lastNumber;
  const outline = await ask('bundle', number, task);
  const prepare = async (versions: VersionsTask, again?: BundleTask): Promise<PreparedVersions> => {
    const prepared = await ask('versions', number, versions, again);
    if (prepared !== 'evicted') return withBuffers(prepared);
    if (again !== undefined) throw new Error('the preparation thread lost a Bundle that was just sent');
    return prepare(versions, task);
  };
  return {
    outline,
    prepare: (versions) => prepare(versions),
    close: () => threads.post({ kind: 'evict', number }),
  };
}

/** Restores Buffers, of which a message passes only the bytes; pg binds nothing else as binary. */
function withBuffers({ entries, writes }: PreparedVersions): PreparedVersions {
  return {
    entries,
    writes: writes.map(({ members, bound }) => ({
      members,
      bound: Object.fromEntries(
        Object.entries(bound).map(([name, value]) => [
          name,
          value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value,
        ]),
      ),
    })),
  };
}
