// Writes definitions/fold-table.json: the folded form of each character for searches of strings. After a change of a
// rule, run it with a Node that has the Unicode version named there, raise VERSION, and reindex: stored rows keep the old
// folding.
import { writeFileSync } from 'node:fs';

const VERSION = 1;

// Marks that do not change the letter. Vowel signs of Indic scripts and the Japanese voicing marks do, and stay.
const ACCENT = (code) =>
  (code >= 0x300 && code <= 0x36f) ||
  (code >= 0x483 && code <= 0x487) ||
  (code >= 0x591 && code <= 0x5c7) ||
  (code >= 0x610 && code <= 0x61a) ||
  (code >= 0x64b && code <= 0x65f) ||
  code === 0x670 ||
  code === 0x640 ||
  (code >= 0x6d6 && code <= 0x6ed) ||
  (code >= 0x1ab0 && code <= 0x1aff) ||
  (code >= 0x1dc0 && code <= 0x1dff) ||
  (code >= 0x20d0 && code <= 0x20ff) ||
  (code >= 0xfe00 && code <= 0xfe0f) ||
  (code >= 0xfe20 && code <= 0xfe2f);

// Letters that Unicode does not decompose, but searches must.
const LETTERS = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ŧ: 't',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ŀ: 'l',
  ƀ: 'b',
  ɨ: 'i',
  ʉ: 'u',
  ɖ: 'd',
  ə: 'e',
};

// Punctuation inside a word vanishes (O'Brien is obrien, St. is st), other punctuation separates words (Smith-Jones).
const VANISHES = /^['’‘‛ʼʻʹʽ`´".“”„‟«»‹›·•‧…!?¡¿]$/u;

function fold(character) {
  const code = character.codePointAt(0);
  if (code >= 0xd800 && code <= 0xdfff) return '';
  if (/^[\s\p{Z}\t\n\v\f\r]$/u.test(character)) return ' ';
  if (/^\p{C}$/u.test(character))
    return /^\p{Cn}$/u.test(character) || /^\p{Co}$/u.test(character) ? character : '';
  if (VANISHES.test(character)) return '';
  if (/^\p{P}$/u.test(character)) return ' ';
  let folded = '';
  for (const part of character.normalize('NFKD'))
    if (!ACCENT(part.codePointAt(0))) folded += part.toLowerCase().toUpperCase().toLowerCase();
  let letters = '';
  for (const part of folded.normalize('NFD'))
    if (!ACCENT(part.codePointAt(0))) letters += LETTERS[part] ?? part;
  letters = letters.normalize('NFC');
  // Punctuation and spaces of decompositions follow the same rules (½ is 1⁄2, ŉ is ʼn).
  return [...letters]
    .map((part) =>
      part === character ? part : VANISHES.test(part) ? '' : /^[\p{P}\p{Z}]$/u.test(part) ? ' ' : part,
    )
    .join('');
}

// Runs of characters that become one other character at a constant distance and step; all others one by one.
const single = [];
const several = [];
for (let code = 0x80; code < 0x10ffff; code++) {
  const character = String.fromCodePoint(code);
  const folded = fold(character);
  if (folded === character || (code >= 0xd800 && code <= 0xdfff)) continue;
  const points = [...folded];
  if (points.length === 1) single.push([code, points[0].codePointAt(0)]);
  else several.push([code, folded]);
}
const runs = [];
const taken = new Set();
const target = new Map(single);
for (const [code, to] of single) {
  if (taken.has(code)) continue;
  let best = [code, 1, 1];
  for (const step of [1, 2]) {
    let count = 1;
    while (target.get(code + count * step) === to + count * step && !taken.has(code + count * step)) count++;
    if (count > best[1]) best = [code, count, step];
  }
  for (let i = 0; i < best[1]; i++) taken.add(code + i * best[2]);
  runs.push([code, best[1], best[2], to]);
}
// Runs that become one character (spaces, and characters that vanish).
const flat = [];
const rest = [];
for (const run of runs) {
  const last = flat.at(-1);
  if (run[1] === 1 && last && last[0] + last[1] === run[0] && last[3] === run[3]) last[1]++;
  else if (run[1] === 1) flat.push([run[0], 1, 0, run[3]]);
  else rest.push(run);
}
const vanish = [];
const expand = [];
for (const [code, text] of several) {
  if (text !== '') {
    expand.push([code, text]);
    continue;
  }
  const last = vanish.at(-1);
  if (last && last[0] + last[1] === code) last[1]++;
  else vanish.push([code, 1]);
}
const table = {
  version: VERSION,
  unicode: process.versions.unicode,
  runs: [...rest, ...flat].sort((a, b) => a[0] - b[0]),
  vanishing: vanish,
  expansions: expand,
};
const lines = Object.entries(table).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
writeFileSync(new URL('../definitions/fold-table.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
