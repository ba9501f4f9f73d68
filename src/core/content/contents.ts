/** Large content: written before what it belongs to, and removed when it belongs to nothing. */
import { createHash, randomUUID } from 'node:crypto';
import type { WrittenContent } from '../api/resource-input';
import { fhirError } from '../errors';
import type { Database } from '../storage/connection/database';
import {
  beginContent,
  beginJobContent,
  findContent,
  findContentOf,
  findContentsOfJob,
  finishContent,
  giveUpContent,
  keepContentsOfJob,
  renewContent,
  type ContentKey,
  type ContentOwner,
  type JobFile,
  type StoredContent,
  type StoreName,
} from '../storage/content/contents';
import type { ByteRange, ObjectStore, SignedAddress } from './object-store';

/** Seconds after which a content whose process says nothing of it is removed. */
export const CONTENT_SILENCE = 60;
const BEAT_MS = 10_000;

export interface ContentsOptions {
  readonly database: Pick<Database, 'run'>;
  readonly stores: readonly ObjectStore[];
  /** The store of new content. */
  readonly inUse: StoreName;
  /** Called when there is content to remove. */
  readonly givenUp: () => void;
}

export interface WriteLimits {
  /** Bytes; more are refused with `bodyTooLarge`. */
  readonly limit: number;
  /** Bytes that the source has at least, for the quota of the tenant. */
  readonly least?: number;
  readonly signal?: AbortSignal;
}

export class Contents {
  readonly #stores: ReadonlyMap<StoreName, ObjectStore>;

  constructor(private readonly options: ContentsOptions) {
    this.#stores = new Map(options.stores.map((store) => [store.name, store]));
  }

  /** The store of new content. Throws contentUnavailable where none has the name. */
  get inUse(): ObjectStore {
    return this.storeNamed(this.options.inUse);
  }

  /** Throws contentUnavailable where the settings do not have the store any more. */
  storeNamed(name: StoreName): ObjectStore {
    const store = this.#stores.get(name);
    if (store === undefined) throw fhirError('contentUnavailable');
    return store;
  }

  /**
   * Writes a content. Throws bodyTooLarge, quotaExceeded, contentUnavailable, and the errors of the source; then nothing is left of
   * it after the next sweep, as after the end of this process. **Cost**: one chunk in memory.
   */
  async write(
    space: number,
    source: AsyncIterable<Uint8Array>,
    { limit, least = 0, signal }: WriteLimits,
  ): Promise<WrittenContent> {
    const { database } = this.options;
    const store = this.inUse;
    const key = { space, id: randomUUID() };
    if (!(await beginContent(database, key, store.name, least))) throw fhirError('contentUnavailable');
    return this.#put(key, store, source, { limit, signal });
  }

  /**
   * Writes a file of a job, which is kept as long as the job exists and has not failed. The source is not read before the file is
   * known to the database, so that an erasure gives it up. Throws contentUnavailable, also where the file exists, and the errors of
   * the source. **Cost**: one chunk in memory.
   */
  async writeForJob(
    space: number,
    of: JobFile & { readonly store: StoreName },
    source: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> {
    const store = this.storeNamed(of.store);
    const key = { space, id: randomUUID() };
    if (!(await beginJobContent(this.options.database, key, store.name, of)))
      throw fhirError('contentUnavailable');
    (await this.#put(key, store, source, { limit: Infinity, signal })).claimed();
  }

  /** Finds those of some files of a job that are whole and can be read with the present settings, by their names. */
  async findOfJob(
    space: number,
    job: string,
    files: readonly string[],
  ): Promise<ReadonlyMap<string, StoredContent>> {
    const found = await findContentsOfJob(this.options.database, space, job, files);
    return new Map([...found].filter(([, { store }]) => this.#stores.has(store)));
  }

  /** Gives up the files of a job that are not whole, or have none of the names. */
  async keepOfJob(space: number, job: string, files: readonly string[]): Promise<void> {
    if ((await keepContentsOfJob(this.options.database, space, job, files)) > 0) this.options.givenUp();
  }

  /** There may be content to remove, because a job is removed. Returns at once. */
  sweep(): void {
    this.options.givenUp();
  }

  /** Finds a content that is whole, by its id. */
  find(space: number, id: string): Promise<StoredContent | undefined> {
    return findContent(this.options.database, { space, id });
  }

  /** Finds the content of a version. */
  findOf(space: number, owner: ContentOwner): Promise<StoredContent | undefined> {
    return findContentOf(this.options.database, space, owner);
  }

  /** Reads a content, or a range of it. Throws contentUnavailable, also after some pieces. */
  read(
    space: number,
    { id, store, size }: StoredContent,
    range: ByteRange = { start: 0, end: size },
  ): AsyncIterable<Buffer> {
    return this.storeNamed(store).get({ space, id }, range);
  }

  /** A signed address from which anybody may load a content; undefined: its store has none. */
  address(space: number, { id, store }: StoredContent, signed: SignedAddress): Promise<string> | undefined {
    return this.storeNamed(store).address({ space, id }, signed);
  }

  /** Gives a content up that belongs to no version; it is removed soon. */
  async drop(space: number, id: string): Promise<void> {
    if (await giveUpContent(this.options.database, { space, id })) this.options.givenUp();
  }

  /** Writes a content that was begun. */
  async #put(
    key: ContentKey,
    store: ObjectStore,
    source: AsyncIterable<Uint8Array>,
    { limit, signal }: { readonly limit: number; readonly signal: AbortSignal | undefined },
  ): Promise<WrittenContent> {
    const { database } = this.options;
    const lost = new AbortController();
    const beat = setInterval(() => {
      renewContent(database, key).then(
        (isMine) => {
          if (!isMine) lost.abort(fhirError('contentUnavailable'));
        },
        // The database is away: the next beat tries again, and the claim decides.
        () => undefined,
      );
    }, BEAT_MS).unref();
    const drop = async (): Promise<void> => {
      clearInterval(beat);
      // Where this fails, the silence removes it.
      if (await giveUpContent(database, key).catch(() => false)) this.options.givenUp();
    };
    const digest = createHash('sha256');
    let size = 0;
    const measured = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of source) {
        size += piece.length;
        if (size > limit) throw fhirError('bodyTooLarge', { limit });
        digest.update(piece);
        yield piece;
      }
    };
    try {
      const signals = signal === undefined ? lost.signal : AbortSignal.any([lost.signal, signal]);
      await store.put(key, measured(), signals);
      if (!(await finishContent(database, key, { size, digest: digest.digest() }))) {
        // Its row is gone, and its object may have been removed before it was whole.
        await store.remove(key);
        throw fhirError('contentUnavailable');
      }
    } catch (error) {
      await drop();
      throw error;
    }
    return { id: key.id, size, claimed: () => clearInterval(beat), drop };
  }
}
