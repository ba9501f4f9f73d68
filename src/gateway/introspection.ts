import path from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gunzip } from 'node:zlib';
import { getIntrospectionQuery, Kind, type OperationDefinitionNode } from 'graphql';
import { fhirError, registerCache, createCache } from '../core/index';
import { readBuiltSchema } from './built-schema';
import { RawJson } from '../schema/raw-json';
import type { SubgraphRequest } from '../schema/subgraph';
import { IntrospectionAllowance } from './introspection-allowance';
import type { SchemaSource } from './own-schema';

/** An operation that is an introspection only. */
export interface Introspection {
  readonly source: string;
  readonly operationName: string | undefined;
}

/** A task of the worker thread: the result of an operation, or the whole schema in one of its forms. */
export interface IntrospectionTask {
  readonly source: SchemaSource;
  readonly wanted: Introspection | SchemaForm | SubgraphRequest;
}

/** `graphql`: as text (SDL). `json`: as the result of an introspection of the whole schema. */
export type SchemaForm = 'graphql' | 'json';

/** Introspection of the whole schema. */
export const WHOLE_SCHEMA = getIntrospectionQuery({
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});

/** The usual introspection of tools. */
export const STANDARD = getIntrospectionQuery();

/** Compressed texts: the values of the root fields as JSON by their names, or the text of a form by the form's name. */
export type Packed = Readonly<Record<string, Uint8Array>>;

/** Limit on the cached introspections of all schemas; each takes less than a megabyte. */
const MAX_CACHED = 8;
/**
 * Limit on the introspections that wait for the worker thread. Tools repeat their own introspection, so that few
 * differ.
 */
const MOST_WAITING = 4;
const HEAP_MEGABYTES = 512;
/** Milliseconds after which an idle worker thread ends: it holds some 150 MB. */
const IDLE_MS = 5_000;

const unpack = promisify<Uint8Array, Buffer>(gunzip);

/**
 * True for an operation whose only field is one `__schema`, without variables. It has no directives, which might change
 * its result: the result is then always the same.
 */
export function isIntrospection(
  { selectionSet, variableDefinitions }: OperationDefinitionNode,
  source: string,
): boolean {
  const [only, another] = selectionSet.selections;
  if (only?.kind !== Kind.FIELD || another !== undefined) return false;
  return only.name.value === '__schema' && !variableDefinitions?.length && !source.includes('@');
}

interface CachedResult {
  /** Undefined: the schema of a release. */
  readonly space: number | undefined;
  readonly packed: Promise<Packed>;
}

/** The source of a result: the cache, the build, or the worker thread. */
export type IntrospectionOutcome = 'remembered' | 'built' | 'thread';

/**
 * Executes introspections. The usual one of a release comes from a file of the build. Others run once, in a worker
 * thread that ends soon after the last of them, and are cached.
 */
export class Introspections {
  private readonly cache = createCache<string, CachedResult>({
    name: 'introspections',
    scope: 'program',
    max: MAX_CACHED,
  });
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private thread: Thread | undefined;
  private ending: NodeJS.Timeout | undefined;
  private readonly allowance = new IntrospectionAllowance();

  /** `observe` is called for each introspection. */
  constructor(private readonly observe: (outcome: IntrospectionOutcome) => void) {
    registerCache(this);
  }

  evictSpaces(spaces: ReadonlySet<number>): void {
    for (const [key, { space }] of this.cache.entries())
      if (space !== undefined && spaces.has(space)) this.cache.delete(key);
  }

  /**
   * Returns the values of the root fields. Throws `overloaded` while too many others wait for the worker thread, and
   * `tooManyRequests` for a tenant that sends too many different ones.
   */
  async answer(
    source: SchemaSource,
    wanted: Introspection,
    tenant: number,
  ): Promise<Record<string, RawJson>> {
    const key = JSON.stringify([source.key, wanted.operationName, wanted.source]);
    let packed = this.cache.get(key)?.packed;
    if (packed === undefined) {
      const isStandard = source.space === undefined && wanted.source === STANDARD;
      const task = { source, wanted };
      packed = isStandard ? this.readOrRun(task, tenant) : this.runLimited(task, tenant);
      this.cache.set(key, { space: source.space, packed });
      packed.catch(() => this.cache.delete(key));
    } else this.observe('remembered');
    const values = Object.entries(await packed).map(
      async ([name, value]) => [name, new RawJson((await unpack(value)).toString())] as const,
    );
    return Object.fromEntries(await Promise.all(values));
  }

  private async readOrRun(task: IntrospectionTask, tenant: number): Promise<Packed> {
    const built = await readBuiltSchema(task.source.release, 'standard');
    if (built === undefined) return this.runLimited(task, tenant);
    this.observe('built');
    return { __schema: built };
  }

  /** Throws at once, so that a refusal is not cached. */
  private runLimited(task: IntrospectionTask, tenant: number): Promise<Packed> {
    if (this.waiting >= MOST_WAITING) throw fhirError('overloaded');
    this.allowance.take(tenant);
    return this.runTask(task);
  }

  /** Returns the whole schema, compressed by gzip; it is not cached. Throws `overloaded`. */
  async whole(source: SchemaSource, form: SchemaForm): Promise<Uint8Array> {
    const packed = (await this.runTask({ source, wanted: form }))[form];
    if (packed === undefined) throw new Error('the introspection thread returned another form');
    return packed;
  }

  /** Returns the text of a subgraph, compressed by gzip; it is not cached. Throws `overloaded`, `tooManyRequests`. */
  async subgraph(source: SchemaSource, wanted: SubgraphRequest, tenant: number): Promise<Uint8Array> {
    const { graphql: packed } = await this.runLimited({ source, wanted }, tenant);
    if (packed === undefined) throw new Error('the introspection thread returned another form');
    return packed;
  }

  /** Executes tasks one after the other. */
  private async runTask(task: IntrospectionTask): Promise<Packed> {
    if (this.waiting >= MOST_WAITING) throw fhirError('overloaded');
    this.waiting++;
    this.observe('thread');
    const before = this.last;
    const own = before.then(() => this.inThread(task));
    this.last = own.catch(() => undefined);
    try {
      return await own;
    } finally {
      this.waiting--;
    }
  }

  /** Sends one task to the worker thread; the caller makes sure that no other is in progress. */
  private async inThread(task: IntrospectionTask): Promise<Packed> {
    clearTimeout(this.ending);
    const thread = (this.thread ??= this.startThread());
    try {
      return await new Promise<Packed>((resolve, reject) => {
        thread.waiting = { resolve, reject };
        thread.worker.postMessage(task);
      });
    } finally {
      delete thread.waiting;
      this.ending = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }

  private startThread(): Thread {
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MEGABYTES };
    const thread: Thread = {
      worker: new Worker(path.join(__dirname, 'introspection-worker.js'), { resourceLimits }),
    };
    const end = (error: Error): void => {
      if (this.thread === thread) this.thread = undefined;
      thread.waiting?.reject(error);
    };
    thread.worker.on('message', (packed: Packed) => thread.waiting?.resolve(packed));
    thread.worker.on('error', end);
    thread.worker.on('exit', () => end(new Error('the introspection thread ended')));
    thread.worker.unref();
    return thread;
  }

  /** Ends the thread; the next task starts another. */
  async close(): Promise<void> {
    clearTimeout(this.ending);
    const { thread } = this;
    this.thread = undefined;
    await thread?.worker.terminate();
  }
}

interface Thread {
  readonly worker: Worker;
  /** The pending promise of the current task. */
  waiting?: { resolve(packed: Packed): void; reject(error: Error): void };
}
