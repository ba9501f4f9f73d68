/** Uris: https://www.rfc-editor.org/info/rfc3986 */
import { type BuiltInSystem } from './built-in-system';

/** Canonical urls and identifiers may be longer than codes. */
const MAX_LENGTH = 4_096;

export const URIS: BuiltInSystem = {
  url: 'urn:ietf:rfc:3986',
  allowed: "an absolute URI such as 'urn:oid:1.2.3'",
  isCode: (code) => code.length <= MAX_LENGTH && /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]+$/.test(code),
};
