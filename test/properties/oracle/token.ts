/** Tokens: a system and a code, and the texts beside them. */
import { isObject, listOf, membersOf, textOf, textsOf, type Json, type JsonObject } from './json';
import { splitAt, unescaped } from './query-text';
import { BadSearch } from './refusal';
import { folded } from './string';
import type { Element } from './values';

export interface Token {
  readonly system: string | undefined;
  readonly code: string | undefined;
  /** Compared letter by letter: code, boolean, uri and id. */
  readonly isExact: boolean;
}

export interface TokenSearch {
  /** undefined: any; '': none */
  readonly system: string | undefined;
  /** undefined: any */
  readonly code: string | undefined;
}

/** Element types whose values have no system. */
const WITHOUT_SYSTEM = ['boolean', 'uri', 'id', 'string'];

/** @throws BadSearch for more than one pipe, and for a pipe where no value has a system */
export function readToken(search: string, types: readonly string[]): TokenSearch {
  const pieces = splitAt(search, '|').map(unescaped);
  if (pieces.length > 2) throw new BadSearch(`${search}: more than one |`);
  const [first = '', second] = pieces;
  if (second === undefined) return { system: undefined, code: first };
  if (types.every((type) => WITHOUT_SYSTEM.includes(type)))
    throw new BadSearch(`${search}: there is no system`);
  return { system: first, code: second === '' ? undefined : second };
}

const tokenOf = (value: JsonObject, codeName: string): Token => ({
  system: textOf(value['system']),
  code: textOf(value[codeName]),
  isExact: false,
});

/** The tokens of one element. */
export function tokensOf({ type, system, value }: Element): Token[] {
  if (typeof value === 'boolean') return [{ system: undefined, code: String(value), isExact: true }];
  if (typeof value === 'string') return [{ system, code: value, isExact: type !== 'string' }];
  if (!isObject(value)) return [];
  switch (type) {
    case 'Coding':
      return [tokenOf(value, 'code')];
    case 'CodeableConcept':
      return membersOf([value], 'coding')
        .filter(isObject)
        .map((coding) => tokenOf(coding, 'code'));
    case 'Identifier':
    case 'ContactPoint':
      return [tokenOf(value, 'value')];
    default:
      return [];
  }
}

export function meetsToken(token: Token, search: TokenSearch): boolean {
  if (search.system !== undefined && (search.system === '' ? undefined : search.system) !== token.system)
    return false;
  if (search.code === undefined) return token.code !== undefined;
  if (token.code === undefined) return false;
  return token.isExact ? token.code === search.code : token.code.toLowerCase() === search.code.toLowerCase();
}

/** display of codings, text of concepts, text of an identifier's type */
export function tokenTextsOf({ type, value }: Element): string[] {
  if (!isObject(value)) return [];
  switch (type) {
    case 'Coding':
      return textsOf(value, 'display');
    case 'CodeableConcept':
      return [
        ...textsOf(value, 'text'),
        ...membersOf(membersOf([value], 'coding'), 'display').flatMap((text) => textOf(text) ?? []),
      ];
    case 'Identifier':
      return textsOf(value['type'], 'text');
    default:
      return [];
  }
}

/** All words of the search are the beginnings of words of the text, in any order. */
export const meetsTokenText = (text: string, search: string): boolean =>
  folded(search)
    .split(' ')
    .every((sought) =>
      folded(text)
        .split(' ')
        .some((word) => word.startsWith(sought)),
    );

/** `:of-type=system|code|value` on an Identifier. @throws BadSearch */
export function readOfType(search: string): (element: Element) => boolean {
  const pieces = splitAt(search, '|').map(unescaped);
  const [system = '', code = '', value = ''] = pieces;
  if (pieces.length !== 3 || system === '' || code === '' || value === '')
    throw new BadSearch(`${search}: system|code|value`);
  return ({ value: identifier }) =>
    isObject(identifier) &&
    textOf(identifier['value'])?.toLowerCase() === value.toLowerCase() &&
    codingsOf(identifier['type']).some((coding) => meetsToken(coding, { system, code }));
}

function codingsOf(concept: Json | undefined): Token[] {
  return listOf(concept).flatMap((value) => tokensOf({ type: 'CodeableConcept', system: undefined, value }));
}

/** `:below` of a mime type: the base type whatever its parameters, or all of a kind such as `image`. */
export const isMimeBelow = (stored: string, search: string): boolean =>
  stored === search || stored.replace(/\s*;.*$/, '') === search || stored.replace(/\/.*$/, '') === search;
