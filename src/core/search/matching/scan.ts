import type { Space } from '../../context';
import { decimalText, isJsonObject, type JsonObject, type JsonValue } from '../../fhir/json';
import type { Definitions, SearchParameterDefinition, SearchParameterKind } from '../../fhir/definitions';
import { compilePath, type PathValue } from '../../fhir/path';
import { fold } from '../rows/fold';
import type { IndexRows } from '../rows/index-rows';
import { narrativeText } from '../rows/narrative-text';
import { compileValues } from '../parameters/parameter-values';
import type { Scan, WordCondition } from '../predicate';
import { meetsCriteria } from './row-test';
import { visitTexts } from '../rows/string';
import { meetsWords, patternsOf, wordsOf } from '../values/words';

/** A scan, compiled to a test of resources. */
export interface ScanTest {
  /** Position of the bit in the head that a resource must have to be read; undefined: there is none. */
  readonly ordinal: number | undefined;
  /** Patterns that the JSON text of a passing resource matches; see `patternsOf`. */
  readonly patterns: readonly string[];
  /** Cost: that of evaluating the parameter and folding its texts. */
  passes(resource: JsonObject): boolean;
}

/** Texts that are searched as one. The words of a condition may be in different texts; a phrase must be in one. */
type TextGroup = readonly string[];

/** Makes the index rows of a resource of a space, with those that only scans use (`RowSettings`). */
export type RowMaker = (space: Space, type: string, resource: JsonObject) => IndexRows;

export function compileScan(definitions: Definitions, scan: Scan, makeRows: RowMaker): ScanTest {
  if (scan.kind === 'rows') return compileRows(scan, makeRows);
  if (scan.kind === 'mediaType') return compileMediaType(definitions, scan.parameter, scan.base);
  if (scan.kind !== 'words') return compileText(definitions, scan.parameter, scan.kind, scan.text);
  const { type, texts, secrets = [], condition } = scan;
  if (typeof texts === 'object') return compileParameter(definitions, texts.parameter, condition);
  const textsOf = texts === 'narrative' ? narrativeTexts : allTexts(definitions, type, secrets);
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

/**
 * Tests the whole text, as index rows test its beginning. There is no pattern, because folding may change every letter.
 */
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

/** Each element makes rows as if the resource had no other elements. */
function compileRows(
  { type, element, ordinal, criteria, space }: Extract<Scan, { kind: 'rows' }>,
  makeRows: RowMaker,
): ScanTest {
  if (space === undefined) throw new Error('A scan of rows must be resolved before it runs');
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

/**
 * True when a media type is below `base`: `image/png; q=1` is below itself, `image/png` and `image`
 * (search.html#mimetype).
 */
function isBelow(mediaType: string, base: string): boolean {
  const whole = mediaType.toLowerCase();
  const [bare = ''] = whole.split(';');
  const name = bare.trim();
  return whole === base || name === base || name.startsWith(base.endsWith('/') ? base : `${base}/`);
}

/** Returns each text of a token by itself, and all parts of a string's name or address together. */
function groupsOf(found: PathValue, kind: SearchParameterKind): readonly TextGroup[] {
  const texts: string[] = [];
  if (kind === 'token') {
    visitTextsOfCode(found.value, found.type, (text) => texts.push(text));
    return texts.map((text) => [text]);
  }
  visitTexts(found.value, found.type, false, (text) => texts.push(text));
  return [texts];
}

/** Visits CodeableConcept.text, Coding.display and Identifier.type.text (search.html#token). */
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

const NARRATIVE = 'text';
/** Types whose values are not searchable text. */
const NO_TEXT: ReadonlySet<string> = new Set(['base64Binary', 'boolean']);

/** Returns all primitive values, those of contained resources and extensions included; markup without its tags. */
function allTexts(
  definitions: Definitions,
  type: string,
  secrets: readonly string[],
): (resource: JsonObject) => TextGroup {
  const path = compilePath('descendants()', { definitions, rootType: type });
  const leftOut = new Map<string, Set<string>>();
  for (const secret of secrets) {
    const [holder = '', ...names] = secret.split('.');
    const paths = leftOut.get(holder) ?? new Set([NARRATIVE]);
    leftOut.set(holder, paths.add(names.join('.')));
  }
  return (resource) =>
    path(secrets.length === 0 ? resource : withoutSecrets(resource, leftOut)).flatMap(
      ({ value, type: valueType }) => {
        if (NO_TEXT.has(valueType)) return [];
        if (typeof value === 'number') return [String(value)];
        if (typeof value !== 'string') return [];
        return [valueType === 'xhtml' ? narrativeText(value) : (decimalText(value) ?? value)];
      },
    );
}

/** Returns a copy without some paths of the resources of some types, also of those inside of others. */
function withoutSecrets(resource: JsonObject, leftOut: ReadonlyMap<string, ReadonlySet<string>>): JsonObject {
  const copy = (value: JsonValue, paths: ReadonlySet<string> | undefined, above: string): JsonValue => {
    if (Array.isArray(value)) return value.map((item) => copy(item, paths, above));
    return isJsonObject(value) ? copyObject(value, paths, above) : value;
  };
  const copyObject = (
    object: JsonObject,
    around: ReadonlySet<string> | undefined,
    above: string,
  ): JsonObject => {
    const { resourceType } = object;
    const isResource = typeof resourceType === 'string';
    const paths = isResource ? leftOut.get(resourceType) : around;
    const remaining: JsonObject = {};
    for (const [name, member] of Object.entries(object)) {
      const element = name.startsWith('_') ? name.slice(1) : name;
      const path = isResource || above === '' ? element : `${above}.${element}`;
      if (paths?.has(path) !== true) remaining[name] = copy(member, paths, path);
    }
    return remaining;
  };
  return copyObject(resource, undefined, '');
}

/** An empty string separates the texts, so that no phrase spans two of them. */
function wordsOfGroup(texts: TextGroup): readonly string[] {
  return texts.flatMap((text) => ['', ...wordsOf(text)]);
}
