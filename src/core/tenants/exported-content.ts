/** Large content in the export of a tenant: lines with its chunks, before the line of the version that has it. */
import { fhirError } from '../errors';
import { inChunks } from '../content/object-store';
import { CONTENT_ADDRESS_EXTENSION } from '../../../packages/fhir-values/server-meta';
import type { Services } from '../ports';
import type { VersionRow } from '../storage/read/version-row';

const CHUNK_BYTES = 1024 * 1024;
/** A text without its content is short. */
const LONGEST_TEXT = 256 * 1024;

/** The members of a line with a chunk. */
export interface ContentLine {
  /** `Type/id/_history/version` */
  readonly content: string;
  /** Of the version that has it. */
  readonly sequence: number;
  readonly release: string;
  /** From 0. */
  readonly chunk: number;
  /** In base64. */
  readonly data: string;
}

/** Yields the lines of the content of a version, if it has one that is stored apart. Throws contentUnavailable. */
export async function* contentLines(
  services: Pick<Services, 'contents'>,
  space: number,
  { release, name }: { readonly release: string; readonly name: string },
  { type, key, version, sequence, body }: VersionRow,
): AsyncGenerator<string> {
  if (body.length > LONGEST_TEXT || !body.includes(`/${CONTENT_ADDRESS_EXTENSION}"`)) return;
  const { contents } = services;
  const stored = await contents.findOf(space, { type, key, version });
  if (stored === undefined) return;
  let chunk = 0;
  let size = 0;
  for await (const bytes of inChunks(contents.read(space, stored), CHUNK_BYTES)) {
    size += bytes.length;
    const line: ContentLine = { release, content: name, sequence, chunk, data: bytes.toString('base64') };
    yield JSON.stringify(line);
    chunk += 1;
  }
  if (size !== stored.size) throw fhirError('contentUnavailable');
}
