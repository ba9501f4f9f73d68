/** The commands that a page prints, so that a test runs them as they stand there. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const DOCS = path.resolve(__dirname, '..', '..', 'docs');

/**
 * The fenced block with this number, from 0, under a heading of a page of docs/.
 * @throws Error when the page does not have it
 */
export async function readBlock(page: string, heading: string, number = 0): Promise<string> {
  const text = await readFile(path.join(DOCS, page), 'utf8');
  const sections = text.split(/^#+ /m);
  const section = sections.find((part) => part.startsWith(`${heading}\n`));
  const block = [...(section ?? '').matchAll(/^```sh\n(.*?)^```$/gms)][number]?.[1];
  if (block === undefined) throw new Error(`docs/${page} has no block ${number} under '${heading}'`);
  return block;
}
