/** Media types: https://www.rfc-editor.org/info/bcp13 */
import { type BuiltInSystem, MAX_CODE_LENGTH } from './built-in-system';

const MEDIA_NAME = '[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}';
const MEDIA_TYPE = new RegExp(`^${MEDIA_NAME}/${MEDIA_NAME}(?: ?; ?[^\\s=;/]+=[^;]+)*$`);

/**
 * The specification's names of its own formats (http.html#mime-type). CapabilityStatement.format allows them, and the
 * official test scripts use them.
 */
const FORMATS: ReadonlySet<string> = new Set(['xml', 'json', 'ttl']);

/**
 * Allows `type/subtype` (RFC 6838, 4.2), optionally with `;name=value`, and FORMATS. Values need no quotes: the
 * official examples leave out the quotes that RFC 2045 requires around blanks and slashes.
 */
export const MEDIA_TYPES: BuiltInSystem = {
  url: 'urn:ietf:bcp:13',
  allowed: "a media type such as 'text/plain' or 'application/pdf'",
  isCode: (code) => (code.length <= MAX_CODE_LENGTH && MEDIA_TYPE.test(code)) || FORMATS.has(code),
};
