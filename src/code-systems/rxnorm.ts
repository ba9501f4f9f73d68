/** RxNorm (https://www.nlm.nih.gov/research/umls/rxnorm/docs/techdoc.html): the folder `rrf` of a release. */
import path from 'node:path';
import type { CodeSystemFile, JsonObject } from '../core';
import { digestOf, readFields } from './file-lines';
import { ImportFileError } from './import-file-error';
import { findFile, listRelease, requireFile } from './publisher-files';
import { TextsByCode } from './texts-by-code';

/** Term types that say a name again, in the order in which they are a display where a concept has no other. */
const OTHER_NAMES = ['PSN', 'SY', 'TMSY', 'ET'];

interface RxNormFiles {
  readonly concepts: string;
  readonly relations: string | undefined;
  readonly attributes: string | undefined;
  readonly types: string | undefined;
}

/**
 * Reads RXNCONSO.RRF and, where they are there, RXNREL, RXNSAT and RXNSTY: the concepts that RxNorm itself names (SAB=RXNORM).
 * The version is the date of the release as its files are named (`07062026`), of RXNSAB.RRF or of the folder.
 * Memory: names, relations and attributes of RxNorm, 250 MB for 400,000 concepts with 4 relations and 2 attributes each.
 * https://terminology.hl7.org/RxNorm.html
 */
export async function readRxNorm(place: string, version: string | undefined): Promise<CodeSystemFile> {
  const all = await listRelease(place);
  // A full release has the prescribable content beside it, in a folder of its own.
  const isPart = (file: string): boolean => !/(?:^|[\\/])prescribe[\\/]/.test(path.relative(place, file));
  const listed = all.filter(isPart);
  const files: RxNormFiles = {
    concepts: requireFile(listed, /^RXNCONSO\.RRF$/i, { place, called: 'RXNCONSO.RRF' }),
    relations: findFile(listed, /^RXNREL\.RRF$/i),
    attributes: findFile(listed, /^RXNSAT\.RRF$/i),
    types: findFile(listed, /^RXNSTY\.RRF$/i),
  };
  const of = version ?? (await versionOf(files.concepts, findFile(listed, /^RXNSAB\.RRF$/i)));
  const read = Object.values(files).filter((file: string | undefined) => file !== undefined);
  const head: JsonObject = {
    ...{ resourceType: 'CodeSystem', url: 'http://www.nlm.nih.gov/research/umls/rxnorm', name: 'RxNorm' },
    ...{ title: 'RxNorm', status: 'active', content: 'complete', language: 'en' },
    ...(of === undefined ? {} : { version: of }),
    publisher: 'U.S. National Library of Medicine',
    valueSet: 'http://www.nlm.nih.gov/research/umls/rxnorm/vs',
    property: [
      { code: 'inactive', uri: 'http://hl7.org/fhir/concept-properties#inactive', type: 'boolean' },
      { code: 'TTY', description: 'Term type', type: 'code' },
      { code: 'SUPPRESS', description: 'O: obsolete; E, Y: suppressed by editors', type: 'code' },
      { code: 'STY', description: 'Semantic type (TUI)', type: 'code' },
    ],
  };
  let joined: Promise<TextsByCode> | undefined;
  return {
    head,
    digest: await digestOf(read, 'rxnorm-1', of ?? ''),
    async *concepts() {
      const texts = await (joined ??= join(files));
      for (let number = 0; number < texts.size; number++) yield toConcept(texts, number);
    },
  };
}

async function versionOf(concepts: string, sources: string | undefined): Promise<string | undefined> {
  if (sources !== undefined) {
    for await (const [, fields] of readFields(sources, { delimiter: '|', width: 26 })) {
      const [, year, month, day] = /_(\d\d)(\d\d)(\d\d)[A-Z]?$/.exec(fields[6] ?? '') ?? [];
      if (fields[3] === 'RXNORM' && year !== undefined) return `${month}${day}20${year}`;
    }
  }
  return /rxnorm\w*?_(\d{8})(?!\d)/i.exec(path.resolve(concepts))?.[1];
}

const FIELD = '\t';

/** Joins by concept: names (`N`, term type, suppression, text) and properties (code or string, code, value). */
async function join({ concepts, relations, attributes, types }: RxNormFiles): Promise<TextsByCode> {
  const texts = new TextsByCode();
  for await (const [line, row] of readFields(concepts, { delimiter: '|', width: 19 })) {
    const [code, source, type, text, suppressed] = [row[0], row[11], row[12], row[14], row[16]];
    if (source !== 'RXNORM') continue;
    if (code === undefined || code === '' || text === undefined || text === '')
      throw new ImportFileError(`${concepts}, line ${line}: there is no RXCUI or no STR`);
    texts.add(texts.number(code), ['N', type, suppressed, text].join(FIELD));
  }
  const add = (
    code: string | undefined,
    name: string | undefined,
    kind: 'C' | 'S',
    value: string | undefined,
  ) => {
    const number = texts.find(code ?? '');
    if (number !== undefined && name !== undefined && name !== '' && value !== undefined && value !== '')
      texts.add(number, [kind, name, value].join(FIELD));
  };
  if (relations !== undefined) {
    // RELA says what the second concept is to the first.
    for await (const [, row] of readFields(relations, { delimiter: '|', width: 17 })) {
      const isRelation = row[10] === 'RXNORM' && row[2] === 'CUI' && row[6] === 'CUI';
      if (isRelation && texts.find(row[0] ?? '') !== undefined) add(row[4], row[7], 'C', row[0]);
    }
  }
  if (attributes !== undefined) {
    for await (const [, row] of readFields(attributes, { delimiter: '|', width: 14 }))
      if (row[9] === 'RXNORM' && row[11] !== 'O') add(row[0], row[8], 'S', row[10]);
  }
  if (types !== undefined) {
    for await (const [, row] of readFields(types, { delimiter: '|', width: 7 }))
      add(row[0], 'STY', 'C', row[1]);
  }
  return texts;
}

interface Name {
  readonly type: string;
  readonly suppressed: string;
  readonly text: string;
}

/** Names that are in use come first, and those of the concept's own term type. */
const rankOf = ({ type, suppressed }: Name): number =>
  (suppressed === 'O' ? 100 : suppressed === 'N' ? 0 : 10) + OTHER_NAMES.indexOf(type) + 1;

function toConcept(texts: TextsByCode, number: number): JsonObject {
  const names: Name[] = [];
  const property: JsonObject[] = [];
  const seen = new Set<string>();
  for (const text of texts.textsOf(number)) {
    const [kind, first = '', second = '', value = ''] = text.split(FIELD);
    if (kind === 'N') names.push({ type: first, suppressed: second, text: value });
    else if (!seen.has(text))
      property.push({ code: first, [kind === 'C' ? 'valueCode' : 'valueString']: second });
    seen.add(text);
  }
  const [best, ...others] = names.toSorted((one, other) => rankOf(one) - rankOf(other));
  if (best === undefined) return { code: texts.codeOf(number) };
  const designation = others
    .filter(({ text, suppressed }) => text !== best.text && suppressed !== 'O')
    .map(({ type, text }) => ({ language: 'en', use: { display: type }, value: text }));
  return {
    ...{ code: texts.codeOf(number), display: best.text },
    ...(designation.length === 0 ? {} : { designation }),
    property: [
      { code: 'TTY', valueCode: best.type },
      ...(best.suppressed === 'N' ? [] : [{ code: 'SUPPRESS', valueCode: best.suppressed }]),
      ...(best.suppressed === 'O' ? [{ code: 'inactive', valueBoolean: true }] : []),
      ...property,
    ],
  };
}
