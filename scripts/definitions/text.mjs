// JSON text and gzip: all code that determines the bytes of the generated files.
import { crc32, deflateRawSync } from 'node:zlib';

const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[\s\u00a0\ufeff]+/g;
const MARK = '\u0001';

/** Returns the same JSON without white space between tokens; strings and numbers keep every character. */
export function minifyJson(text) {
  return text.replace(TOKENS, (token) => (/^\s/.test(token) ? '' : token));
}

/** Parses; a number that JavaScript would write differently (`1.00`) becomes a string that begins with U+0001. */
export function parseMarked(text) {
  return JSON.parse(
    text
      .replace(/^\ufeff/, '')
      .replace(TOKENS, (token) =>
        /^[-\d]/.test(token) && String(Number(token)) !== token ? JSON.stringify(MARK + token) : token,
      ),
  );
}

/** Returns one line of JSON, in which marked numbers are literals again. */
export function stringifyMarked(value) {
  return JSON.stringify(value).replace(/"\\u0001([^"]*)"/g, '$1');
}

/**
 * Returns one gzip member (RFC 1952) without time stamp or file name. With `measured`, the header's extra field `AD` holds
 * the length in bytes of the whole member, so that a reader can inflate it without touching the ones that follow.
 */
export function gzipMember(text, measured) {
  const content = Buffer.from(text, 'utf8');
  const deflated = deflateRawSync(content, { level: 9, memLevel: 9 });
  const header = Buffer.from([0x1f, 0x8b, 8, measured ? 4 : 0, 0, 0, 0, 0, 2, 255]);
  const extra = Buffer.alloc(measured ? 10 : 0);
  if (measured) {
    extra.writeUInt16LE(8, 0);
    extra.write('AD', 2, 'latin1');
    extra.writeUInt16LE(4, 4);
    extra.writeUInt32LE(header.length + extra.length + deflated.length + 8, 6);
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(content), 0);
  trailer.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, extra, deflated, trailer]);
}
