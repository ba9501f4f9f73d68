import { unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Modifier } from '../types/search-type';
import { requireType } from '../types/token-codes';
import { allWords, parseWords } from '../values/words';

/** Matches words in one value of a string, with AND, OR and phrases (search.html#text). */
export const stringText: Modifier = {
  predicates({ definitions: { release } }, { stored: { parameter }, name }, value) {
    const condition = parseWords(name, unescapeValue(value));
    const scan = { kind: 'words', release, type: parameter.type, texts: { parameter }, condition } as const;
    return [{ index: 'scan', scan }];
  },
};

/** Types with a text beside the code: CodeableConcept.text, Coding.display, Identifier.type.text. */
const WITH_TEXT: ReadonlySet<string> = new Set([
  'Coding',
  'CodeableConcept',
  'CodeableReference',
  'Identifier',
]);

/**
 * Matches all words of the value, in any order, each as the beginning of a word in one text beside a code
 * (search.html#token).
 */
export const tokenText: Modifier = {
  predicates({ definitions: { release } }, written, value) {
    requireType(written, WITH_TEXT, 'its values have no text beside the code');
    const condition = allWords(written.name, unescapeValue(value));
    const { parameter } = written.stored;
    const scan = { kind: 'words', release, type: parameter.type, texts: { parameter }, condition } as const;
    return [{ index: 'scan', scan }];
  },
};
