import type { Space } from '../context';
import { decimalText, isJsonObject, type JsonObject, type JsonValue } from '../fhir/json';
import type { Definitions, SearchParameterDefinition, SearchParameterKind } from '../fhir/definitions';
import { compilePath, type PathValue } from '../fhir/path';
import { fold } from './fold';
import type { IndexRows } from './index-rows';
import { narrativeText } from './narrative-text';
import { compileValues } from './parameter-values';
import type { Scan, WordCondition } from './predicate';
import { meetsCriteria } from './row-test';
import { visitTexts } from './rows/string';
import { meetsWords, patternsOf, wordsOf } from './words';

/** A scan made ready to test resources. */
export interface ScanTest {
  /** Position of the bit in a resource's head without which it need not be read; undefined: there is none. */
  readonly ordinal: number | undefined;
  /** What the JSON text of a resource that passes matches; see `patternsOf`. */
  readonly patterns: readonly string[];
  /** Cost: that of evaluating the parameter and folding its texts. */
  passes(resource: JsonObject): boolean;
}

/** Texts that are searched as one: words of the condition may stand in different ones of them, phrases may not. */
type TextGroup = readonly string[];

/** Makes the index rows of a resource of a space, with those that only scans ask for (`RowSettings`). */
export type RowMaker = (space: Space, type: string, resource: JsonObject) => IndexRows;

export function compileScan(definitions: Definitions, scan: Scan, makeRows: RowMaker): ScanTest {
  if (scan.kind === 'rows') return compileRows(scan, makeRows);
  if (scan.kind === 'mediaType') return compileMediaType(definitions, scan.parameter, scan.base);
  if (scan.kind !== 'words') return compileText(definitions, scan.parameter, scan.kind, scan.text);
  const { type, texts, condition } = scan;
  if (typeof texts === 'object') return compileParameter(definitions, texts.parameter, condition);
  const textsOf = texts === 'narrative' ? narrativeTexts : allTexts(definitions, type);
  return {
    ordinal: undefined,
    patterns: patternsOf(condition, true),
    passes: (resource) => meetsWords(wordsOfGroup(textsOf(resource)), condition),
  };
}

function compileParameter(
  definitions: Definitions,
  parameter: SearchParameterDefinition,
  condition: WordCondition,
): ScanTest {
  const { kind, ordinal } = parameter;
  const valuesOf = compileValues(definitions, parameter);
  return {
    ordinal,
    patterns: patternsOf(condition, false),
    passes: (resource) =>
      valuesOf(resource).some((found) =>
        groupsOf(found, kind).some((group) => meetsWords(wordsOfGroup(group), condition)),
      ),
  };
}

/** What index rows say of a text's beginning, of the whole text. No pattern: folding may have changed every letter. */
function compileText(
  definitions: Definitions,
  parameter: SearchParameterDefinition,
  kind: 'beginning' | 'part',
  text: string,
): ScanTest {
  const valuesOf = compileValues(definitions, parameter);
  const meets = (value: string): boolean =>
    kind === 'beginning' ? fold(value).startsWith(text) : fold(value).includes(text);
  return {
    ordinal: parameter.ordinal,
    patterns: [],
    passes: (resource) =>
      valuesOf(resource).some(({ value, type }) => {
        let isMet = false;
        visitTexts(value, type, false, (one) => (isMet ||= meets(one)));
        return isMet;
      }),
  };
}

/** Each element makes rows as if the resource had no other. */
function compileRows(
  { type, element, ordinal, criteria, space }: Extract<Scan, { kind: 'rows' }>,
  makeRows: RowMaker,
): ScanTest {
  if (space === undefined) throw new Error('A scan of rows is to be resolved before it runs');
  const meets = (resource: JsonObject): boolean => meetsCriteria(criteria, makeRows(space, type, resource));
  if (element === undefined) return { ordinal, patterns: [], passes: meets };
  return {
    ordinal,
    patterns: [`"${element}"`],
    passes(resource) {
      const elements = resource[element];
      if (!Array.isArray(elements)) return false;
      return elements.some((one) => meets({ resourceType: type, [element]: [one] }));
    },
  };
}

function compileMediaType(
  definitions: Definitions,
  parameter: SearchParameterDefinition,
  base: string,
): ScanTest {
  const valuesOf = compileValues(definitions, parameter);
  return {
    ordinal: parameter.ordinal,
    patterns: patternsOf({ kind: 'word', word: base.replace(/\/.*/, '') }, false),
    passes: (resource) =>
      valuesOf(resource).some(({ value }) => typeof value === 'string' && isBelow(value, base)),
  };
}

/** `image/png; q=1` is below itself, `image/png` and `image` (search.html#mimetype). */
function isBelow(mediaType: string, base: string): boolean {
  const whole = mediaType.toLowerCase();
  const [bare = ''] = whole.split(';');
  const name = bare.trim();
  return whole === base || name === base || name.startsWith(base.endsWith('/') ? base : `${base}/`);
}

/** Of a token each text by itself, of a string all parts of a name or an address together. */
function groupsOf(found: PathValue, kind: SearchParameterKind): readonly TextGroup[] {
  const texts: string[] = [];
  if (kind === 'token') {
    visitTextsOfCode(found.value, found.type, (text) => texts.push(text));
    return texts.map((text) => [text]);
  }
  visitTexts(found.value, found.type, false, (text) => texts.push(text));
  return [texts];
}

/** CodeableConcept.text, Coding.display, Identifier.type.text (search.html#token). */
function visitTextsOfCode(value: JsonValue, type: string, visit: (text: string) => void): void {
  if (!isJsonObject(value)) return;
  const visitText = (text: JsonValue | undefined): void => {
    if (typeof text === 'string') visit(text);
  };
  if (type === 'Coding') visitText(value['display']);
  else if (type === 'Identifier') {
    const identifierType = value['type'];
    if (isJsonObject(identifierType)) visitText(identifierType['text']);
  } else if (type === 'CodeableReference')
    visitTextsOfCode(value['concept'] ?? null, 'CodeableConcept', visit);
  else if (type === 'CodeableConcept') {
    visitText(value['text']);
    const codings = value['coding'];
    if (Array.isArray(codings)) for (const coding of codings) visitTextsOfCode(coding, 'Coding', visit);
  }
}

function narrativeTexts(resource: JsonObject): TextGroup {
  const text = resource['text'];
  const div = isJsonObject(text) ? text['div'] : undefined;
  return typeof div === 'string' ? [narrativeText(div)] : [];
}

/** Types whose values are no text that somebody would search for. */
const NO_TEXT: ReadonlySet<string> = new Set(['base64Binary', 'boolean']);

/** All primitive values, contained resources and extensions among them; markup without its tags. */
function allTexts(definitions: Definitions, type: string): (resource: JsonObject) => TextGroup {
  const path = compilePath('descendants()', { definitions, rootType: type });
  return (resource) =>
    path(resource).flatMap(({ value, type: valueType }) => {
      if (NO_TEXT.has(valueType)) return [];
      if (typeof value === 'number') return [String(value)];
      if (typeof value !== 'string') return [];
      return [valueType === 'xhtml' ? narrativeText(value) : (decimalText(value) ?? value)];
    });
}

/** Something that is no word stands between the texts, so that no phrase goes from one into the next. */
function wordsOfGroup(texts: TextGroup): readonly string[] {
  return texts.flatMap((text) => ['', ...wordsOf(text)]);
}
