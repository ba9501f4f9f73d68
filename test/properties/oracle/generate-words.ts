/** Random searches for words. */
import { WORDS } from './narrative';
import type { Criterion, QueryMaker } from './query-maker';
import { escaped } from './query-text';
import type { Random } from './random';
import { wordsOf } from './words';

/** Words that are in the texts, their beginnings, and what joins them. @param texts at least one */
export function makeWords(random: Random, texts: readonly string[]): string {
  const words = texts.flatMap(wordsOf).filter((word) => word.length < 50 && !/^(and|or)$/.test(word));
  const one = (): string => {
    const word = words.length > 0 ? random.pick(words) : 'none';
    return random.chance(0.4) ? word.slice(0, 1 + random.below(word.length)) : word;
  };
  const form = random.below(8);
  if (form === 0) return `${one()} ${one()}`;
  if (form === 1) return `${one()} ${random.pick(['AND', 'and'])} ${one()}`;
  if (form === 2) return `${one()} ${random.pick(['OR', 'or'])} ${one()}`;
  if (form === 3) return `(${one()} OR ${one()}) and ${one()}`;
  if (form === 4) return `${one()} or ${one()} ${one()}`;
  if (form === 5 && texts[0] !== undefined) return `"${escaped(wordsOf(texts[0]).slice(0, 2).join(' '))}"`;
  return random.chance(0.3) ? one().toUpperCase() : one();
}

/** `_text` and `_content`, with words that occur only where the generators put them. */
export function makeWordCriterion({ random, isOn }: QueryMaker): Criterion[] {
  const names = (['text', 'content'] as const).filter((feature) => isOn(feature));
  if (names.length === 0 || !random.chance(0.04)) return [];
  const texts = random.pick([WORDS, [...WORDS, 'xyzzy']]);
  const single = texts.map((word) => (random.chance(0.3) ? word.toUpperCase() : word));
  const values = Array.from({ length: random.chance(0.2) ? 2 : 1 }, () => makeWords(random, single));
  return [{ name: `_${random.pick(names)}`, value: values.join(',') }];
}
