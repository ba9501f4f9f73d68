/**
 * Content in files of a folder, `{folder}/{space}/{id}`, which all processes share. A file gets its name when its bytes are on the
 * disk, so that a file with a name is whole.
 */
import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../context';
import { fhirError } from '../errors';
import type { ContentKey } from '../storage/content/contents';
import { objectNameOf, type ObjectStore } from './object-store';

/** Name of a file whose bytes are still being written. */
const UNFINISHED = '.part';
const READ_BYTES = 256 * 1024;

export function createFolderStore(folder: string, log: Log): ObjectStore {
  const fileOf = (key: ContentKey): string => path.join(folder, objectNameOf(key));
  const folderOf = (key: ContentKey): string => path.dirname(fileOf(key));
  /** Throws contentUnavailable where the disk is full or fails. */
  const onDisk = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (!isOfSystem(error)) throw error;
      log.warn({ err: error }, 'the folder of content cannot be used');
      throw fhirError('contentUnavailable');
    }
  };
  return {
    name: 'folder',
    async put(key, source, signal) {
      const file = fileOf(key);
      const space = folderOf(key);
      // The folder itself is never made: a disk that is not mounted would get content that nobody finds later.
      await onDisk(stat(folder));
      // The folder of a new space must be on the disk too.
      if ((await onDisk(mkdir(space, { recursive: true, mode: 0o700 }))) !== undefined)
        await onDisk(syncFolder(folder));
      await onDisk(requireFolder(space));
      const handle = await onDisk(open(file + UNFINISHED, 'wx', 0o600));
      try {
        for await (const piece of source) {
          signal.throwIfAborted();
          await onDisk(writeAll(handle, piece));
        }
        await onDisk(handle.sync());
      } finally {
        await onDisk(handle.close());
      }
      await onDisk(rename(file + UNFINISHED, file));
      await onDisk(syncFolder(space));
    },
    async *get(key, { start, end }) {
      if (start >= end) return;
      const file = fileOf(key);
      await onDisk(requireFolder(folderOf(key)));
      const handle = await onDisk(
        open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK),
      );
      try {
        for (let at = start; at < end;) {
          const piece = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, end - at));
          const { bytesRead } = await onDisk(handle.read(piece, 0, piece.length, at));
          if (bytesRead === 0) throw fhirError('contentUnavailable');
          at += bytesRead;
          yield piece.subarray(0, bytesRead);
        }
      } finally {
        await handle.close();
      }
    },
    async remove(key) {
      // Where the disk is away, the content is not gone.
      await onDisk(stat(folder));
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

/** A link in its place could lead out of the folder. */
async function requireFolder(folder: string): Promise<void> {
  if (!(await lstat(folder)).isDirectory()) throw fhirError('contentUnavailable');
}

function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
