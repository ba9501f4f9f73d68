/** Lists of languages as clients ask for them (RFC 9110, section 12.5.4): `de-AT, de;q=0.9, en;q=0.5`. */
import { createCache } from '../../memory/create-cache';

const TAG = /^(?:\*|[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)$/;
const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
/** Lists that were read, by their texts. */
const MOST_LISTS = 1_000;

const lists = createCache<string, readonly string[]>({
  ...{ name: 'language-lists', scope: 'program', max: MOST_LISTS },
});

/** Returns the languages of a list, the most wanted first; undefined: it is none. */
export function parseLanguages(text: string): readonly string[] | undefined {
  const known = lists.get(text);
  if (known !== undefined) return known;
  const found: { readonly tag: string; readonly weight: number }[] = [];
  for (const each of text.split(',')) {
    const [tag = '', ...rest] = each.split(';').map((part) => part.trim());
    const [quality] = rest;
    const weight = quality === undefined ? '1' : QUALITY.exec(quality)?.[1];
    if (!TAG.test(tag) || weight === undefined || rest.length > 1) return undefined;
    found.push({ tag, weight: Number(weight) });
  }
  const languages = found
    .filter(({ tag, weight }) => weight > 0 && tag !== '*')
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
  lists.set(text, languages);
  return languages;
}
