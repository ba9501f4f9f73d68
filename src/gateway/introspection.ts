import path from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gunzip } from 'node:zlib';
import { getIntrospectionQuery, Kind, type OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { fhirError, registerCache } from '../core/index';
import { readBuiltSchema } from './built-schema';
import { RawJson } from '../schema/raw-json';
import { IntrospectionAllowance } from './introspection-allowance';
import type { SchemaSource } from './own-schema';

/** An operation that asks about the schema and nothing else. */
export interface Introspection {
  readonly source: string;
  readonly operationName: string | undefined;
}

/** What is asked of the thread: the answer to an operation, or all of the schema in one of its two forms. */
export interface IntrospectionTask {
  readonly of: SchemaSource;
  readonly asked: Introspection | SchemaForm;
}

/** `graphql`: as text (SDL). `json`: as the answer to an introspection that asks for all there is. */
export type SchemaForm = 'graphql' | 'json';

/** Asks for all that a schema tells. */
export const WHOLE_SCHEMA = getIntrospectionQuery({
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});

/** What tools send who ask for nothing special. */
export const STANDARD = getIntrospectionQuery();

/** Texts, packed: the values of the root as JSON by their names, or the one of a form by that of the form. */
export type Packed = Readonly<Record<string, Uint8Array>>;

/** Introspections that are remembered, of all schemas: each takes less than a megabyte. */
const MOST_REMEMBERED = 8;
/** Those that wait for the thread; each tool sends its own, again and again the same. */
const MOST_WAITING = 4;
const HEAP_MEGABYTES = 512;
/** Milliseconds after which a thread that nobody asks ends: it holds some 150 MB. */
const IDLE_MS = 5_000;

const unpack = promisify<Uint8Array, Buffer>(gunzip);

/**
 * True for an operation that asks for the schema, once, and nothing else, without directives, which might shape its answer: that
 * is always the same.
 */
export function isIntrospection(
  { selectionSet, variableDefinitions }: OperationDefinitionNode,
  source: string,
): boolean {
  const [only, another] = selectionSet.selections;
  if (only?.kind !== Kind.FIELD || another !== undefined) return false;
  return only.name.value === '__schema' && !variableDefinitions?.length && !source.includes('@');
}

interface Remembered {
  /** Undefined: of the schema of a release. */
  readonly space: number | undefined;
  readonly packed: Promise<Packed>;
}

/** Where an answer came from. */
export type IntrospectionOutcome = 'remembered' | 'built' | 'thread';

/**
 * Answers introspections: that which most tools send, of a release, as it was made when the server was built; others are
 * worked out once, in a thread that ends soon after the last of them, and remembered.
 */
export class Introspections {
  private readonly known = new LRUCache<string, Remembered>({ max: MOST_REMEMBERED });
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private thread: Thread | undefined;
  private ending: NodeJS.Timeout | undefined;
  private readonly allowance = new IntrospectionAllowance();

  /** `observe` is told of each that is asked. */
  constructor(private readonly observe: (outcome: IntrospectionOutcome) => void) {
    registerCache(this);
  }

  forgetSpaces(spaces: ReadonlySet<number>): void {
    for (const [key, { space }] of this.known.entries())
      if (space !== undefined && spaces.has(space)) this.known.delete(key);
  }

  /**
   * The values of the root. Throws `overloaded` while too many others are asked for the first time, and `tooManyRequests` for
   * a tenant that asks ever new ones.
   */
  async answer(of: SchemaSource, asked: Introspection, tenant: number): Promise<Record<string, RawJson>> {
    const key = JSON.stringify([of.key, asked.operationName, asked.source]);
    let packed = this.known.get(key)?.packed;
    if (packed === undefined) {
      const isStandard = of.space === undefined && asked.source === STANDARD;
      packed = isStandard ? this.builtOr({ of, asked }, tenant) : this.workOutAnew({ of, asked }, tenant);
      this.known.set(key, { space: of.space, packed });
      packed.catch(() => this.known.delete(key));
    } else this.observe('remembered');
    const values = Object.entries(await packed).map(
      async ([name, value]) => [name, new RawJson((await unpack(value)).toString())] as const,
    );
    return Object.fromEntries(await Promise.all(values));
  }

  private async builtOr(task: IntrospectionTask, tenant: number): Promise<Packed> {
    const built = await readBuiltSchema(task.of.release, 'standard');
    if (built === undefined) return this.workOutAnew(task, tenant);
    this.observe('built');
    return { __schema: built };
  }

  /** Throws at once, so that what is refused is not remembered. */
  private workOutAnew(task: IntrospectionTask, tenant: number): Promise<Packed> {
    if (this.waiting >= MOST_WAITING) throw fhirError('overloaded');
    this.allowance.take(tenant);
    return this.workOut(task);
  }

  /** All of a schema, packed by gzip; not remembered. Throws as `answer` does. */
  async whole(of: SchemaSource, form: SchemaForm): Promise<Uint8Array> {
    const packed = (await this.workOut({ of, asked: form }))[form];
    if (packed === undefined) throw new Error('the introspection thread gave another form');
    return packed;
  }

  /** One after the other. */
  private async workOut(task: IntrospectionTask): Promise<Packed> {
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

  /** One task at a time. */
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
  /** Who waits for the task that it works on. */
  waiting?: { resolve(packed: Packed): void; reject(error: Error): void };
}
