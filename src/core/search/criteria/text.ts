import { splitUnescaped, unescapeValue } from '../../../../packages/fhir-values/search-value';
import { parseWords } from '../values/words';
import type { SpecialParameter } from './special';

/** `_text`: words of the narrative; `_content`: words of the whole resource (search.html#text, #content). */
function wordsParameter(texts: 'narrative' | 'content'): SpecialParameter {
  return {
    modifiers: [],
    criterion({ definitions: { release }, secrets = [] }, { type, name, value }) {
      return {
        name,
        anyOf: splitUnescaped(value, ',').map((part) => {
          const condition = parseWords(name, unescapeValue(part));
          return { index: 'scan', scan: { kind: 'words', release, type, texts, secrets, condition } };
        }),
      };
    },
  };
}

export const textParameter = wordsParameter('narrative');
export const contentParameter = wordsParameter('content');
