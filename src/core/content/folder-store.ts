/**
 * Content in files of a folder, `{folder}/{space}/{id}`, which all processes share. A file gets its name when its bytes are on the
 * disk, so that a file with a name is whole.
 */
import { constants, createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { fhirError } from '../errors';
import type { ContentKey } from '../storage/content/contents';
import type { ObjectStore } from './object-store';

/** Name of a file whose bytes are still being written. */
const UNFINISHED = '.part';
const READ_BYTES = 256 * 1024;

export function createFolderStore(folder: string): ObjectStore {
  const folderOf = ({ space }: ContentKey): string => path.join(folder, String(space));
  const fileOf = (key: ContentKey): string => path.join(folderOf(key), key.id);
  return {
    name: 'folder',
    async put(key, source, signal) {
      const file = fileOf(key);
      // The folder of a new space must be on the disk too.
      if ((await mkdir(folderOf(key), { recursive: true, mode: 0o700 })) !== undefined)
        await syncFolder(folder);
      const handle = await open(file + UNFINISHED, 'wx', 0o600);
      try {
        for await (const piece of source) {
          signal.throwIfAborted();
          await writeAll(handle, piece);
        }
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(file + UNFINISHED, file);
      await syncFolder(folderOf(key));
    },
    async *get(key, { start, end }) {
      if (start >= end) return;
      let read = 0;
      try {
        const stream = createReadStream(fileOf(key), { start, end: end - 1, highWaterMark: READ_BYTES });
        for await (const piece of stream) {
          if (!Buffer.isBuffer(piece)) continue;
          read += piece.length;
          yield piece;
        }
      } catch (error) {
        throw isMissing(error) ? fhirError('contentUnavailable') : error;
      }
      if (read !== end - start) throw fhirError('contentUnavailable');
    },
    async remove(key) {
      for (const file of [fileOf(key), fileOf(key) + UNFINISHED]) await rm(file, { force: true });
    },
    address: () => undefined,
  };
}

/** A write may take fewer bytes than it is given. */
async function writeAll(handle: FileHandle, piece: Uint8Array): Promise<void> {
  for (let start = 0; start < piece.length;)
    start += (await handle.write(piece, start, piece.length - start)).bytesWritten;
}

/** A new name is durable when its folder is on the disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
