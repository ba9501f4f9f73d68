/** Files for readers of code systems, and what they read. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openCodeSystemFile } from '../../src/code-systems/formats';
import type { CodeSystemFile, JsonObject } from '../../src/core';
import { stringMember } from '../../src/core/fhir/terminology/members';

export type Files = Readonly<Record<string, string>>;

/** Folders for samples, which the test removes. */
export async function makeSamples(): Promise<{
  /** Writes files by their paths in a folder of this name; returns the folder. */
  write(name: string, files: Partial<Files>): Promise<string>;
  remove(): Promise<void>;
}> {
  const root = await mkdtemp(path.join(tmpdir(), 'andiron-code-systems-'));
  return {
    async write(name, files) {
      const folder = path.join(root, name);
      await mkdir(folder, { recursive: true });
      for (const [file, text] of Object.entries(files)) {
        if (text === undefined) continue;
        const place = path.join(folder, file);
        await mkdir(path.dirname(place), { recursive: true });
        await writeFile(place, text);
      }
      return folder;
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** Returns the concepts by their codes, and expects that they are the same when they are read again. */
export async function conceptsOf(file: CodeSystemFile): Promise<ReadonlyMap<string, JsonObject>> {
  const read = async (): Promise<JsonObject[]> => {
    const concepts: JsonObject[] = [];
    for await (const concept of file.concepts()) concepts.push(concept);
    return concepts;
  };
  const concepts = await read();
  expect(await read()).toEqual(concepts);
  return new Map(concepts.map((concept) => [stringMember(concept, 'code') ?? '', concept]));
}

/** Reads all concepts, for what it throws. */
export async function readAll(file: CodeSystemFile): Promise<void> {
  for await (const _concept of file.concepts());
}

/** Opens a file or folder; without `given` it says everything itself. */
export function open(
  format: string,
  place: string,
  given: { readonly version?: string; readonly url?: string } = {},
): Promise<CodeSystemFile> {
  return openCodeSystemFile(format, place, { url: given.url, version: given.version, name: undefined });
}
