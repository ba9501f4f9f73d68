/** The fenced blocks of a page of docs/, so that a test runs what the page prints. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const DOCS = path.resolve(__dirname, '..', '..', 'docs');

export interface Block {
  /** docs/PAGE:LINE of its fence */
  readonly place: string;
  /** The first word of the fence, such as sh. Empty: the fence has none. */
  readonly language: string;
  /** The further words of the fence, such as norun. */
  readonly words: readonly string[];
  readonly text: string;
  /** The heading above it. */
  readonly heading: string;
}

const toText = (page: string): Promise<string> => readFile(path.join(DOCS, page), 'utf8');

/** All blocks of a page, in their order. */
export async function readBlocks(page: string): Promise<readonly Block[]> {
  const text = await toText(page);
  return Array.from(text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms), (found) => {
    const [, fence = '', content = ''] = found;
    const above = text.slice(0, found.index);
    const [language = '', ...words] = fence.trim().split(/ +/);
    const headings = above.replace(/^```.*?^```$/gms, '').matchAll(/^#+ (.*)$/gm);
    return {
      place: `docs/${page}:${above.split('\n').length}`,
      ...{ language, words, text: content },
      heading: [...headings].at(-1)?.[1] ?? '',
    };
  });
}

/**
 * The fenced block with this number, from 0, under a heading of a page of docs/.
 * @throws Error when the page does not have it
 */
export async function readBlock(page: string, heading: string, number: number = 0): Promise<string> {
  const text = await toText(page);
  const sections = text.split(/^#+ /m);
  const section = sections.find((part) => part.startsWith(`${heading}\n`));
  const block = [...(section ?? '').matchAll(/^```sh(?: [^\n]*)?\n(.*?)^```$/gms)][number]?.[1];
  if (block === undefined) throw new Error(`docs/${page} has no block ${number} under '${heading}'`);
  return block;
}
