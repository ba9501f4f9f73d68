/**
 * Which references a write adds that open nothing (docs/run/access-rules.md, What a record refers to): who writes in a record
 * chooses what it refers to, and must not reach more by that.
 */
import type { RequestContext } from '../context';
import type { IndexRows, ReferenceRow } from '../search/index-rows';
import type { SearchServices } from '../ports';
import type { KeyHalves } from '../storage/key-halves';
import { keyText, type VersionRow } from '../storage/read/version-row';
import { readUnopened } from '../storage/write/unopened-references';
import type { UnopenedReference } from '../storage/write/version-write';
import { isStaff } from './person';
import { openingOf } from './referenced';
import type { Visibility } from './visibility';

/** Targets of one type that one statement examines. */
const AT_ONCE = 500;
const NONE: readonly UnopenedReference[] = [];

/** The rows of a resource before and after a write. */
export interface ChangedRows {
  readonly type: string;
  readonly key: KeyHalves;
  /** Undefined: the resource is new. */
  readonly before: IndexRows | undefined;
  readonly after: IndexRows;
}

const nameOf = ({ targetType, targetKey }: UnopenedReference): string => `${targetType} ${targetKey}`;
const toReference = ({ targetType, targetHigh, targetLow }: ReferenceRow): UnopenedReference => ({
  targetType,
  targetKey: keyText({ high: targetHigh, low: targetLow }),
});

/** True if references that this caller adds open only what it reaches. Cost: a comparison. */
export function opensNothing({ access }: RequestContext, { permissions }: Visibility): boolean {
  return permissions.isForPatients && !isStaff(access?.user);
}

/**
 * Returns the references of the content, by `opensNothing`'s callers, that open nothing: those that it adds and whose targets
 * the caller does not reach, and those that opened nothing before. Cost: none where it refers to nothing outside of records;
 * else a read of each target, and a statement for each type of targets.
 */
export async function unopenedBy(
  services: SearchServices,
  context: RequestContext,
  visibility: Visibility,
  { type, key, before, after }: ChangedRows,
): Promise<readonly UnopenedReference[]> {
  const { number: space, release } = context.space;
  const definitions = services.definitions(release);
  const beyond = new Map<string, ReferenceRow>();
  for (const row of after.references) {
    const target = definitions.typeName(row.targetType);
    if (target === undefined || openingOf(definitions, target) === undefined) continue;
    beyond.set(nameOf(toReference(row)), row);
  }
  if (beyond.size === 0) return NONE;
  const old = new Set((before?.references ?? []).map((row) => nameOf(toReference(row))));
  const typeNumber = definitions.typeNumber(type);
  const hasOld = typeNumber !== undefined && [...beyond.keys()].some((name) => old.has(name));
  const earlier = hasOld ? await readUnopened(services.database, space, { type: typeNumber, key }) : NONE;
  const unopened = new Set(earlier.map(nameOf));
  const added = [...beyond].flatMap(([name, row]) => (old.has(name) ? [] : [row]));
  const reached = await reachedAmong(services, context, visibility, added);
  return [...beyond]
    .filter(([name]) => (old.has(name) ? unopened.has(name) : !reached.has(name)))
    .map(([, row]) => toReference(row));
}

/** The names of the targets that the caller reads. */
async function reachedAmong(
  services: SearchServices,
  context: RequestContext,
  visibility: Visibility,
  rows: readonly ReferenceRow[],
): Promise<ReadonlySet<string>> {
  const { number: space, release } = context.space;
  const definitions = services.definitions(release);
  const reached = new Set<string>();
  for (const targetType of new Set(rows.map((row) => row.targetType))) {
    const target = definitions.typeName(targetType);
    if (target === undefined || !visibility.permissions.allows(target, 'r')) continue;
    const ofType = rows.filter((row) => row.targetType === targetType);
    for (let start = 0; start < ofType.length; start += AT_ONCE) {
      const found = await Promise.all(
        ofType
          .slice(start, start + AT_ONCE)
          .map(({ targetHigh: high, targetLow: low }) =>
            services.reader.current(space, { type: targetType, key: { high, low } }),
          ),
      );
      const live = found.filter((row): row is VersionRow => row !== undefined && row.change !== 'delete');
      for (const { key } of await visibility.amongCurrent(target, 'r', space, live))
        reached.add(nameOf({ targetType, targetKey: keyText(key) }));
    }
  }
  return reached;
}
