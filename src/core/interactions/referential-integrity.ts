/**
 * Referential integrity, a setting of the tenant (src/core/tenants/tenant-settings.ts). Literal references of a
 * resource to its own space must have a target, and with `on-write-and-delete` a resource with referrers cannot be
 * deleted (http.html#delete, references.html). The first lookup only serves the error message. The locks of the write's
 * own statement guarantee the result at its commit (storage/write/required-references.ts).
 */
import { permissionsOf } from '../authorization/visibility';
import type { RequestContext } from '../context';
import { FhirError, fhirError, toIssue, type Issue, MAX_ISSUES_OF_RESOURCE } from '../errors';
import type { Definitions } from '../fhir/definitions';
import type { LocalTarget } from '../fhir/reference';
import { RELEASES } from '../fhir/release';
import { referringParameters } from '../search/parameters/parameter';
import { otherReferences } from '../search/rows/other-references';
import type { Services } from '../ports';
import {
  findAbsent,
  findReferrers,
  holdTargets as hold,
  type Target,
} from '../storage/write/required-references';
import { keyOfText } from '../storage/read/version-row';
import type { VersionWrite } from '../storage/write/version-write';
import type { KeyHalves } from '../storage/key-halves';
import type { ResourceAddress } from '../storage/read/version-address';
import { entryExpression } from '../fhir/bundle/entry';
import type { DeletedResource, WriteAspect } from './write-aspect';

const MOST_REFERRERS = 5;
/** References that the error of a job lists: an import needs to know all lines that have one. */
const MOST_ISSUES_OF_JOB = 10_000;
/** Deletions that one statement checks. */
const AT_ONCE = 100;

type Run = Parameters<typeof hold>[0];

/** A target with the reference that named it. */
interface NamedTarget extends Target {
  readonly named: LocalTarget;
  /** Prefix of the expression: `Bundle.entry[7].resource` in a transaction. */
  readonly place?: string;
}

/**
 * The targets that a write must lock, except its `own`; undefined if there are none. Throws
 * brokenReference with the expression of each reference without a target. Cost: nothing if integrity is off or there
 * are no references, else one statement.
 */
export async function requireTargets(
  services: Pick<Services, 'database' | 'definitions' | 'isConformanceType' | 'keys'>,
  context: RequestContext,
  {
    own,
    named,
  }: {
    readonly own: readonly ResourceAddress[];
    readonly named: readonly LocalTarget[] | undefined;
  },
): Promise<Pick<VersionWrite, 'targets'>> {
  if (named === undefined || named.length === 0) return {};
  // A reference of a resource to itself has its target by the write.
  const ownNames = new Set(own.map(({ type, key }) => nameOf(type, key)));
  const targets = toTargets(services, context, named).filter(
    ({ type, key }) => !ownNames.has(nameOf(type, key)),
  );
  const ofBase = await refuseAbsent(services, context, runOf(services, context), targets);
  // Nobody deletes those, and they may be on another node.
  return { targets: targets.filter((target) => !ofBase.has(target)) };
}

function nameOf(type: number, { high, low }: KeyHalves): string {
  return `${type} ${high | 0} ${low | 0}`;
}

/** Throws referredTo if a resource refers to a deleted one. Runs in the transaction that has locked the heads. */
async function refuseReferred(
  services: Pick<Services, 'createExtractor' | 'definitions' | 'keys' | 'searchContext'>,
  context: RequestContext,
  run: Run,
  all: readonly DeletedResource[],
): Promise<void> {
  const definitions = services.definitions(context.space.release);
  const found = await findReferrers(run, context.space.number, {
    parameters: referenceParameters(definitions),
    targets: all,
    limit: MOST_REFERRERS + 1,
  });
  const [first] = found;
  const deleted = first === undefined ? undefined : all[first.target];
  if (first === undefined || deleted === undefined) return;
  const names = found
    .filter(({ target }) => target === first.target)
    .slice(0, MOST_REFERRERS)
    .map(
      ({ type, id, keyText }) =>
        `${definitions.typeName(type)}/${id ?? services.keys.idOf(keyOfText(keyText))}`,
    );
  // The caller may not see these resources, or the elements by which they refer to it.
  const referring =
    permissionsOf(services, context)?.allowsEverything('r') === false
      ? 'which ones, the grants of this client do not tell'
      : names.join(', ') + (found.length > MOST_REFERRERS ? ' and others' : '');
  throw fhirError('referredTo', { type: deleted.name, id: deleted.id, referring }, deleted.expression);
}

/**
 * Referential integrity of a space, by its setting. References between the entries of a transaction are allowed; its
 * targets are locked in the order of keys, so that no other writer deletes them. Cost in a transaction: one statement
 * before its writes, two after them, and one for each 100 deletions.
 */
export const referentialIntegrity: WriteAspect = {
  plan(services, context, { own, prepared }, members) {
    const named = prepared?.targets;
    if (named === undefined || named.length === 0) return undefined;
    return (async () => {
      const { targets = [] } = await requireTargets(services, context, { own: [own], named });
      members.targets = members.targets === undefined ? targets : [...targets, ...members.targets];
    })();
  },
  holdsDeleted: protectsReferred,
  async checkDeleted(services, context, run, deleted) {
    if (!protectsReferred(context)) return;
    for (let start = 0; start < deleted.length; start += AT_ONCE)
      await refuseReferred(services, context, run, deleted.slice(start, start + AT_ONCE));
  },
  planTransaction(services, context, versions) {
    const { settings, number: space } = context.space;
    if (settings.referentialIntegrity === 'off') return undefined;
    const targets = versions.flatMap(({ entry }) =>
      entry === undefined
        ? []
        : toTargets(services, context, entry.targets ?? [], entryExpression(entry.index, 'resource')),
    );
    const deleted = versions.flatMap(({ version: { change, type, id, typeNumber, key, index } }) =>
      change === 'delete'
        ? [{ name: type, id, type: typeNumber, key, expression: entryExpression(index, 'request.url') }]
        : [],
    );
    return Promise.resolve({
      hold: (run) => hold(run, space, targets),
      async complete(run) {
        // Targets that were created meanwhile have no lock yet.
        await hold(run, space, targets);
        await refuseAbsent(services, context, run, targets);
        await referentialIntegrity.checkDeleted?.(services, context, run, deleted);
      },
    });
  },
};

/** True if a resource with referrers cannot be deleted: writes that refer to it wait until the deletion commits or fails. */
function protectsReferred({ space }: RequestContext): boolean {
  return space.settings.referentialIntegrity === 'on-write-and-delete';
}

/** The targets with a type of the release. */
function toTargets(
  services: Pick<Services, 'definitions' | 'keys'>,
  { space }: RequestContext,
  named: readonly LocalTarget[],
  place?: string,
): readonly NamedTarget[] {
  const definitions = services.definitions(space.release);
  return named.flatMap((target): NamedTarget[] => {
    const type = definitions.typeNumber(target.type);
    if (type === undefined) return [];
    const key = services.keys.keyOf(target.type, target.id);
    const version = target.versionId === undefined ? undefined : toVersion(target.versionId);
    return [
      {
        type,
        key,
        named: target,
        ...(version === undefined ? {} : { version }),
        ...(place === undefined ? {} : { place }),
      },
    ];
  });
}

const LAST_VERSION = 2 ** 31 - 1;

/** A text that is no version number becomes LAST_VERSION, which no resource has. */
function toVersion(versionId: string): number {
  return /^[1-9]\d{0,9}$/.test(versionId) ? Math.min(Number(versionId), LAST_VERSION) : LAST_VERSION;
}

/** Runs each statement by itself in the space. */
function runOf(services: Pick<Services, 'database'>, { space }: RequestContext): Run {
  return (statement, bound) =>
    services.database.run({ lane: 'search', space: space.number }, statement, bound);
}

/** Returns the targets that only the base space has. Throws brokenReference. */
async function refuseAbsent(
  services: Pick<Services, 'database' | 'isConformanceType'>,
  context: RequestContext,
  run: Run,
  targets: readonly NamedTarget[],
): Promise<ReadonlySet<NamedTarget>> {
  const absent = await findAbsent(run, context.space.number, targets);
  if (absent.length === 0) return new Set();
  const missing = await withoutBase(services, context, absent);
  if (missing.length === 0) return new Set(absent);
  const most = context.isJob === true ? MOST_ISSUES_OF_JOB : MAX_ISSUES_OF_RESOURCE;
  const issues = missing.slice(0, most).map(({ named, place }): Issue => {
    const { type, id, versionId, expression } = named;
    const reference = `${type}/${id}${versionId === undefined ? '' : `/_history/${versionId}`}`;
    const inPlace = place === undefined ? expression : `${place}${expression.slice(expression.indexOf('.'))}`;
    return toIssue('brokenReference', { reference }, inPlace);
  });
  throw new FhirError('brokenReference', issues);
}

/** The targets that are absent in the base space too. Versions are not compared there. */
async function withoutBase(
  services: Pick<Services, 'database' | 'isConformanceType'>,
  { space: { release } }: RequestContext,
  absent: readonly NamedTarget[],
): Promise<readonly NamedTarget[]> {
  const isBase = ({ named }: NamedTarget): boolean => services.isConformanceType(release, named.type);
  const { baseSpace } = RELEASES[release];
  const requested = absent.filter(isBase).map((target) => ({ ...target, version: 0 }));
  const left = await findAbsent(
    (statement, bound) => services.database.run({ lane: 'search', space: baseSpace }, statement, bound),
    baseSpace,
    requested,
  );
  const stillAbsent = new Set(left.map(({ named }) => named));
  return absent.filter((target) => !isBase(target) || stillAbsent.has(target.named));
}

const parametersOf = new WeakMap<
  Definitions,
  readonly { readonly number: number; readonly type: number }[]
>();

/** Parameter numbers of the rows of References, for all types. */
function referenceParameters(
  definitions: Definitions,
): readonly { readonly number: number; readonly type: number }[] {
  let parameters = parametersOf.get(definitions);
  if (parameters === undefined) {
    parameters = definitions.resourceTypes.flatMap((name) => {
      const type = definitions.typeNumber(name) ?? 0;
      return [otherReferences(type), ...referringParameters(definitions, name)].map((number) => ({
        number,
        type,
      }));
    });
    parametersOf.set(definitions, parameters);
  }
  return parameters;
}
