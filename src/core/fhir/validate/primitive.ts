/** Checks the values of the primitive types. Source: https://hl7.org/fhir/R4/datatypes.html#primitive */
import type { Definitions, TypeStructure } from '../definitions';
import { decimalText, isMarkedDecimal, type JsonValue } from '../json';
import { shorten } from '../json/fault';
import { isValidId } from '../resource';
import { dateFault, dateTimeFault, instantFault, timeFault } from './moment';
import { hasControlCharacter, isBase64, isCode, isOid, isUri, isUuid } from './text-scan';

/** Returns the fault of a value as a sentence (what was found, what is allowed), or undefined. */
export type PrimitiveCheck = (value: JsonValue) => string | undefined;

/**
 * Returns the check for the values of a primitive type, without their ids and extensions. A type without a rule of its
 * own takes the rule of its nearest ancestor (`url` is a `uri`). Throws if the name is not a primitive type.
 *
 * The regular expressions of the definitions "are informative, not normative. There are several issues with the
 * regexes". The rules here are hand-written scanners that read each character once. Cost: some 30 ns for a usual value,
 * some 20 ms for 16 MB of any content.
 */
export function compilePrimitive(definitions: Definitions, typeName: string): PrimitiveCheck {
  const structure = definitions.structure(typeName);
  if (structure?.kind !== 'primitive') throw new Error(`'${typeName}' is not a primitive type`);
  let ancestor: TypeStructure | undefined = structure;
  while (ancestor !== undefined) {
    const rule = RULES.get(ancestor.name);
    if (rule !== undefined) return rule(structure);
    ancestor = ancestor.base === undefined ? undefined : definitions.structure(ancestor.base);
  }
  throw new Error(`There is no rule for the primitive type '${typeName}'`);
}

type Rule = (structure: TypeStructure) => PrimitiveCheck;

/** Returns why a text is not allowed, '' if the allowed values say it all, or undefined for an allowed text. */
type TextFault = (text: string) => string | undefined;

/** R4 has no limit. Longer decimals measure nothing, and exact arithmetic refuses them (path/number.ts). */
const LONGEST_DECIMAL = 400;

/**
 * Not empty, since "properties are never a 0 length string". White space alone is allowed: a string only "SHOULD
 * always contain non-whitespace content". Markdown is a string.
 */
const stringRule = textRule(
  'at least one character, below U+0020 only tab, line feed and carriage return',
  (text) => {
    if (text === '') return '';
    return hasControlCharacter(text) ? 'it holds a control character' : undefined;
  },
);

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['boolean', booleanRule],
  ['integer', integerRule(-Infinity)],
  ['unsignedInt', integerRule(0)],
  ['positiveInt', integerRule(1)],
  ['decimal', decimalRule],
  ['string', stringRule],
  ['code', textRule('at least one character, without white space but for single spaces inside', unless(isCode))],
  ['id', textRule('1 to 64 of A-Z a-z 0-9 - .', unless(isValidId))],
  ['uri', textRule('at least one character, without white space', unless(isUri))],
  ['oid', textRule("'urn:oid:' and numbers between dots, such as urn:oid:1.2.3.4.5", unless(isOid))],
  ['uuid', textRule("'urn:uuid:' and a UUID in lower case", unless(isUuid))],
  ['base64Binary', textRule('groups of four of A-Z a-z 0-9 + / with = only at the end', unless(isBase64))],
  ['date', textRule('YYYY, YYYY-MM or YYYY-MM-DD', dateFault)],
  ['dateTime', textRule('YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm:ss+zz:zz', dateTimeFault)],
  ['instant', textRule('YYYY-MM-DDThh:mm:ss.sss+zz:zz', instantFault)],
  ['time', textRule('hh:mm:ss', timeFault)],
  // narrativeFault checks the content.
  ['xhtml', textRule('one div element as text', (text) => (text === '' ? '' : undefined))],
]); // prettier-ignore

function booleanRule(structure: TypeStructure): PrimitiveCheck {
  return (value) =>
    typeof value === 'boolean' ? undefined : refusal(value, structure, '', 'true and false');
}

/**
 * A "JSON number (with no decimal point)" between the bounds of the definitions, and not below `least`. The definitions
 * omit that unsignedInt is "any non-negative integer" and positiveInt "any positive integer".
 */
function integerRule(least: number): Rule {
  return (structure) => {
    const { minValue = -Infinity, maxValue: greatest = Infinity } = structure;
    const smallest = Math.max(least, minValue);
    return (value) => {
      if (typeof value === 'number' && value >= smallest && value <= greatest && Number.isInteger(value))
        return undefined;
      // A marked literal is a number that JavaScript would write differently: 1.0, 1e3. The definitions allow only -0
      // of these, for types with a sign.
      if (smallest < 0 && decimalText(value) === '-0') return undefined;
      const allowed = `whole numbers from ${smallest} to ${greatest}, as digits without a point or an exponent`;
      return refusal(value, structure, '', allowed);
    };
  };
}

/**
 * A JSON number of up to LONGEST_DECIMAL characters, with any digits and exponent; `parseJson` has checked its syntax.
 */
function decimalRule(structure: TypeStructure): PrimitiveCheck {
  return (value) => {
    if (typeof value === 'number') return undefined;
    if (!isMarkedDecimal(value)) return refusal(value, structure, '', 'JSON numbers, such as 5.40');
    return value.length - 1 <= LONGEST_DECIMAL
      ? undefined
      : refusal(value, structure, 'it is too long', `at most ${LONGEST_DECIMAL} characters`);
  };
}

function unless(isAllowed: (text: string) => boolean): TextFault {
  return (text) => (isAllowed(text) ? undefined : '');
}

/** A text without `fault` of at most as many characters as the definitions allow ("strings SHALL NOT exceed 1MB"). */
function textRule(allowed: string, fault: TextFault): Rule {
  return (structure) => {
    const { maxLength: longest = Infinity } = structure;
    return (value) => {
      if (!isText(value)) {
        return refusal(value, structure, '', `text in quotation marks: ${allowed}`);
      }
      if (value.length > longest && isLonger(value, longest)) {
        return refusal(value, structure, 'it is too long', `at most ${longest} characters`);
      }
      const reason = fault(value);
      return reason === undefined ? undefined : refusal(value, structure, reason, allowed);
    };
  };
}

/** True for a string that is not a marked decimal. */
function isText(value: JsonValue): value is string {
  return typeof value === 'string' && value.charCodeAt(0) !== 1;
}

/** Characters beyond U+FFFF count once, but are two units of a JavaScript string. */
function isLonger(text: string, longest: number): boolean {
  if (text.length > 2 * longest) return true;
  let count = 0;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) !== 0xdc00) count++;
  return count > longest;
}

function refusal(value: JsonValue, { name }: TypeStructure, reason: string, allowed: string): string {
  const article = /^(?:[aeio]|un)/.test(name) ? 'an' : 'a';
  const why = reason === '' ? '' : `: ${reason}`;
  return `${show(value)} is not ${article} ${name}${why}; allowed: ${allowed}`;
}

/** Shows the value, shortened for a sentence. */
function show(value: JsonValue): string {
  const literal = decimalText(value);
  if (literal !== undefined) return `The number ${shorten(literal)}`;
  if (typeof value === 'string') return value === '' ? 'An empty string' : `'${shorten(value)}'`;
  if (value === null) return 'null';
  if (typeof value === 'boolean') return `The boolean ${value}`;
  return Array.isArray(value) ? 'An array' : 'An object';
}
