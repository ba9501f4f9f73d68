/** Random `_text` and `_content`: words that no other word begins with, so that every way to cut words agrees. */
import { WORDS } from './narrative';
import type { Criterion, QueryMaker } from './query-maker';

export function makeWordCriterion({ random, isOn }: QueryMaker): Criterion[] {
  const names = (['text', 'content'] as const).filter((feature) => isOn(feature));
  if (names.length === 0 || !random.chance(0.04)) return [];
  const words = random.several([...WORDS, 'xyzzy'], random.chance(0.3) ? 2 : 1);
  const value = words.map((word) => (random.chance(0.3) ? word.toUpperCase() : word)).join(',');
  return [{ name: `_${random.pick(names)}`, value }];
}
