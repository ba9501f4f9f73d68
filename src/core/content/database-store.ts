/** Content in the database: chunks of 1 MB under row-level security. */
import { fhirError } from '../errors';
import type { Database } from '../storage/connection/database';
import { addChunk, CHUNK_BYTES, readChunk } from '../storage/content/contents';
import { inChunks, type ObjectStore } from './object-store';

export function createDatabaseStore(database: Pick<Database, 'run'>): ObjectStore {
  return {
    name: 'database',
    async put(key, source, signal) {
      let number = 0;
      for await (const chunk of inChunks(source, CHUNK_BYTES)) {
        signal.throwIfAborted();
        await addChunk(database, key, number++, chunk);
      }
    },
    async *get(key, { start, end }) {
      for (let at = start; at < end;) {
        const number = Math.floor(at / CHUNK_BYTES);
        const first = at - number * CHUNK_BYTES;
        const count = Math.min(CHUNK_BYTES - first, end - at);
        const bytes = await readChunk(database, key, { number, start: first, count });
        if (bytes?.length !== count) throw fhirError('contentUnavailable');
        yield bytes;
        at += count;
      }
    },
    // Its chunks are removed with its row.
    remove: () => Promise.resolve(),
    address: () => undefined,
  };
}
