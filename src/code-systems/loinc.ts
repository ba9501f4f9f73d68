/** LOINC (https://loinc.org/kb/loinc-file/): the folder of a release. */
import path from 'node:path';
import type { CodeSystemFile, JsonObject } from '../core';
import { readRows, type Row } from './csv';
import { digestOf } from './file-lines';
import { ImportFileError } from './import-file-error';
import { findFile, listRelease, requireFile } from './publisher-files';
import { TextsByCode } from './texts-by-code';

const URL = 'http://loinc.org';

/** Columns of Loinc.csv that become properties of their name (https://terminology.hl7.org/LOINC.html); `?`: not in all releases. */
const PROPERTIES = [
  ...['STATUS', 'COMPONENT', 'PROPERTY', 'TIME_ASPCT', 'SYSTEM', 'SCALE_TYP', 'METHOD_TYP', 'CLASS'],
  ...['CLASSTYPE?', 'ORDER_OBS?', 'EXAMPLE_UCUM_UNITS?', 'VersionFirstReleased?', 'VersionLastChanged?'],
];
/** Columns that become designations, whose use has their name. */
const NAMES = ['SHORTNAME?', 'CONSUMER_NAME?', 'DisplayName?'];
const COLUMNS = [
  ...['LOINC_NUM', 'LONG_COMMON_NAME', ...PROPERTIES, ...NAMES],
  ...['DefinitionDescription?', 'EXTERNAL_COPYRIGHT_NOTICE?'],
];
/** The columns of a translation that together are a name where it has no other. */
const AXES = ['COMPONENT', 'PROPERTY', 'TIME_ASPCT', 'SYSTEM', 'SCALE_TYP', 'METHOD_TYP'];
const TRANSLATED = ['LONG_COMMON_NAME?', 'LinguisticVariantDisplayName?', 'SHORTNAME?'];

/** `deAT24LinguisticVariant.csv`: German of Austria. */
const VARIANT = /^([a-z]{2,3})([A-Z]{2})\d+LinguisticVariant\.csv$/;

interface LoincFiles {
  readonly terms: string;
  readonly hierarchy: string | undefined;
  readonly answers: string | undefined;
  readonly consumerNames: string | undefined;
  readonly variants: readonly string[];
}

/**
 * Reads Loinc.csv and, where they are there, the component hierarchy, whose parts become concepts, the answers, the consumer names and
 * the translations. The version is that of the folder (`Loinc_2.81`), else the newest in which a term has changed.
 * Memory: the hierarchy and translations, some 150 bytes for each translated term: 240 MB for 110,000 terms of which half are translated
 * to 20 languages.
 */
export async function readLoinc(place: string, version: string | undefined): Promise<CodeSystemFile> {
  // The folder of panels repeats files for those who load panels alone.
  const isPart = (file: string): boolean =>
    !/(?:^|[\\/])PanelsAndForms[\\/]/.test(path.relative(place, file));
  const listed = (await listRelease(place)).filter(isPart);
  const variants = listed.filter((file) => VARIANT.test(path.basename(file)));
  const files: LoincFiles = {
    terms: requireFile(listed, /^Loinc\.csv$/i, { place, called: 'Loinc.csv' }),
    hierarchy: findFile(listed, /^(?:ComponentHierarchyBySystem|MultiAxialHierarchy)\.csv$/i),
    answers: findFile(listed, /^AnswerList\.csv$/i),
    consumerNames: findFile(listed, /^ConsumerName\.csv$/i),
    variants,
  };
  const of = version ?? (await versionOf(files.terms));
  const head: JsonObject = {
    ...{ resourceType: 'CodeSystem', url: URL, name: 'LOINC', title: 'LOINC', status: 'active' },
    ...{ content: 'complete', language: 'en-US', caseSensitive: false },
    ...(of === undefined ? {} : { version: of }),
    publisher: 'Regenstrief Institute, Inc.',
    copyright:
      'This material contains content from LOINC (http://loinc.org). LOINC is copyright © Regenstrief Institute, Inc. and the Logical ' +
      'Observation Identifiers Names and Codes (LOINC) Committee and is available at no cost under the license at http://loinc.org/license.',
    valueSet: `${URL}/vs`,
    hierarchyMeaning: 'is-a',
    property: [
      { code: 'parent', uri: 'http://hl7.org/fhir/concept-properties#parent', type: 'code' },
      { code: 'inactive', uri: 'http://hl7.org/fhir/concept-properties#inactive', type: 'boolean' },
      ...PROPERTIES.map((name) => ({ code: nameOf(name), type: 'string' })),
      { code: 'copyright', description: 'LOINC or 3rdParty', type: 'string' },
    ],
  };
  const read = [files.terms, files.hierarchy, files.answers, files.consumerNames, ...variants].filter(
    (file) => file !== undefined,
  );
  let joined: Promise<TextsByCode> | undefined;
  return {
    head,
    digest: await digestOf(read, 'loinc-1', of ?? '', ...variants.map((file) => path.basename(file))),
    async *concepts() {
      yield* readConcepts(files, await (joined ??= join(files)));
    },
  };
}

async function versionOf(terms: string): Promise<string | undefined> {
  const named = /loinc[_-]?v?(\d+\.\d+)/i.exec(
    path.resolve(terms).split(path.sep).toReversed().join('/'),
  )?.[1];
  if (named !== undefined) return named;
  let newest: string | undefined;
  for await (const row of readRows(terms, ['VersionLastChanged?'])) {
    const changed = row['VersionLastChanged'] ?? '';
    if (/^\d+\.\d+/.test(changed) && isNewer(changed, newest)) newest = changed;
  }
  return newest;
}

function isNewer(version: string, than: string | undefined): boolean {
  if (than === undefined) return true;
  const [one, other] = [version, than].map((text) => text.split('.').map(Number));
  const [major = 0, minor = 0] = one ?? [];
  const [otherMajor = 0, otherMinor = 0] = other ?? [];
  return major > otherMajor || (major === otherMajor && minor > otherMinor);
}

/** A column without what says that it may lack. */
const nameOf = (column: string): string => column.replace('?', '');

const FIELD = '\t';
/** Kinds of joined texts: a part or answer with its display, a parent, a consumer name, and a language with the long and short name. */
const [PART, ANSWER, PARENT, CONSUMER_NAME, TRANSLATION] = ['P', 'A', 'U', 'C', 'T'];

/** Joins what other files say about codes. Parts come first, in the order of the hierarchy. */
async function join({ hierarchy, answers, consumerNames, variants }: LoincFiles): Promise<TextsByCode> {
  const texts = new TextsByCode();
  if (hierarchy !== undefined) {
    for await (const row of readRows(hierarchy, ['IMMEDIATE_PARENT', 'CODE', 'CODE_TEXT'])) {
      const { IMMEDIATE_PARENT: parent = '', CODE: code = '', CODE_TEXT: text = '' } = row;
      if (code === '') throw new ImportFileError(`${hierarchy}: a row has no CODE`);
      const number = texts.number(code);
      if (/^LP/i.test(code)) texts.add(number, [PART, text].join(FIELD));
      if (parent !== '') texts.add(number, [PARENT, parent].join(FIELD));
    }
  }
  if (answers !== undefined) {
    for await (const { AnswerStringId: code = '', DisplayText: text = '' } of readRows(answers, [
      ...['AnswerStringId', 'DisplayText'],
    ]))
      if (code !== '') texts.add(texts.number(code), [ANSWER, text].join(FIELD));
  }
  if (consumerNames !== undefined) {
    for await (const { LoincNumber: code = '', ConsumerName: text = '' } of readRows(consumerNames, [
      ...['LoincNumber', 'ConsumerName'],
    ]))
      if (code !== '' && text !== '') texts.add(texts.number(code), [CONSUMER_NAME, text].join(FIELD));
  }
  for (const variant of variants) {
    const [, language = '', country = ''] = VARIANT.exec(path.basename(variant)) ?? [];
    for await (const row of readRows(variant, [
      'LOINC_NUM',
      ...TRANSLATED,
      ...AXES.map((each) => `${each}?`),
    ]))
      addTranslation(texts, row, `${language}-${country}`);
  }
  return texts;
}

function addTranslation(texts: TextsByCode, row: Row, language: string): void {
  const { LOINC_NUM: code = '', SHORTNAME: short = '' } = row;
  if (code === '') return;
  const number = texts.number(code);
  const axes = AXES.map((each) => row[each] ?? '');
  const composed = axes.every((each) => each === '') ? '' : axes.join(':').replace(/:+$/, '');
  const long = [row['LONG_COMMON_NAME'], row['LinguisticVariantDisplayName'], composed].find(
    (text) => text !== undefined && text !== '',
  );
  texts.add(number, [TRANSLATION, language, long ?? '', short].join(FIELD));
}

/** Parts and answers first, then the terms in the order of their file. */
async function* readConcepts({ terms }: LoincFiles, texts: TextsByCode): AsyncGenerator<JsonObject> {
  for (let number = 0; number < texts.size; number++) {
    const own = texts.textsOf(number).map((text) => text.split(FIELD));
    const [kind, display = ''] = own.find(([each]) => each === PART || each === ANSWER) ?? [];
    if (kind === undefined) continue;
    const property = parentsOf(own);
    yield {
      ...{ code: texts.codeOf(number), display: display === '' ? texts.codeOf(number) : display },
      ...(property.length === 0 ? {} : { property }),
    };
  }
  let count = 0;
  for await (const row of readRows(terms, COLUMNS)) {
    count++;
    if (row['LOINC_NUM'] === '') throw new ImportFileError(`${terms}: the term ${count} has no LOINC_NUM`);
    yield toConcept(row, texts);
  }
}

/** Returns the parents as properties, each once: a code is in the hierarchy once for each of them. */
function parentsOf(texts: readonly (readonly string[])[]): JsonObject[] {
  const parents = texts.flatMap(([kind, parent = '']) => (kind === PARENT ? [parent] : []));
  return [...new Set(parents)].map((valueCode) => ({ code: 'parent', valueCode }));
}

function toConcept(row: Row, texts: TextsByCode): JsonObject {
  const {
    LOINC_NUM: code = '',
    LONG_COMMON_NAME: display = '',
    DefinitionDescription: definition = '',
  } = row;
  const number = texts.find(code);
  const own = number === undefined ? [] : texts.textsOf(number).map((text) => text.split(FIELD));
  const designation = NAMES.map(nameOf)
    .filter((name) => (row[name] ?? '') !== '')
    .map((name) => toDesignation('en-US', name, row[name] ?? ''));
  for (const [kind, text = '', long = '', short = ''] of own) {
    if (kind === CONSUMER_NAME && (row['CONSUMER_NAME'] ?? '') === '')
      designation.push(toDesignation('en-US', 'CONSUMER_NAME', text));
    if (kind === TRANSLATION && long !== '') designation.push(toDesignation(text, '', long));
    if (kind === TRANSLATION && short !== '') designation.push(toDesignation(text, 'SHORTNAME', short));
  }
  const property = parentsOf(own);
  if (row['STATUS'] === 'DEPRECATED') property.push({ code: 'inactive', valueBoolean: true });
  for (const name of PROPERTIES.map(nameOf)) {
    const value = row[name] ?? '';
    if (value !== '') property.push({ code: name, valueString: value });
  }
  const isForeign = (row['EXTERNAL_COPYRIGHT_NOTICE'] ?? '') !== '';
  property.push({ code: 'copyright', valueString: isForeign ? '3rdParty' : 'LOINC' });
  return {
    ...{ code, display: display === '' ? code : display },
    ...(definition === '' ? {} : { definition }),
    ...(designation.length === 0 ? {} : { designation }),
    property,
  };
}

const toDesignation = (language: string, use: string, value: string): JsonObject => ({
  language,
  ...(use === '' ? {} : { use: { system: URL, code: use } }),
  value,
});
