/** Translations that a resource itself has of a text (https://hl7.org/fhir/R4/extension-translation.html). */
import { type JsonObject } from '../json';
import { isLanguage } from './display';
import { parseLanguages } from './languages';
import { choiceMember, objectsMember, stringMember } from './members';

const TRANSLATION = 'http://hl7.org/fhir/StructureDefinition/translation';

/** Returns the translation into the first language of a list that there is. `companion`: the member `_name` of the text. */
export function translationOf(companion: JsonObject, languages: string): string | undefined {
  const translations = objectsMember(companion, 'extension')
    .filter((extension) => stringMember(extension, 'url') === TRANSLATION)
    .map((extension) => {
      const parts = new Map(
        objectsMember(extension, 'extension').map((part) => [
          stringMember(part, 'url'),
          choiceMember(part)?.[1],
        ]),
      );
      return { language: parts.get('lang'), content: parts.get('content') };
    });
  for (const wanted of parseLanguages(languages) ?? []) {
    const found = translations.find(
      ({ language }) => typeof language === 'string' && isLanguage(language, wanted),
    );
    if (typeof found?.content === 'string') return found.content;
  }
  return undefined;
}
