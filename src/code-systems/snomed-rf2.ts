/** SNOMED CT: the folder of an RF2 release, its Snapshot. Properties and designations: https://terminology.hl7.org/SNOMEDCT.html */
import type { CodeSystemFile, JsonObject } from '../core';
import { digestOf } from './file-lines';
import { ImportFileError } from './import-file-error';
import { PreferredTerms } from './preferred-terms';
import { findEdition, findRf2Release, isOfEdition, readRf2, type Rf2Release } from './rf2-release';
import { TextsByCode } from './texts-by-code';

const URL = 'http://snomed.info/sct';
const FULLY_SPECIFIED_NAME = '900000000000003001';
const SYNONYM = '900000000000013009';
const IS_A = '116680003';
const SUFFICIENTLY_DEFINED = '900000000000073002';
const PREFERRED_FOR_LANGUAGE = {
  system: 'http://terminology.hl7.org/CodeSystem/hl7TermMaintInfra',
  code: 'preferredForLanguage',
};
/** Dialects of the reference sets of the International Edition; those of others are named by their ids, as HL7 says. */
const DIALECTS: Readonly<Record<string, string>> = {
  '900000000000509007': 'en-US',
  '900000000000508004': 'en-GB',
};

const CONCEPT = ['id', 'effectiveTime', 'active', 'moduleId', 'definitionStatusId'];
const DESCRIPTION = ['id', 'effectiveTime', 'active', 'moduleId', 'conceptId', 'languageCode'].concat(
  ...['typeId', 'term', 'caseSignificanceId'],
);
const RELATIONSHIP = ['id', 'effectiveTime', 'active', 'moduleId', 'sourceId', 'destinationId'].concat(
  ...['relationshipGroup', 'typeId', 'characteristicTypeId', 'modifierId'],
);

/**
 * Reads the Snapshot of an edition; that of an extension needs the International Edition in the same folder. Concepts and inferred
 * relationships; the display is the preferred term of the edition's language: the one language beside English that it has descriptions
 * in, else English. Throws `ImportFileError`, also where it cannot tell the edition.
 * Memory: descriptions and relationships, 230 MB for 400,000 concepts with 3 descriptions and 5 relationships each.
 */
export async function readSnomed(place: string, version: string | undefined): Promise<CodeSystemFile> {
  const release = await findRf2Release(place);
  const { texts, times, modules } = await readCodes(release);
  const edition = await findEdition(release, modules);
  if (version === undefined && edition === undefined)
    throw new ImportFileError(
      `${place}: no module has concepts of the producer of the files; name the edition by --version ${URL}/MODULE/version/DATE`,
    );
  const of = version ?? `${URL}/${edition?.module}/version/${edition?.date}`;
  const language = languageOf(release);
  const isOwn = (refset: string): boolean => edition !== undefined && isOfEdition(edition, refset);
  let joined: Promise<Terms> | undefined;
  const files = Object.values(release).flatMap((each) => each.map(({ path }) => path));
  return {
    head: {
      ...{ resourceType: 'CodeSystem', url: URL, version: of, name: 'SNOMED_CT', title: 'SNOMED CT' },
      // The American terms are no answer to a request for British ones.
      ...{ status: 'active', content: 'complete', language: language === 'en' ? 'en-US' : language },
      publisher: 'SNOMED International',
      copyright:
        'SNOMED CT is copyright of SNOMED International. Its use needs a license: https://www.snomed.org/get-snomed',
      ...{ valueSet: `${URL}?fhir_vs`, hierarchyMeaning: 'is-a' },
      property: [
        { code: 'parent', uri: 'http://hl7.org/fhir/concept-properties#parent', type: 'code' },
        { code: 'inactive', uri: 'http://hl7.org/fhir/concept-properties#inactive', type: 'boolean' },
        { code: 'moduleId', type: 'code' },
        { code: 'sufficientlyDefined', type: 'boolean' },
      ],
    },
    digest: await digestOf(files, 'snomed-rf2-1', of),
    async *concepts() {
      const terms = await (joined ??= join(release, texts, { language, isOwn }));
      const done = new Uint8Array(texts.size);
      for (const { path } of release.concepts)
        for await (const [, row] of readRf2(path, CONCEPT)) {
          const number = texts.find(row[0] ?? '') ?? 0;
          if (done[number] === 1 || times[number] !== Number(row[1])) continue;
          done[number] = 1;
          yield toConcept(row, number, texts, terms);
        }
    },
  };
}

/** Gives the codes their numbers, with the newest effective time of each: an extension may have a concept that was moved. */
async function readCodes({ concepts }: Rf2Release): Promise<{
  readonly texts: TextsByCode;
  readonly times: readonly number[];
  readonly modules: ReadonlyMap<string, number>;
}> {
  const texts = new TextsByCode();
  const times: number[] = [];
  const modules = new Map<string, number>();
  for (const { path } of concepts)
    for await (const [line, [id = '', time = '', , module = '']] of readRf2(path, CONCEPT)) {
      if (!/^\d{6,18}$/.test(id) || !/^\d{8}$/.test(time))
        throw new ImportFileError(`${path}, line ${line}: there is no concept id or no effective time`);
      const number = texts.number(id);
      times[number] = Math.max(times[number] ?? 0, Number(time));
      modules.set(module, (modules.get(module) ?? 0) + 1);
    }
  return { texts, times, modules };
}

function languageOf({ descriptions }: Rf2Release): string {
  const others = new Set(
    descriptions.map(({ language }) => language).filter((each) => each !== undefined && each !== 'en'),
  );
  const [only] = others;
  return others.size === 1 && only !== undefined ? only : 'en';
}

const FIELD = '\t';
const [TERM, RELATION] = ['T', 'R'];

interface Terms {
  readonly language: string;
  /** By language: the reference sets of its terms by their index, the edition's own first. */
  readonly refsets: ReadonlyMap<string, readonly number[]>;
  /** The dialect of a reference set by its index. */
  readonly dialects: readonly string[];
}

async function join(
  release: Rf2Release,
  texts: TextsByCode,
  { language, isOwn }: { readonly language: string; readonly isOwn: (refset: string) => boolean },
): Promise<Terms> {
  const preferred = await PreferredTerms.read(release.languages);
  /** By reference set: terms that it prefers, by language. */
  const counts = preferred.refsets.map(() => new Map<string, number>());
  for (const { path } of release.descriptions)
    for await (const [line, row] of readRf2(path, DESCRIPTION)) {
      const [id = '', , active, , concept = '', spoken = '', type = '', term = ''] = row;
      if (active !== '1' || (type !== FULLY_SPECIFIED_NAME && type !== SYNONYM)) continue;
      const number = texts.find(concept);
      if (term === '') throw new ImportFileError(`${path}, line ${line}: there is no term`);
      if (number === undefined) continue;
      const refsets = type === SYNONYM ? preferred.preferring(id) : [];
      for (const each of refsets) {
        const byLanguage = counts[each];
        byLanguage?.set(spoken, (byLanguage.get(spoken) ?? 0) + 1);
      }
      texts.add(number, [TERM, spoken, type === SYNONYM ? 'S' : 'F', refsets.join(), term].join(FIELD));
    }
  for (const { path } of release.relationships)
    for await (const [, row] of readRf2(path, RELATIONSHIP)) {
      const [, , active, , source = '', target = '', , type = ''] = row;
      const number = active === '1' ? texts.find(source) : undefined;
      if (number !== undefined) texts.add(number, [RELATION, type, target].join(FIELD));
    }
  const refsets = new Map<string, number[]>();
  for (const [at, byLanguage] of counts.entries()) {
    const [most] = [...byLanguage].toSorted((one, other) => other[1] - one[1]);
    if (most !== undefined) refsets.set(most[0], [...(refsets.get(most[0]) ?? []), at]);
  }
  const sizeOf = (at: number): number =>
    [...(counts[at]?.values() ?? [])].reduce((sum, each) => sum + each, 0);
  const rankOf = (at: number): number => {
    const refset = preferred.refsets[at] ?? '';
    return isOwn(refset) ? 0 : refset === Object.keys(DIALECTS)[0] ? 1 : 2;
  };
  for (const list of refsets.values())
    list.sort((one, other) => rankOf(one) - rankOf(other) || sizeOf(other) - sizeOf(one));
  return { language, refsets, dialects: preferred.refsets.map((id) => DIALECTS[id] ?? privateDialect(id)) };
}

/** Returns the extension of a language tag that names a reference set: its id in parts of eight characters. */
const privateDialect = (refset: string): string => `x-sctlang-${[...refset.matchAll(/.{1,8}/g)].join('-')}`;

function toConcept(row: readonly string[], number: number, texts: TextsByCode, terms: Terms): JsonObject {
  const [, , active, module = '', definition] = row;
  const code = texts.codeOf(number);
  const designation: Designation[] = [];
  const property: JsonObject[] = [];
  const relations = new Set<string>();
  for (const text of texts.textsOf(number)) {
    const [kind, ...fields] = text.split(FIELD);
    if (kind === TERM) {
      designation.push(...toDesignations(fields, terms));
    } else if (!relations.has(text)) {
      relations.add(text);
      const [type = '', valueCode = ''] = fields;
      property.push({ code: type === IS_A ? 'parent' : type, valueCode });
    }
  }
  if (active !== '1') property.push({ code: 'inactive', valueBoolean: true });
  property.push(
    { code: 'moduleId', valueCode: module },
    { code: 'sufficientlyDefined', valueBoolean: definition === SUFFICIENTLY_DEFINED },
  );
  const display = displayOf(designation, terms.language) ?? code;
  return { code, display, ...(designation.length === 0 ? {} : { designation }), property };
}

type Designation = { readonly language: string; readonly use: JsonObject; readonly value: string };

/** A term that the first reference set of its language prefers is preferred in the language, else in the dialects that prefer it. */
function toDesignations(
  [language = '', type = '', preferring = '', value = '']: readonly string[],
  { refsets, dialects }: Terms,
): readonly Designation[] {
  if (type === 'F') return [{ language, use: { system: URL, code: FULLY_SPECIFIED_NAME }, value }];
  const own = refsets.get(language) ?? [];
  const of =
    preferring === ''
      ? []
      : preferring
          .split(',')
          .map(Number)
          .filter((at) => own.includes(at));
  if (of.length === 0) return [{ language, use: { system: URL, code: SYNONYM }, value }];
  if (own[0] !== undefined && of.includes(own[0])) return [{ language, use: PREFERRED_FOR_LANGUAGE, value }];
  return of.map((at) => {
    const dialect = dialects[at] ?? '';
    const tag = dialect.startsWith('x-') ? `${language}-${dialect}` : dialect;
    return { language: tag, use: PREFERRED_FOR_LANGUAGE, value };
  });
}

function displayOf(designation: readonly Designation[], language: string): string | undefined {
  const isPreferred = (each: Designation): boolean => each.use === PREFERRED_FOR_LANGUAGE;
  const isSynonym = (each: Designation): boolean => isPreferred(each) || each.use['code'] === SYNONYM;
  const rules: ((each: Designation) => boolean)[] = [
    (each) => isPreferred(each) && each.language === language,
    (each) => isPreferred(each) && each.language === 'en',
    (each) => isSynonym(each) && each.language === language,
    isSynonym,
    () => true,
  ];
  for (const rule of rules) {
    const found = designation.find(rule);
    if (found !== undefined) return found.value;
  }
  return undefined;
}
