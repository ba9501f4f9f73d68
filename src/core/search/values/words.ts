/**
 * Word searches: parses a client's condition, and tests texts against it. Words are those of the folded text, so that
 * case, accents and punctuation make no difference.
 * Source: https://hl7.org/fhir/R4/search.html#text
 */
import { fhirError } from '../../errors';
import { fold } from '../rows/fold';
import type { WordCondition } from '../predicate';

/** Returns the words of a text. Cost: that of folding it. */
export function wordsOf(text: string): readonly string[] {
  const folded = fold(text);
  return folded === '' ? [] : folded.split(' ');
}

/** Limit on nested parentheses. */
const MAX_DEPTH = 20;
/** Limit on words, each of which is searched in each text. */
const MAX_WORDS = 50;

/**
 * Returns the condition of all words of the text, in any order. Throws invalidParameterValue when there is none, or too
 * many.
 */
export function allWords(parameter: string, text: string): WordCondition {
  const words = [...new Set(wordsOf(text))];
  const condition = together(
    'all',
    words.map((word) => ({ kind: 'word', word })),
  );
  return required(parameter, text, words.length > MAX_WORDS ? TOO_MANY : condition);
}

/**
 * Parses words with AND and OR in any case, parentheses, and phrases in quotation marks. Adjacent words mean AND; AND
 * binds closer than OR. Throws invalidParameterValue.
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

/** Returns the condition; throws invalidParameterValue if there is none. A text gives the reason. */
function required(
  parameter: string,
  text: string,
  condition: WordCondition | string | undefined,
): WordCondition {
  if (typeof condition === 'object') return condition;
  const reason = condition ?? 'there is no word in it';
  throw fhirError('invalidParameterValue', { parameter, value: text.slice(0, 80), reason });
}

/** Parses an expression; undefined: it has no word. Throws a RangeError with the reason. */
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

/** True when the words of a text meet the condition. Cost: a pass over the words for each word of the condition. */
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

/** The last word of a phrase matches all words that begin with it. */
function standsAt(words: readonly string[], start: number, phrase: readonly string[]): boolean {
  const last = phrase.length - 1;
  return phrase.every((part, index) => {
    const word = words[start + index];
    return index === last ? word?.startsWith(part) === true : word === part;
  });
}

/**
 * Returns PostgreSQL regular expressions for case-insensitive matching. The JSON text of a resource matches each of
 * them if any text in it meets the condition: the filter may pass too much, never too little. `inMarkup`: the text is
 * XHTML, so that tags may be inside a word, and character references may replace any character.
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

/** More patterns would cost more than they exclude. */
const MAX_PATTERNS = 3;

/**
 * Returns words of which a text must have one; among words that are all required, it chooses the most selective ones.
 */
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

/** Characters that folding drops inside a word; inside markup they may be written as references. */
const DROPPED = `['"\`.!?\\\\\\x7f]`;
const DROPPED_IN_MARKUP = `(?:${DROPPED}|<[^<]*>|&quot;|&apos;)`;
/** Symbols that are references in markup; an ampersand is never part of a word. */
const REFERENCES: Readonly<Record<string, string>> = { '<': '(?:<|&lt;)', '>': '(?:>|&gt;)' };
/** A text with non-ASCII characters, or with escapes that may hide characters, always matches. */
const UNDECIDED = ['[^\\x01-\\x7f]', '\\\\u', '\\\\b'];
const UNDECIDED_IN_MARKUP = [...UNDECIDED, '&#', '<!--'];

/** Limit on the letters of a pattern, because PostgreSQL rejects expressions that are too complex. */
const MAX_LETTERS = 200;
const MAX_WORD_LETTERS = 20;

/** Returns a pattern of the beginning of any of the words, letter by letter, or of text that may hide any character. */
function patternOf(words: readonly string[], inMarkup: boolean): string {
  const length = Math.min(MAX_WORD_LETTERS, Math.ceil(MAX_LETTERS / words.length));
  const between = `${inMarkup ? DROPPED_IN_MARKUP : DROPPED}*`;
  const letterPattern = (letter: string): string =>
    (inMarkup ? REFERENCES[letter] : undefined) ?? letter.replace(/[^a-z0-9]/, '\\$&');
  const alternatives = words
    .filter((word) => /^[\x21-\x7e]+$/.test(word))
    .map((word) => [...word.slice(0, length)].map(letterPattern).join(between));
  return [...alternatives, ...(inMarkup ? UNDECIDED_IN_MARKUP : UNDECIDED)].join('|');
}
