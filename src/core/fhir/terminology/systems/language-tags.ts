/** Language tags: https://www.rfc-editor.org/info/bcp47 */
import { type BuiltInSystem, englishNames, MAX_CODE_LENGTH } from './built-in-system';

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

/** Allows tags that are well-formed by RFC 5646, 2.2.9; their parts may be unregistered. */
export const LANGUAGE_TAGS: BuiltInSystem = {
  url: 'urn:ietf:bcp:47',
  allowed: "a language tag such as 'en' or 'de-CH'",
  isCode: (code) =>
    code.length <= MAX_CODE_LENGTH && (LANGUAGE_TAG.test(code) || IRREGULAR_TAGS.has(code.toLowerCase())),
  display: englishNames('language'),
};
