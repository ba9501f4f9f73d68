import { fhirError } from '../../core';

const LINE_FEED = 0x0a;

/**
 * Yields the lines of a UTF-8 text as it arrives, without their line feeds. Throws bodyTooLarge for a line of more than
 * `most` bytes, and invalidValue where it is not UTF-8. It holds one line in memory.
 */
export async function* readTextLines(bytes: AsyncIterable<Buffer>, most: number): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let parts: Buffer[] = [];
  let length = 0;
  const take = (): string => {
    const line = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    parts = [];
    length = 0;
    try {
      return decoder.decode(line);
    } catch {
      throw fhirError('invalidValue', { reason: 'A line is not UTF-8' });
    }
  };
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      parts.push(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (rest.length === 0) continue;
    parts.push(rest);
    length += rest.length;
    if (length > most) throw fhirError('bodyTooLarge', { limit: most });
  }
  if (length > 0) yield take();
}
