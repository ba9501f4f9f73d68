/** The files of a multipart/form-data body (RFC 7578). */
import { fhirError } from '../../core';

export interface FilePart {
  /** Undefined: the part names no file. */
  readonly name: string | undefined;
  readonly bytes: Buffer;
}

const LINE_END = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');
const LONGEST_HEAD = 16 * 1024;
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i;
const FILE_NAME = /^content-disposition:[^\r\n]*;\s*filename="?([^"\r\n;]*)"?/im;

/** More than any request needs. */
const MOST_PARTS = 10_000;

/** Returns the parts in their order. Throws `invalidValue` where it is not multipart, and names what is missing. */
export function readMultipart(contentType: string, body: Buffer): readonly FilePart[] {
  const [, quoted, bare] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) throw refusal('the Content-Type has no boundary');
  const delimiter = Buffer.from(`--${boundary}`);
  const parts: FilePart[] = [];
  const lineAndDelimiter = Buffer.concat([LINE_END, delimiter]);
  let begin = startOf(body, delimiter);
  for (;;) {
    if (begin < 0) throw refusal('it does not end with the boundary');
    const after = begin + delimiter.length;
    if (body.subarray(after, after + 2).toString('latin1') === '--') return parts;
    if (parts.length === MOST_PARTS) throw refusal(`it has more than ${MOST_PARTS} parts`);
    const headEnd = body.indexOf(HEAD_END, after);
    if (headEnd < 0 || headEnd - after > LONGEST_HEAD) throw refusal('a part has no head');
    const end = body.indexOf(lineAndDelimiter, headEnd + LINE_END.length);
    if (end < 0) throw refusal('it does not end with the boundary');
    const [, name] = FILE_NAME.exec(body.subarray(after, headEnd).toString('utf8')) ?? [];
    parts.push({ name, bytes: body.subarray(headEnd + HEAD_END.length, end) });
    begin = end + LINE_END.length;
  }
}

/** The first delimiter begins the body, or a line. */
function startOf(body: Buffer, delimiter: Buffer): number {
  if (body.subarray(0, delimiter.length).equals(delimiter)) return 0;
  const found = body.indexOf(Buffer.concat([LINE_END, delimiter]));
  return found < 0 ? -1 : found + LINE_END.length;
}

function refusal(reason: string): Error {
  return fhirError('invalidValue', { reason: `The body is not valid multipart/form-data: ${reason}` });
}
