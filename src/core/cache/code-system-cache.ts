import { createCache } from '../memory/create-cache';
import { parseStoredObject } from '../fhir/json';
import { type CodeSystem } from '../fhir/terminology/code-system';
import {
  bytesOf,
  type CompactCodeSystem,
  fromCompact,
  toCompact,
} from '../fhir/terminology/compact-code-system';
import { readCodeSystem } from '../fhir/terminology/read-code-system';

/** The text of a CodeSystem, and the key of its stored version. */
interface CodeSystemText {
  readonly key: string;
  readonly text: string;
}

/** A code system in memory, and about how many bytes it takes. */
export interface SizedCodeSystem {
  readonly codeSystem: CodeSystem;
  readonly bytes: number;
}

/** A cache of code systems by the key of their stored version, shared by all spaces of a thread. */
export interface CodeSystemCache {
  /**
   * Returns the code system of this key. On a miss it reads the one that `load` returns, which may be newer by then;
   * undefined if that is gone. Requests for one that is being read wait for it.
   */
  get(key: string, load: () => Promise<CodeSystemText | undefined>): Promise<CodeSystem | undefined>;
  /** Returns a cache for a transaction: it has the code systems of this one, and stores others only in itself. */
  nested(): CodeSystemCache;
}

/** Reads the text of a CodeSystem, perhaps in another thread. */
export type ReadCodeSystem = (text: string) => Promise<SizedCodeSystem>;

export const DEFAULT_CODE_SYSTEM_BYTES = 96 * 1024 * 1024;

export function createCodeSystemCache(
  read: ReadCodeSystem = readHere,
  maxBytes = DEFAULT_CODE_SYSTEM_BYTES,
): CodeSystemCache {
  return createLevel(read, maxBytes, () => undefined);
}

function createLevel(
  read: ReadCodeSystem,
  maxBytes: number,
  inherited: (key: string) => CodeSystem | undefined,
): CodeSystemCache {
  const cached = createCache<string, CodeSystem>({ name: 'code-systems', scope: 'data', maxSize: maxBytes });
  const reading = new Map<string, Promise<CodeSystem | undefined>>();
  const find = (key: string): CodeSystem | undefined => inherited(key) ?? cached.get(key);
  const readAndStore = async (
    load: () => Promise<CodeSystemText | undefined>,
  ): Promise<CodeSystem | undefined> => {
    const found = await load();
    if (found === undefined) return undefined;
    const { codeSystem, bytes } = await read(found.text);
    cached.set(found.key, codeSystem, { size: Math.max(1, bytes) });
    return codeSystem;
  };
  return {
    async get(key, load) {
      const known = find(key);
      if (known !== undefined) return known;
      let promise = reading.get(key);
      if (promise === undefined) {
        promise = readAndStore(load).finally(() => reading.delete(key));
        reading.set(key, promise);
      }
      return promise;
    },
    nested: () => createLevel(read, maxBytes, find),
  };
}

/** Length in characters from which a code system is kept in its compact form, and read in the worker thread. */
export const LONG_CODE_SYSTEM = 256 * 1024;
/** Bytes that a parsed code system takes for each character of its text. */
const BYTES_OF_CHARACTER = 10;

/** Reads in this thread. Cost: some 20 ms for 1 MB. */
export function readHere(text: string): Promise<SizedCodeSystem> {
  const codeSystem = readCodeSystem(parseStoredObject(text));
  return Promise.resolve(
    text.length > LONG_CODE_SYSTEM
      ? fromThread(toCompact(codeSystem))
      : { codeSystem, bytes: BYTES_OF_CHARACTER * text.length },
  );
}

/** Reads in this thread and returns the form that another thread can use. */
export function readCompact(text: string): CompactCodeSystem {
  return toCompact(readCodeSystem(parseStoredObject(text)));
}

/** Returns what this or another thread has read. */
export function fromThread(compact: CompactCodeSystem): SizedCodeSystem {
  return { codeSystem: fromCompact(compact), bytes: bytesOf(compact) };
}
