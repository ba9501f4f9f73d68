/**
 * Searches for words: what a client wrote as a condition, and what a text must be to meet it. Words are those of the
 * folded text, so that case, accents and punctuation make no difference.
 * Source: https://hl7.org/fhir/R4/search.html#text
 */
import { fhirError } from '../errors';
import { fold } from './fold';
import type { WordCondition } from './predicate';

/** The words of a text. Cost: that of folding it. */
export function wordsOf(text: string): readonly string[] {
  const folded = fold(text);
  return folded === '' ? [] : folded.split(' ');
}

/** Deeper nested parentheses are a mistake. */
const MAX_DEPTH = 20;
/** Each is looked for in each text. */
const MAX_WORDS = 50;

/** All words of the text, in any order. Throws invalidParameterValue when there is none, or too many. */
export function allWords(parameter: string, text: string): WordCondition {
  const words = [...new Set(wordsOf(text))];
  const condition = together(
    'all',
    words.map((word) => ({ kind: 'word', word })),
  );
  return required(parameter, text, words.length > MAX_WORDS ? TOO_MANY : condition);
}

/**
 * Words with AND and OR in any case, parentheses, and phrases in quotation marks; words that stand side by side are
 * meant together, AND binds closer than OR. Throws invalidParameterValue.
 */
export function parseWords(parameter: string, text: string): WordCondition {
  try {
    return required(parameter, text, parseExpression(text));
  } catch (error) {
    if (error instanceof RangeError) return required(parameter, text, error.message);
    throw error;
  }
}

const TOO_MANY = `at most ${MAX_WORDS} words can be searched for at once`;

/** The condition; a text instead of one says what is wrong. */
function required(
  parameter: string,
  text: string,
  condition: WordCondition | string | undefined,
): WordCondition {
  if (typeof condition === 'object') return condition;
  const reason = condition ?? 'there is no word in it';
  throw fhirError('invalidParameterValue', { parameter, value: text.slice(0, 80), reason });
}

/** Undefined: there is no word. Throws a RangeError that says what is wrong. */
function parseExpression(text: string): WordCondition | undefined {
  const tokens = text.match(/[()]|"[^"]*"?|[^\s()"]+/g) ?? [];
  let at = 0;
  let words = 0;
  const isOperator = (token: string | undefined, operator: string): boolean =>
    token?.toLowerCase() === operator;

  const parseAny = (depth: number): WordCondition | undefined => {
    const branches = [parseAll(depth)];
    while (isOperator(tokens[at], 'or')) {
      at++;
      branches.push(parseAll(depth));
    }
    return together(
      'any',
      branches.filter((branch) => branch !== undefined),
    );
  };
  const parseAll = (depth: number): WordCondition | undefined => {
    const members: WordCondition[] = [];
    for (let token = tokens[at]; token !== undefined && token !== ')'; token = tokens[at]) {
      if (isOperator(token, 'or')) break;
      at++;
      if (isOperator(token, 'and')) continue;
      const member = token === '(' ? parseInner(depth) : parseText(token);
      if (member !== undefined) members.push(member);
    }
    return together('all', members);
  };
  const parseInner = (depth: number): WordCondition | undefined => {
    if (depth >= MAX_DEPTH) throw new RangeError(`parentheses may be nested ${MAX_DEPTH} deep`);
    const inner = parseAny(depth + 1);
    if (tokens[at++] !== ')') throw new RangeError('a parenthesis is not closed');
    return inner;
  };
  const parseText = (token: string): WordCondition | undefined => {
    const isPhrase = token.startsWith('"');
    if (isPhrase && (token.length === 1 || !token.endsWith('"')))
      throw new RangeError('a quotation mark is not closed');
    const parts = wordsOf(token);
    words += parts.length;
    if (words > MAX_WORDS) throw new RangeError(TOO_MANY);
    if (isPhrase && parts.length > 1) return { kind: 'phrase', words: parts };
    return together(
      'all',
      parts.map((word) => ({ kind: 'word', word })),
    );
  };

  const condition = parseAny(0);
  if (at < tokens.length) throw new RangeError('a parenthesis is closed that was not opened');
  return condition;
}

function together(kind: 'all' | 'any', of: readonly WordCondition[]): WordCondition | undefined {
  return of.length > 1 ? { kind, of } : of[0];
}

/** True when the words of a text meet the condition. Cost: the words, for each word of the condition. */
export function meetsWords(words: readonly string[], condition: WordCondition): boolean {
  switch (condition.kind) {
    case 'word':
      return words.some((word) => word.startsWith(condition.word));
    case 'phrase':
      return words.some((_word, start) => standsAt(words, start, condition.words));
    case 'all':
      return condition.of.every((member) => meetsWords(words, member));
    case 'any':
      return condition.of.some((member) => meetsWords(words, member));
  }
}

/** The last word of a phrase stands for all that begin with it. */
function standsAt(words: readonly string[], start: number, phrase: readonly string[]): boolean {
  const last = phrase.length - 1;
  return phrase.every((part, index) => {
    const word = words[start + index];
    return index === last ? word?.startsWith(part) === true : word === part;
  });
}

/**
 * PostgreSQL regular expressions, to be matched without regard to case, each of which the JSON text of a resource matches
 * if any text in it meets the condition: a filter that lets too much through, never too little. `inMarkup`: the text is
 * XHTML, so that tags may stand inside a word, and references to characters for any of them.
 */
export function patternsOf(condition: WordCondition, inMarkup: boolean): readonly string[] {
  switch (condition.kind) {
    case 'word':
      return [patternOf([condition.word], inMarkup)];
    case 'phrase':
      return [patternOf(alternativesOf(condition), inMarkup)];
    case 'all':
      return condition.of.flatMap((member) => patternsOf(member, inMarkup)).slice(0, MAX_PATTERNS);
    case 'any':
      return [patternOf(alternativesOf(condition), inMarkup)];
  }
}

/** Further ones would cost more than they keep back. */
const MAX_PATTERNS = 3;

/** Words of which one must be there: of what must all be there, the ones that most texts will lack. */
function alternativesOf(condition: WordCondition): readonly string[] {
  switch (condition.kind) {
    case 'word':
      return [condition.word];
    case 'phrase':
      return longest(condition.words.map((word) => [word]));
    case 'all':
      return longest(condition.of.map(alternativesOf));
    case 'any':
      return condition.of.flatMap(alternativesOf);
  }
}

function longest(sets: readonly (readonly string[])[]): readonly string[] {
  const shortestOf = (words: readonly string[]): number => Math.min(...words.map(({ length }) => length));
  return sets.reduce((best, words) => (shortestOf(words) > shortestOf(best) ? words : best));
}

/** What folding drops inside a word; inside markup it may be written as a reference. */
const DROPPED = `['"\`.!?\\\\\\x7f]`;
const DROPPED_IN_MARKUP = `(?:${DROPPED}|<[^<]*>|&quot;|&apos;)`;
/** Symbols that must be references in markup; an ampersand is never part of a word. */
const REFERENCES: Readonly<Record<string, string>> = { '<': '(?:<|&lt;)', '>': '(?:>|&gt;)' };
/** A text with other than ASCII characters, or with escapes that hide some, is always looked at. */
const UNTOLD = ['[^\\x01-\\x7f]', '\\\\u', '\\\\b'];
const UNTOLD_IN_MARKUP = [...UNTOLD, '&#', '<!--'];

/** Letters that a pattern is made of: PostgreSQL refuses expressions that are too complex. */
const MAX_LETTERS = 200;
const MAX_WORD_LETTERS = 20;

/** The beginning of any of the words, letter by letter, or something that may stand for any. */
function patternOf(words: readonly string[], inMarkup: boolean): string {
  const length = Math.min(MAX_WORD_LETTERS, Math.ceil(MAX_LETTERS / words.length));
  const between = `${inMarkup ? DROPPED_IN_MARKUP : DROPPED}*`;
  const letterPattern = (letter: string): string =>
    (inMarkup ? REFERENCES[letter] : undefined) ?? letter.replace(/[^a-z0-9]/, '\\$&');
  const alternatives = words
    .filter((word) => /^[\x21-\x7e]+$/.test(word))
    .map((word) => [...word.slice(0, length)].map(letterPattern).join(between));
  return [...alternatives, ...(inMarkup ? UNTOLD_IN_MARKUP : UNTOLD)].join('|');
}
