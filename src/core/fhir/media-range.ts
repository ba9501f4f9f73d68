/** One element of an `Accept` header, or one `Content-Type`, lower-cased (RFC 9110, sections 8.3.1 and 12.5.1). */
export interface MediaRange {
  readonly type: string;
  readonly subtype: string;
  /** Parameters except `q`; names lower-cased, quotes removed. */
  readonly parameters: ReadonlyMap<string, string>;
  /** 0 to 1; 1 when absent or malformed. */
  readonly quality: number;
}

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** Parses a media range; undefined when the text is not one. */
export function parseMediaRange(text: string): MediaRange | undefined {
  const pieces = splitOutsideQuotes(text, ';');
  const [type = '', subtype = '', ...more] = (pieces[0] ?? '').trim().toLowerCase().split('/');
  if (more.length > 0 || !TOKEN.test(type) || !TOKEN.test(subtype)) return undefined;
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const piece of pieces.slice(1)) {
    const equals = piece.indexOf('=');
    if (equals === -1) continue;
    const name = piece.slice(0, equals).trim().toLowerCase();
    const value = unquote(piece.slice(equals + 1).trim());
    if (name === 'q') quality = toQuality(value);
    else parameters.set(name, value.toLowerCase());
  }
  return { type, subtype, parameters, quality };
}

/** Parses a comma-separated list of ranges, without malformed elements. */
export function parseMediaRanges(header: string): MediaRange[] {
  const ranges: MediaRange[] = [];
  for (const element of splitOutsideQuotes(header, ',')) {
    const range = parseMediaRange(element);
    if (range !== undefined) ranges.push(range);
  }
  return ranges;
}

function toQuality(text: string): number {
  const quality = Number(text);
  return text !== '' && quality >= 0 && quality <= 1 ? quality : 1;
}

function unquote(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text;
  return text.slice(1, -1).replace(/\\(.)/g, '$1');
}

/** Splits `text` at separators outside of quoted strings. */
export function splitOutsideQuotes(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator);
  const pieces: string[] = [];
  let start = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (quoted && character === '\\') index += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === separator) {
      pieces.push(text.slice(start, index));
      start = index + 1;
    }
  }
  pieces.push(text.slice(start));
  return pieces;
}
