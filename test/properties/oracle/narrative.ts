/** `_text` and `_content`: words of the narrative, and of the whole resource. */
import { isObject, listOf, textOf, type Json, type JsonObject } from './json';
import { alternativesOf, unescaped } from './query-text';
import type { Predicate } from './space';
import { readWords, wordsOf } from './words';

/** Made-up words that occur only where the generators put them; none is the beginning of another. */
export const WORDS = ['zorbal', 'quimble', 'fröstelig', 'vexwort'];

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Tags inside words; all others separate them. */
const INSIDE_WORDS = /<\/?(?:b|i|a|span|em|strong)\b[^>]*>/g;

/** The text of the narrative for a reader. */
const readableText = (html: string): string =>
  html
    .replace(INSIDE_WORDS, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(\w+);/g, (all, name: string) => ENTITIES[name] ?? all);

const narrativeOf = (resource: JsonObject): string[] =>
  listOf(resource['text'])
    .filter(isObject)
    .flatMap((text) => textOf(text['div']) ?? [])
    .map(readableText);

/** Every text in a resource, with the text of the narrative. */
function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return listOf(value).flatMap(textsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'div' ? listOf(member).flatMap((text) => readableText(textOf(text) ?? '')) : textsIn(member),
  );
}

/** @param name `_text` or `_content` @throws BadSearch where no word is left */
export function wordsPredicate(name: string, text: string): Predicate {
  const tests = alternativesOf(text).map((alternative) => readWords(unescaped(alternative)));
  return ({ resource }) => {
    const texts = name === '_text' ? narrativeOf(resource) : textsIn(resource);
    const words = texts.map(wordsOf);
    return tests.some((test) => test(words));
  };
}
