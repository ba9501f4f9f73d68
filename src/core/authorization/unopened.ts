/**
 * The references of a write that open nothing (docs/run/access-rules.md, What a record refers to): who writes in a record
 * chooses what it refers to, and must not reach more by that.
 */
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import type { Definitions } from '../fhir/definitions';
import type { IndexRows, ReferenceRow } from '../search/rows/index-rows';
import type { SearchServices } from '../ports';
import type { KeyHalves } from '../storage/key-halves';
import { keyText } from '../storage/read/version-row';
import { readUnopened } from '../storage/write/unopened-references';
import type { UnopenedReference } from '../storage/write/version-write';
import { isStaff } from './person';
import { openingParameters } from './referenced';
import type { Visibility } from './visibility';

/** References to resources outside of records that one version may add, by a caller of `opensNothing`. */
const MOST_ADDED = 500;
/** Targets of one type that one statement examines. */
const AT_ONCE = 500;

/** The rows of a resource before and after a write. */
export interface ChangedRows {
  readonly type: string;
  readonly key: KeyHalves;
  /** Undefined: the resource is new. */
  readonly before: IndexRows | undefined;
  readonly after: IndexRows;
}

/** A change with its targets outside of records, by `nameOf`. */
interface Change {
  readonly added: ReadonlyMap<string, ReferenceRow>;
  readonly unopenedBefore: readonly UnopenedReference[];
}

const nameOf = ({ targetType, targetKey }: UnopenedReference): string => `${targetType} ${targetKey}`;
const toReference = ({ targetType, targetHigh, targetLow }: ReferenceRow): UnopenedReference => ({
  targetType,
  targetKey: keyText({ high: targetHigh, low: targetLow }),
});

/** True if references that this caller adds open only what it reaches. Cost: a comparison. */
export function opensNothing({ access }: RequestContext, { permissions }: Visibility): boolean {
  return !isStaff(access?.user) && permissions.isForPatients;
}

/**
 * Returns for each change, by callers of `opensNothing`, the references of the new content that open nothing: those that it
 * adds and whose targets the caller does not reach, and those that opened nothing before. Throws `tooCostly` for a resource
 * that adds too many. Cost: none where nothing outside of records is referred to; else a statement for each replaced
 * resource, and one for each type of targets, which takes as long whether the targets exist or not.
 */
export async function unopenedBy(
  services: SearchServices,
  context: RequestContext,
  visibility: Visibility,
  changes: readonly ChangedRows[],
): Promise<readonly (readonly UnopenedReference[])[]> {
  const { definitions } = services.searchContext(context.space);
  const found = await Promise.all(
    changes.map((change) => toChange(services, context.space.number, definitions, change)),
  );
  const all = new Map(found.flatMap(({ added }) => [...added]));
  const reached = await reachedAmong(visibility, definitions, [...all.values()]);
  return found.map(({ added, unopenedBefore }) => [
    ...unopenedBefore,
    ...[...added].flatMap(([name, row]) => (reached.has(name) ? [] : [toReference(row)])),
  ]);
}

async function toChange(
  services: SearchServices,
  space: number,
  definitions: Definitions,
  { type, key, before, after }: ChangedRows,
): Promise<Change> {
  const next = opening(definitions, type, after);
  const old = before === undefined || next.size === 0 ? NONE : opening(definitions, type, before);
  const kept = [...next.keys()].filter((name) => old.has(name));
  const typeNumber = definitions.typeNumber(type);
  const earlier =
    kept.length === 0 || typeNumber === undefined
      ? []
      : await readUnopened(services.database, space, { type: typeNumber, key });
  const added = new Map([...next].filter(([name]) => !old.has(name)));
  if (added.size > MOST_ADDED) {
    const reason = `This ${type} adds references to ${added.size} resources outside of the patient's record, and a client with grants for patients adds at most ${MOST_ADDED} at once`;
    throw fhirError('tooCostly', { reason });
  }
  return { added, unopenedBefore: earlier.filter((reference) => next.has(nameOf(reference))) };
}

const NONE: ReadonlyMap<string, ReferenceRow> = new Map();

/** The references that could open their targets: a reference elsewhere, such as `Observation.focus`, never does. */
function opening(
  definitions: Definitions,
  type: string,
  { references }: IndexRows,
): ReadonlyMap<string, ReferenceRow> {
  const found = new Map<string, ReferenceRow>();
  for (const row of references) {
    const target = definitions.typeName(row.targetType);
    if (target === undefined || !openingParameters(definitions, type, target).has(row.parameter)) continue;
    found.set(nameOf(toReference(row)), row);
  }
  return found;
}

/** The names of the targets that the caller reads. */
async function reachedAmong(
  visibility: Visibility,
  definitions: Definitions,
  rows: readonly ReferenceRow[],
): Promise<ReadonlySet<string>> {
  const reached = new Set<string>();
  for (const targetType of new Set(rows.map((row) => row.targetType))) {
    const target = definitions.typeName(targetType);
    if (target === undefined || !visibility.permissions.allows(target, 'r')) continue;
    const keys = rows
      .filter((row) => row.targetType === targetType)
      .map(({ targetHigh: high, targetLow: low }) => ({ high, low }));
    for (let start = 0; start < keys.length; start += AT_ONCE)
      for (const targetKey of await visibility.reachable(target, 'r', keys.slice(start, start + AT_ONCE)))
        reached.add(nameOf({ targetType, targetKey }));
  }
  return reached;
}
