import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gunzip } from 'node:zlib';
import { getIntrospectionQuery, Kind, type OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { fhirError, forgettable } from '../core/index';
import { RawJson } from '../schema/raw-json';
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

/** Texts, packed: the values of the root as JSON by their names, or the one of a form by that of the form. */
export type Packed = Readonly<Record<string, Uint8Array>>;

/** Introspections that are remembered, of all schemas: each takes less than a megabyte. */
const MOST_REMEMBERED = 8;
/** Those that wait for the thread; each tool sends its own, again and again the same. */
const MOST_WAITING = 4;
const HEAP_MEGABYTES = 512;

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
export type IntrospectionOutcome = 'remembered' | 'thread';

/** Answers introspections: each is worked out once, in a thread that ends with it, and remembered. */
export class Introspections {
  private readonly known = new LRUCache<string, Remembered>({ max: MOST_REMEMBERED });
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /** `observe` is told of each that is asked. */
  constructor(private readonly observe: (outcome: IntrospectionOutcome) => void) {
    forgettable(this);
  }

  forgetSpaces(spaces: ReadonlySet<number>): void {
    for (const [key, { space }] of this.known.entries())
      if (space !== undefined && spaces.has(space)) this.known.delete(key);
  }

  /** The values of the root. Throws `overloaded` while too many others are asked for the first time. */
  async answer(of: SchemaSource, asked: Introspection): Promise<Record<string, RawJson>> {
    const key = JSON.stringify([of.key, asked.operationName, asked.source]);
    let packed = this.known.get(key)?.packed;
    if (packed === undefined) {
      packed = this.workOut({ of, asked });
      this.known.set(key, { space: of.space, packed });
      packed.catch(() => this.known.delete(key));
    } else this.observe('remembered');
    const values = Object.entries(await packed).map(
      async ([name, value]) => [name, new RawJson((await unpack(value)).toString())] as const,
    );
    return Object.fromEntries(await Promise.all(values));
  }

  /** All of a schema, packed by gzip; not remembered. Throws as `answer` does. */
  async whole(of: SchemaSource, form: SchemaForm): Promise<Uint8Array> {
    const packed = (await this.workOut({ of, asked: form }))[form];
    if (packed === undefined) throw new Error('the introspection thread gave another form');
    return packed;
  }

  /** One after the other: a thread takes some 150 MB while it works. */
  private async workOut(task: IntrospectionTask): Promise<Packed> {
    if (this.waiting >= MOST_WAITING) throw fhirError('overloaded');
    this.waiting++;
    this.observe('thread');
    const before = this.last;
    const own = before.then(() => inThread(task));
    this.last = own.catch(() => undefined);
    try {
      return await own;
    } finally {
      this.waiting--;
    }
  }
}

function inThread(task: IntrospectionTask): Promise<Packed> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile(), {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    });
    worker.unref();
    worker.on('message', (packed: Packed) => resolve(packed));
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('the introspection thread ended')));
  });
}

/** The compiled file beside this one, or in dist when this one runs as TypeScript (tests). */
function workerFile(): string {
  const beside = join(__dirname, 'introspection-worker.js');
  if (existsSync(beside)) return beside;
  let root = __dirname;
  while (!existsSync(join(root, 'package.json'))) root = dirname(root);
  return join(root, 'dist', 'src', 'gateway', 'introspection-worker.js');
}
