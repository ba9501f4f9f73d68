/** The table of the rooms of core in docs/understand/architecture.md, whose other text is written by hand. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { table } from './markdown.mjs';

const rooms = createRequire(import.meta.url)('../rooms.cjs');

export const file = 'docs/understand/architecture.md';

const BEGIN = '<!-- rooms: from scripts/rooms.cjs, by npm run build:docs -->\n';
const END = '<!-- end of rooms -->';

export function toPage(_load, root) {
  const text = readFileSync(path.join(root, file), 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${file} must have a section for the rooms of core`);
  const rows = rooms.map(([room, contents]) => [`\`${room}/\``, contents]);
  return `${before}${BEGIN}\n${table(['folder of core, from top to bottom', 'contents'], rows)}\n\n${END}${after}`;
}
