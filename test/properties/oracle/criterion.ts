/** The test of one alternative of one parameter on one element. */
import { meetsDate, rangesOfElement, readDate } from './date';
import { textOf } from './json';
import { intervalsOf, meetsNumberSearch, readNumber } from './number';
import type { Parameter } from './parameters';
import { meetsQuantity, quantitiesOf, readQuantity } from './quantity';
import { splitAt, unescaped } from './query-text';
import { BadSearch } from './refusal';
import { referenceTest } from './reference-search';
import type { Space } from './space';
import { meetsString, textsOfElement } from './string';
import {
  isMimeBelow,
  meetsToken,
  meetsTokenText,
  readOfType,
  readToken,
  tokensOf,
  tokenTextsOf,
} from './token';
import { meetsUri, readCanonical } from './uri';
import { readWords, wordsOf } from './words';
import type { Element } from './values';

export type ElementTest = (element: Element) => boolean;

/** The modifiers of each kind; `missing` is for all, types are for references. */
const MODIFIERS: Readonly<Record<string, readonly string[]>> = {
  string: ['exact', 'contains', 'text'],
  token: ['not', 'text', 'in', 'not-in', 'above', 'below', 'of-type'],
  uri: ['below', 'above', 'contains'],
};

function tokenTest(space: Space, { paths }: Parameter, modifier: string, text: string): ElementTest {
  const types = paths.map(({ type }) => (type === 'deceased' ? 'boolean' : type));
  if (modifier === 'text')
    return (element) => tokenTextsOf(element).some((one) => meetsTokenText(one, unescaped(text)));
  if (modifier === 'of-type') {
    if (!types.includes('Identifier')) throw new BadSearch(':of-type is for identifiers');
    return readOfType(text);
  }
  if (modifier === 'in' || modifier === 'not-in') {
    const codes = space.terminology.membersOf(unescaped(text));
    return (element) =>
      tokensOf(element).some(({ system, code }) =>
        codes.some((one) => one.system === system && one.code === code),
      );
  }
  if (modifier === 'below' && paths.some(({ system }) => system === 'urn:ietf:bcp:13')) {
    return ({ value }) => isMimeBelow(textOf(value) ?? '', unescaped(text));
  }
  const sought = readToken(text, types);
  if (modifier === 'above' || modifier === 'below') {
    const { system, code } = sought;
    if (system === undefined || code === undefined) throw new BadSearch(`:${modifier} takes system|code`);
    return (element) =>
      tokensOf(element).some((token) => {
        if (token.system !== system || token.code === undefined) return false;
        return modifier === 'below'
          ? space.terminology.isBelow(system, token.code, code)
          : space.terminology.isBelow(system, code, token.code);
      });
  }
  return (element) => tokensOf(element).some((token) => meetsToken(token, sought));
}

function stringTest(parameter: Parameter, modifier: string, text: string): ElementTest {
  const search = unescaped(text);
  if (modifier === 'text') {
    const test = readWords(search);
    return ({ type, value }) => test(textsOfElement(type, value, false).map((one) => wordsOf(one.text)));
  }
  return ({ type, value }) =>
    textsOfElement(type, value, parameter.isFamily === true).some((one) =>
      meetsString(one, modifier, search),
    );
}

/** @param isConformance the url of a canonical resource, of which `|version` is split */
function uriTest(modifier: string, text: string): ElementTest {
  const search = unescaped(text);
  return ({ value }) => meetsUri(textOf(value) ?? '', modifier, search);
}

/**
 * @param type the type that is searched
 * @param modifier without the colon; '' where there is none
 * @param text one alternative, escapes and prefix as they were written
 * @throws BadSearch
 */
export function elementTest(
  space: Space,
  type: string,
  parameter: Parameter,
  modifier: string,
  text: string,
): ElementTest {
  const { kind } = parameter;
  if (kind !== 'reference' && modifier !== '' && MODIFIERS[kind]?.includes(modifier) !== true) {
    throw new BadSearch(`:${modifier} is not for ${kind}`);
  }
  switch (kind) {
    case 'token':
      return tokenTest(space, parameter, modifier, text);
    case 'string':
      return stringTest(parameter, modifier, text);
    case 'uri':
      return uriTest(modifier, text);
    case 'reference':
      return referenceTest(space, type, parameter, modifier, text);
    case 'date': {
      const search = readDate(unescaped(text));
      return (element) =>
        rangesOfElement(element.type, element.value).some((range) => meetsDate(range, search, space.now()));
    }
    case 'number': {
      const search = readNumber(unescaped(text));
      return (element) => intervalsOf(element).some((interval) => meetsNumberSearch(interval, search));
    }
    case 'quantity': {
      const search = readQuantity(text);
      return (element) => quantitiesOf(element).some((quantity) => meetsQuantity(quantity, search));
    }
    case 'composite':
    case 'special':
      throw new BadSearch(`${parameter.code} is not a single value`);
  }
}

/** `url=…|version` on a canonical resource. */
export function versionedUrl(text: string): { readonly url: string; readonly version: string } | undefined {
  const pieces = splitAt(text, '|').map(unescaped);
  const { url, version } = readCanonical(pieces.join('|'));
  return pieces.length !== 2 || version === undefined ? undefined : { url, version };
}
