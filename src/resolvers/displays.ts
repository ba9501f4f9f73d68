/** Texts of codings and of their concepts in a language. */
import {
  fhirError,
  type FoundDisplay,
  isJsonObject,
  type JsonObject,
  parseLanguages,
  translationOf,
} from '../core/index';
import type { GatewayContext } from './context';

/** Longer lists of languages are refused. */
const LONGEST_LANGUAGES = 200;

/**
 * Returns the display of a coding: that of the terminology in the language, else a translation that the resource has, else the stored one,
 * else that of the terminology in whatever language. Throws `invalidValue` for what is no language. Cost: codes of one turn share their
 * statements.
 */
export async function displayOf(
  coding: JsonObject,
  languages: string,
  context: GatewayContext,
): Promise<string | undefined> {
  requireLanguages(languages);
  const found = await load(coding, languages, context);
  return found?.inLanguage ?? storedDisplay(coding, languages) ?? found?.display;
}

/**
 * Returns the text of a CodeableConcept: its translation in the resource, else the display in the language of the first coding that has
 * one, else the stored text, else any display of a coding. What the user chose comes first among the codings. Throws as `displayOf`.
 */
export async function conceptTextOf(
  concept: JsonObject,
  languages: string,
  context: GatewayContext,
): Promise<string | undefined> {
  requireLanguages(languages);
  const translated = translationIn(concept, 'text', languages);
  if (translated !== undefined) return translated;
  const codings = (Array.isArray(concept.coding) ? concept.coding : [])
    .filter(isJsonObject)
    .toSorted((one, other) => Number(other.userSelected === true) - Number(one.userSelected === true));
  const found = await Promise.all(codings.map((coding) => load(coding, languages, context)));
  return (
    firstOf(found, (each) => each?.inLanguage) ??
    firstOf(codings, (coding) => translationIn(coding, 'display', languages)) ??
    textIn(concept, 'text') ??
    firstOf(codings, (coding, index) => textIn(coding, 'display') ?? found[index]?.display)
  );
}

function requireLanguages(languages: string): void {
  if (languages.length <= LONGEST_LANGUAGES && parseLanguages(languages) !== undefined) return;
  const shown = languages.slice(0, 80);
  throw fhirError('invalidValue', {
    reason: `'${shown}' is not a language, nor a list such as de-AT, en;q=0.5`,
  });
}

async function load(
  { system, version, code }: JsonObject,
  languages: string,
  { loaders }: GatewayContext,
): Promise<FoundDisplay | undefined> {
  if (typeof system !== 'string' || typeof code !== 'string') return undefined;
  return loaders.displays.load({
    ...{ system, code, languages },
    version: typeof version === 'string' ? version : undefined,
  });
}

function storedDisplay(coding: JsonObject, languages: string): string | undefined {
  return translationIn(coding, 'display', languages) ?? textIn(coding, 'display');
}

function translationIn(element: JsonObject, name: string, languages: string): string | undefined {
  const companion = element[`_${name}`];
  return isJsonObject(companion) ? translationOf(companion, languages) : undefined;
}

function textIn(element: JsonObject, name: string): string | undefined {
  const text = element[name];
  return typeof text === 'string' ? text : undefined;
}

function firstOf<Item>(
  items: readonly Item[],
  find: (item: Item, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
