/** Recognizes codes by their syntax, for code systems that are too large to list. */
import { canonicalUnit, isUnit, UCUM_SYSTEM } from '../quantity';
import type { WholeSystem } from '../definitions';

export interface CodeSyntax {
  isCode(code: string): boolean;
  /** A phrase that completes "needed is": `a media type such as 'text/plain'`. */
  readonly allowed: string;
}

/** Returns undefined for a system whose codes cannot be recognized by their syntax. */
export function codeSyntax({ system, unit }: WholeSystem): CodeSyntax | undefined {
  if (system === 'urn:ietf:bcp:13') {
    return { isCode: isMediaType, allowed: "a media type such as 'text/plain' or 'application/pdf'" };
  }
  if (system === 'urn:ietf:bcp:47') {
    return { isCode: isLanguageTag, allowed: "a language tag such as 'en' or 'de-CH'" };
  }
  if (system !== UCUM_SYSTEM) return undefined;
  if (unit === undefined) return { isCode: isUnit, allowed: 'a UCUM unit' };
  return {
    isCode: (code) => {
      const canonical = canonicalUnit(code)?.unit;
      return canonical !== undefined && canonical === canonicalUnit(unit)?.unit;
    },
    allowed: `a UCUM unit that can be converted into '${unit}'`,
  };
}

/** No real code is longer, and the expressions below need a bounded string. */
const MAX_LENGTH = 255;

const MEDIA_NAME = '[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}';
const MEDIA_TYPE = new RegExp(`^${MEDIA_NAME}/${MEDIA_NAME}(?: ?; ?[^\\s=;/]+=[^;]+)*$`);

/**
 * The specification's names of its own formats (http.html#mime-type). CapabilityStatement.format allows them, and the
 * official test scripts use them.
 */
const FORMATS: ReadonlySet<string> = new Set(['xml', 'json', 'ttl']);

/**
 * True for `type/subtype` (RFC 6838, 4.2), optionally with `;name=value`, and for FORMATS. Values need no quotes: the
 * official examples leave out the quotes that RFC 2045 requires around blanks and slashes.
 */
function isMediaType(code: string): boolean {
  return (code.length <= MAX_LENGTH && MEDIA_TYPE.test(code)) || FORMATS.has(code);
}

const LANGUAGE = '(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})';
const SCRIPT = '(?:-[a-z]{4})?';
const REGION = '(?:-(?:[a-z]{2}|[0-9]{3}))?';
const VARIANTS = '(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*';
const EXTENSIONS = '(?:-[a-wyz0-9](?:-[a-z0-9]{2,8})+)*';
const PRIVATE = 'x(?:-[a-z0-9]{1,8})+';
const LANGUAGE_TAG = new RegExp(
  `^(?:${LANGUAGE}${SCRIPT}${REGION}${VARIANTS}${EXTENSIONS}(?:-${PRIVATE})?|${PRIVATE})$`,
  'i',
);

/** Tags registered before the rules existed (RFC 5646, 2.1, `irregular`). */
const IRREGULAR_TAGS: ReadonlySet<string> = new Set([
  'en-gb-oed',
  'i-ami',
  'i-bnn',
  'i-default',
  'i-enochian',
  'i-hak',
  'i-klingon',
  'i-lux',
  'i-mingo',
  'i-navajo',
  'i-pwn',
  'i-tao',
  'i-tay',
  'i-tsu',
  'sgn-be-fr',
  'sgn-be-nl',
  'sgn-ch-de',
]);

/** True for a tag that is well-formed by RFC 5646, 2.2.9; its parts may be unregistered. */
function isLanguageTag(code: string): boolean {
  return code.length <= MAX_LENGTH && (LANGUAGE_TAG.test(code) || IRREGULAR_TAGS.has(code.toLowerCase()));
}
