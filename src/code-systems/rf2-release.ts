/** The files of a SNOMED CT release in Release Format 2 (https://confluence.ihtsdotools.org/display/DOCRELFMT). */
import path from 'node:path';
import { readFields } from './file-lines';
import { ImportFileError } from './import-file-error';
import { listRelease } from './publisher-files';

export interface Rf2File {
  readonly path: string;
  /** Of the name: `en`; undefined where it has none. */
  readonly language: string | undefined;
  /** `INT`, or the country and namespace of its producer: `US1000124`. */
  readonly owner: string;
  /** YYYYMMDD. */
  readonly date: string;
}

/** Kinds of files by the beginnings of their names. */
const KINDS = {
  concepts: /^x?sct2_Concept_/,
  descriptions: /^x?sct2_Description_/,
  relationships: /^x?sct2_Relationship_/,
  languages: /^x?der2_cRefset_\w*Language/,
  dependencies: /^x?der2_ssRefset_\w*ModuleDependency/,
};
type Kind = keyof typeof KINDS;
export type Rf2Release = Readonly<Record<Kind, readonly Rf2File[]>>;

/** Names such as `sct2_Description_Snapshot-en_US1000124_20260301.txt`, and `sct2_Concept_UKCLSnapshot_…`. */
const NAME = /^(x?(?:sct2|der2)_[A-Za-z]+_[A-Za-z]*)Snapshot(?:-([A-Za-z-]+))?_([A-Z]+\d*)_(\d{8})\.txt$/;

/**
 * Finds the files of a folder, in one or more packages. Throws `ImportFileError` where concepts, descriptions or relationships lack, and
 * for two releases of the same package.
 */
export async function findRf2Release(place: string): Promise<Rf2Release> {
  const listed = await listRelease(place);
  const release: Record<Kind, Rf2File[]> = {
    ...{ concepts: [], descriptions: [], relationships: [], languages: [], dependencies: [] },
  };
  const packages = new Map<string, string>();
  for (const file of listed) {
    const [, beginning = '', language, owner = '', date = ''] = NAME.exec(path.basename(file)) ?? [];
    const kind = (Object.keys(KINDS) as Kind[]).find((each) => KINDS[each].test(beginning));
    if (kind === undefined) continue;
    const key = [beginning, language ?? '', owner].join(' ');
    const other = packages.get(key);
    if (other !== undefined)
      throw new ImportFileError(`${other} and ${file}: name the folder of one release, there are several`);
    packages.set(key, file);
    release[kind].push({ path: file, language, owner, date });
  }
  for (const kind of ['concepts', 'descriptions', 'relationships'] as const) {
    if (release[kind].length > 0) continue;
    const isPacked = listed.some((file) => /\.zip$/i.test(file));
    const hint = isPacked
      ? 'unpack the ZIP archives in it first'
      : 'name the folder of a release with its Snapshot';
    const name = kind[0]?.toUpperCase() + kind.slice(1, -1);
    throw new ImportFileError(`${place}: there is no file sct2_${name}_Snapshot…txt; ${hint}`);
  }
  return release;
}

/** Yields the rows of a file after its first line, which must name these columns. Throws `ImportFileError`. */
export async function* readRf2(
  file: string,
  columns: readonly string[],
): AsyncGenerator<readonly [number: number, fields: readonly string[]]> {
  for await (const [number, fields] of readFields(file, { delimiter: '\t', width: columns.length })) {
    if (number > 1) yield [number, fields];
    else if (fields.join() !== columns.join())
      throw new ImportFileError(`${file}, line 1: it does not name the columns ${columns.join(', ')}`);
  }
}

const INTERNATIONAL = '900000000000207008';
const DEPENDENCY = ['id', 'effectiveTime', 'active', 'moduleId', 'refsetId', 'referencedComponentId'].concat(
  ...['sourceEffectiveTime', 'targetEffectiveTime'],
);

/** Returns the namespace of an identifier; undefined: it is one of the International Edition's own. */
function namespaceOf(id: string): string | undefined {
  return id.at(-3) === '1' ? id.slice(-10, -3) : undefined;
}

export interface Rf2Edition {
  readonly module: string;
  /** YYYYMMDD. */
  readonly date: string;
  readonly namespaces: ReadonlySet<string>;
}

/** True for what the producer of the edition has made, not the International Edition. */
export function isOfEdition({ namespaces }: Pick<Rf2Edition, 'namespaces'>, id: string): boolean {
  const namespace = namespaceOf(id);
  return namespace !== undefined && namespaces.has(namespace);
}

/**
 * Finds the edition: without files of a national producer the International one, else the module with the namespace of these files on
 * which none of their other modules depends; of several the one with most concepts. The date is that of these files.
 * @param modules how many concepts each has
 */
export async function findEdition(
  { concepts, dependencies }: Rf2Release,
  modules: ReadonlyMap<string, number>,
): Promise<Rf2Edition | undefined> {
  const own = concepts.filter(({ owner }) => owner !== 'INT');
  const dated = own.length === 0 ? concepts : own;
  const date =
    dated
      .map((each) => each.date)
      .toSorted()
      .at(-1) ?? '';
  const namespaces = new Set(own.map(({ owner }) => owner.replace(/^\D+/, '')));
  if (own.length === 0) return { module: INTERNATIONAL, date, namespaces };
  const candidates = new Set([...modules.keys()].filter((module) => isOfEdition({ namespaces }, module)));
  const needed = new Set<string>();
  for (const { path: file } of dependencies) {
    for await (const [, row] of readRf2(file, DEPENDENCY)) {
      const [, , active, module = '', , other = ''] = row;
      if (active === '1' && module !== other && candidates.has(module)) needed.add(other);
    }
  }
  const last = [...candidates].filter((module) => !needed.has(module));
  const [module] = (last.length === 0 ? [...candidates] : last).toSorted(
    (one, other) => (modules.get(other) ?? 0) - (modules.get(one) ?? 0),
  );
  return module === undefined ? undefined : { module, date, namespaces };
}
