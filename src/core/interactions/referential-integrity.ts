/**
 * Referential integrity, which a tenant may ask for (src/core/tenant-settings.ts): literal references of a resource to its
 * own space point to something that is there, and with `on-write-and-delete` what is referred to is not deleted
 * (http.html#delete, references.html). What is looked up first only finds the words; that it is so when the write is
 * committed, the locks of the write's own statement see to (storage/targets.ts).
 */
import type { RequestContext } from '../context';
import { FhirError, fhirError, toIssue, type Issue } from '../errors';
import type { Definitions } from '../fhir/definitions';
import type { LocalTarget } from '../fhir/reference';
import { RELEASES } from '../fhir/release';
import { storedParameters } from '../search/parameter';
import type { Services } from '../services';
import { findAbsent, findReferrers, holdTargets as hold, type Target } from '../storage/targets';
import { keyOfText } from '../storage/version-row';
import type { VersionWrite } from '../storage/version-write';
import type { ResourceAddress } from '../storage/version-read';

/** Broken references, and referring resources, that one error names. */
const MOST_ISSUES = 20;
const MOST_REFERRERS = 5;

type Run = Parameters<typeof hold>[0];

/** A target with where it was named. */
interface NamedTarget extends Target {
  readonly named: LocalTarget;
  /** What stands before the expression: `Bundle.entry[7].resource` in a transaction. */
  readonly place?: string;
}

/** A write of a transaction. */
export interface IntegrityMember {
  readonly type: string;
  readonly id: string;
  readonly write: VersionWrite;
  readonly targets?: readonly LocalTarget[];
  readonly place?: string;
}

/**
 * The targets that a write must hold, and `others`; undefined: none, as where the tenant asks for nothing. Throws brokenReference with the
 * expression of each that points to nothing now. Cost: nothing where integrity is off or nothing is referred to, else
 * one statement.
 */
export async function requireTargets(
  services: Services,
  context: RequestContext,
  own: ResourceAddress,
  named: readonly LocalTarget[] | undefined,
  others: readonly Target[] = [],
): Promise<Pick<VersionWrite, 'targets'>> {
  if (named === undefined || named.length === 0) return others.length === 0 ? {} : { targets: others };
  const targets = toTargets(services, context, own, named);
  await refuseAbsent(services, context, runOf(services, context), targets);
  return { targets: [...targets, ...others] };
}

/** Throws referredTo where a resource refers to one that is being deleted, in the transaction that holds its head. */
export async function refuseReferred(
  services: Services,
  context: RequestContext,
  run: Run,
  deleted: ResourceAddress & { readonly name: string; readonly id: string },
): Promise<void> {
  const definitions = services.definitions(context.space.release);
  const found = await findReferrers(
    run,
    context.space.number,
    referenceParameters(definitions),
    [deleted],
    MOST_REFERRERS + 1,
  );
  if (found.length === 0) return;
  const names = found
    .slice(0, MOST_REFERRERS)
    .map(
      ({ type, id, keyText }) =>
        `${definitions.typeName(type)}/${id ?? services.keys.idOf(keyOfText(keyText))}`,
    );
  const referring = names.join(', ') + (found.length > MOST_REFERRERS ? ' and others' : '');
  throw fhirError('referredTo', { type: deleted.name, id: deleted.id, referring });
}

/**
 * Of a transaction, before its first write: holds what its resources refer to, in the order of keys, so that nobody
 * deletes it. Cost: one statement.
 */
export async function holdTargets(
  services: Services,
  context: RequestContext,
  run: Run,
  members: readonly IntegrityMember[],
): Promise<void> {
  await hold(run, context.space.number, targetsOf(services, context, members));
}

/**
 * Of a transaction, after its last write: throws brokenReference and referredTo for what would be left behind. The
 * deleted heads are held FOR UPDATE. Cost: two statements, and one for each deletion.
 */
export async function requireIntegrity(
  services: Services,
  context: RequestContext,
  run: Run,
  members: readonly IntegrityMember[],
): Promise<void> {
  const targets = targetsOf(services, context, members);
  // What has come meanwhile was not held before.
  await hold(run, context.space.number, targets);
  await refuseAbsent(services, context, run, targets);
  if (context.space.settings.referentialIntegrity !== 'on-write-and-delete') return;
  for (const { write, type, id } of members)
    if (write.change === 'delete') await refuseReferred(services, context, run, { ...write, name: type, id });
}

function targetsOf(
  services: Services,
  context: RequestContext,
  members: readonly IntegrityMember[],
): readonly NamedTarget[] {
  return members.flatMap(({ write, targets = [], place }) =>
    toTargets(services, context, write, targets, place),
  );
}

/** Without references of the resource to itself. */
function toTargets(
  services: Services,
  { space }: RequestContext,
  own: ResourceAddress,
  named: readonly LocalTarget[],
  place?: string,
): readonly NamedTarget[] {
  const definitions = services.definitions(space.release);
  return named.flatMap((target): NamedTarget[] => {
    const type = definitions.typeNumber(target.type);
    if (type === undefined) return [];
    const key = services.keys.keyOf(target.type, target.id);
    if (type === own.type && key.high === own.key.high && key.low === own.key.low) return [];
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

/** No resource has the last version, so that what is no version number names none. */
function toVersion(versionId: string): number {
  return /^[1-9]\d{0,9}$/.test(versionId) ? Math.min(Number(versionId), LAST_VERSION) : LAST_VERSION;
}

/** Statements of the space, each by itself. */
function runOf(services: Services, { space }: RequestContext): Run {
  return (statement, bound) => services.database.run('search', space.number, statement, bound);
}

async function refuseAbsent(
  services: Services,
  context: RequestContext,
  run: Run,
  targets: readonly NamedTarget[],
): Promise<void> {
  const absent = await findAbsent(run, context.space.number, targets);
  if (absent.length === 0) return;
  const missing = await withoutBase(services, context, absent);
  if (missing.length === 0) return;
  const issues = missing.slice(0, MOST_ISSUES).map(({ named, place }): Issue => {
    const { type, id, versionId, expression } = named;
    const reference = `${type}/${id}${versionId === undefined ? '' : `/_history/${versionId}`}`;
    const inPlace = place === undefined ? expression : `${place}${expression.slice(expression.indexOf('.'))}`;
    return toIssue('brokenReference', { reference }, inPlace);
  });
  throw new FhirError('brokenReference', issues);
}

/** Those that the base space has not either; a version of it says nothing. */
async function withoutBase(
  services: Services,
  { space: { release } }: RequestContext,
  absent: readonly NamedTarget[],
): Promise<readonly NamedTarget[]> {
  const isBase = ({ named }: NamedTarget): boolean => services.isConformanceType(release, named.type);
  const { baseSpace } = RELEASES[release];
  const asked = absent.filter(isBase).map((target) => ({ ...target, version: 0 }));
  const left = await findAbsent(
    (statement, bound) => services.database.run('search', baseSpace, statement, bound),
    baseSpace,
    asked,
  );
  const stillAbsent = new Set(left.map(({ named }) => named));
  return absent.filter((target) => !isBase(target) || stillAbsent.has(target.named));
}

const parametersOf = new WeakMap<
  Definitions,
  readonly { readonly number: number; readonly type: number }[]
>();

/** The reference parameters of all types whose values are References, and not canonicals or resources. */
function referenceParameters(
  definitions: Definitions,
): readonly { readonly number: number; readonly type: number }[] {
  let parameters = parametersOf.get(definitions);
  if (parameters === undefined) {
    parameters = definitions.resourceTypes.flatMap((type) =>
      [...storedParameters(definitions, type).values()]
        .filter(
          ({ storage, parameter, valueTypes }) =>
            storage === 'own' &&
            parameter.kind === 'reference' &&
            valueTypes.some((valueType) => REFERENCES.has(valueType)),
        )
        .map(({ parameter }) => ({ number: parameter.number, type: definitions.typeNumber(type) ?? 0 })),
    );
    parametersOf.set(definitions, parameters);
  }
  return parameters;
}

const REFERENCES: ReadonlySet<string> = new Set(['Reference', 'CodeableReference']);
