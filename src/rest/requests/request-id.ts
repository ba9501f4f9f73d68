import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const SAFE_ID = /^[A-Za-z0-9._:~-]{1,64}$/;
const prefix = randomBytes(6).toString('hex');
let count = 0;

/**
 * Returns the client's `X-Request-Id` where it has 1 to 64 safe characters, else a new id that is unique among all
 * processes (https://hl7.org/fhir/R4/http.html#custom).
 */
export function toRequestId(request: Pick<IncomingMessage, 'headers'>): string {
  const sent = request.headers['x-request-id'];
  if (typeof sent === 'string' && SAFE_ID.test(sent)) return sent;
  count += 1;
  return `${prefix}-${count.toString(36)}`;
}
