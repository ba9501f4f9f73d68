import { presentFor, requireWritable, type WriteIntent } from '../authorization/write-guard';
import type { VersionGuard } from '../api/version';
import type { StoredVersion } from '../storage/read/stored-version';
import { recordOf } from '../audit/recording';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { type PreparedVersion } from '../preparation/prepare';
import type { IndexRows } from '../search/rows/index-rows';
import type { Services, WriteServices } from '../ports';
import { LOCK_STATEMENT } from '../storage/write/head-locks';
import type { ResourceAddress } from '../storage/read/version-address';
import { keyText, type VersionRow } from '../storage/read/version-row';
import { NO_ROWS, type VersionWrite, type WriteStamp } from '../storage/write/version-write';
import { ConditionLost, type WriteCondition } from '../storage/write/write-queues';
import { writeInTransaction } from '../storage/write/write-statements';
import type { SubscriptionChange } from '../storage/notifications/subscription-change';
import { readOwn } from '../versions/resource-address';
import { authorOf, toStoredVersion } from '../versions/stored-version';
import { checkDeleted, mustHoldDeleted, planAspects } from './write-aspects';

/** The next version of a resource, computed from the current one (undefined: there is none). */
export type NextVersion =
  | {
      readonly change: 'update';
      readonly prepared: PreparedVersion;
      /** A content that is stored apart. */
      readonly content?: { readonly id: string } | undefined;
      /** The server's own change of a Subscription. */
      readonly status?: SubscriptionChange;
    }
  | { readonly change: 'delete' }
  /** Nothing is written. */
  | { readonly change: 'none' };

/** A write of a resource under a known id. */
export interface Replacement {
  readonly type: string;
  readonly id: string;
  readonly address: ResourceAddress;
  readonly guard: VersionGuard | undefined;
  readonly intent: WriteIntent;
  readonly next: (current: VersionRow | undefined) => NextVersion | Promise<NextVersion>;
  readonly condition?: WriteCondition | undefined;
}

export interface Replaced {
  /** Undefined if nothing was written. */
  readonly version: StoredVersion | undefined;
  /** True if there was no live version before. */
  readonly created: boolean;
}

/** Races lost to other processes before the head is locked. */
const MAX_RACES = 2;

/**
 * Update, patch and delete: reads the current version, lets `next` compute the new one and writes it; retries after a
 * lost race. Writers of one resource wait for each other inside the process; after two races lost to
 * other processes the head is locked. Throws preconditionFailed, versionConflict after the request's deadline, and
 * the errors of `next`; ConditionLost. Cost: two batched statements; with a condition, a transaction instead of the
 * second.
 */
export async function replaceVersion(
  services: WriteServices,
  context: RequestContext,
  replacement: Replacement,
): Promise<Replaced> {
  const { type, id, address, condition } = replacement;
  const turn = `${context.space.number} ${address.type} ${keyText(address.key)}`;
  return services.turns.run(turn, async () => {
    let rows = NO_ROWS;
    for (let races = 0; races < MAX_RACES; races++) {
      const current = await readOwn(services, context, { address, id, bytes: context.bytes?.replaced });
      const plan = await planWrite(services, context, replacement, current);
      if (plan === undefined) return { version: undefined, created: false };
      if (mustHoldHead(context, plan)) break;
      ({ rows } = plan.write);
      const written =
        condition === undefined
          ? await services.writes.write(context.space.number, plan.write, context.deadline)
          : await services.writes.writeUnder(context.space.number, condition, plan.write);
      if (written !== undefined) return finish(services, type, plan, written);
      if (Date.now() > context.deadline) throw fhirError('versionConflict', { type, id });
    }
    return replaceLocked(services, context, replacement, rows);
  });
}

/** True if the head is locked first: writes that refer to the resource must wait until the deletion commits or fails. */
function mustHoldHead(context: RequestContext, { write }: Plan): boolean {
  return write.change === 'delete' && mustHoldDeleted(context);
}

interface Plan {
  readonly write: VersionWrite;
  readonly created: boolean;
}

async function planWrite(
  services: WriteServices,
  context: RequestContext,
  { type, id, address, guard, intent, next }: Replacement,
  stored: VersionRow | undefined,
): Promise<Plan | undefined> {
  const current = await presentFor(
    services,
    context,
    { intent, type, mustExist: guard?.ifMatch !== undefined },
    stored,
  );
  const live = current !== undefined && current.change !== 'delete';
  checkGuard(type, id, guard, live ? current : undefined);
  const decided = await next(current);
  if (decided.change === 'none') return undefined;
  if (decided.change === 'delete') {
    if (current === undefined) throw new Error('there is nothing to delete');
    return { write: await deletionOf(services, context, { type, id, current }), created: false };
  }
  const { text, metaOffset, rows, changesNothing } = decided.prepared;
  const { key } = address;
  const before = live ? current.body : undefined;
  const right = live ? 'u' : 'c';
  const unopened = await requireWritable(services, context, right, { type, key, text, rows, before });
  if (changesNothing === true) return undefined;
  const expected = current?.version ?? 0;
  const { prepared, status, content } = decided;
  const planned = { ...{ type, id, prepared, status }, own: address, versionId: expected + 1, isNew: !live };
  const aspects = await planAspects(services, context, planned);
  // Property by property, as in a create.
  const write: VersionWrite = {
    type: address.type,
    key,
    id: services.keys.isOwn(key) ? null : id,
    expected,
    change: 'update',
    body: text,
    metaOffset,
    author: authorOf(context),
    rows,
    replaced: current && (await rowsOf(services, context, type, current)),
    parameterChange: context.space.searchParameters?.change,
    targets: aspects.targets,
    registration: aspects.registration,
    subscription: aspects.subscription,
    content: content?.id,
    unopened,
    companion: aspects.companion,
    record: recordOf(context, type, id),
  };
  return { write, created: !live };
}

/** The write that deletes the current version. Cost: extracts its index rows again. */
export async function deletionOf(
  services: WriteServices,
  context: RequestContext,
  { type, id, current }: { readonly type: string; readonly id: string; readonly current: VersionRow },
): Promise<VersionWrite> {
  const { type: typeNumber, key, version } = current;
  const own = { type: typeNumber, key };
  const planned = { ...{ type, id, own }, versionId: version + 1, isNew: false, prepared: undefined };
  const aspects = await planAspects(services, context, planned);
  return {
    type: typeNumber,
    key,
    id: services.keys.isOwn(key) ? null : id,
    expected: version,
    change: 'delete',
    body: null,
    metaOffset: 0,
    author: authorOf(context),
    rows: NO_ROWS,
    replaced: await rowsOf(services, context, type, current),
    parameterChange: context.space.searchParameters?.change,
    targets: aspects.targets,
    registration: aspects.registration,
    subscription: aspects.subscription,
    companion: aspects.companion,
    record: recordOf(context, type, id),
  };
}

/** The index rows of the stored version. */
async function rowsOf(
  services: Pick<Services, 'preparer'>,
  context: RequestContext,
  type: string,
  current: VersionRow,
): Promise<VersionWrite['rows']> {
  if (current.change === 'delete') return NO_ROWS;
  return services.preparer.rows({ space: context.space, type, body: current.body });
}

/** Throws `preconditionFailed` if the current version does not satisfy the guard. */
export function checkGuard(
  type: string,
  id: string,
  guard: VersionGuard | undefined,
  live: VersionRow | undefined,
): void {
  if (guard?.ifNoneMatchAny === true && live !== undefined) {
    throw fhirError('preconditionFailed', {
      reason: `${type}/${id} exists already, in version ${live.version}`,
    });
  }
  if (guard?.ifMatch === undefined) return;
  if (live === undefined) {
    throw fhirError('preconditionFailed', {
      reason: `${type}/${id} does not exist, so no version of it can match`,
    });
  }
  if (!guard.ifMatch.includes(String(live.version)) && !guard.ifMatch.includes('*')) {
    throw fhirError('preconditionFailed', {
      reason: `The current version of ${type}/${id} is ${live.version}`,
    });
  }
}

function finish(
  services: Pick<Services, 'extensionBase' | 'keys'>,
  type: string,
  { write, created }: Plan,
  written: WriteStamp,
): Replaced {
  return { version: toVersion(services, type, write, written), created };
}

/** The stored version for a write. */
export function toVersion(
  services: Pick<Services, 'extensionBase' | 'keys'>,
  type: string,
  write: VersionWrite,
  written: WriteStamp,
): StoredVersion {
  const row: VersionRow = {
    id: write.id,
    key: write.key,
    type: write.type,
    metaOffset: write.metaOffset,
    change: write.change,
    author: write.author,
    body: write.body ?? '',
    version: written.version,
    lastUpdated: written.lastUpdated,
    sequence: written.sequence,
  };
  return toStoredVersion(services, type, row);
}

/**
 * Locks the head from the read to the commit: for deletions that must not be overtaken, and as the last resort
 * against starvation. `rows`: those of the last attempt's version, which approximate those of this one.
 */
async function replaceLocked(
  services: WriteServices,
  context: RequestContext,
  replacement: Replacement,
  rows: IndexRows,
): Promise<Replaced> {
  const { type, id, address, condition } = replacement;
  const space = context.space.number;
  for (;;) {
    if (Date.now() > context.deadline) throw fhirError('versionConflict', { type, id });
    const replaced = await services.writes.transaction(space, async (run, database) => {
      await condition?.lock(run, rows);
      await run(LOCK_STATEMENT, { space, type: address.type, key: keyText(address.key) });
      // Read on another connection: the head is locked, so the committed version is the current one.
      const current = await readOwn(services, context, { address, id, bytes: context.bytes?.replaced });
      const plan = await planWrite(services, context, replacement, current);
      if (plan === undefined) return { version: undefined, created: false };
      if (mustHoldHead(context, plan))
        await checkDeleted(services, context, run, [{ ...address, name: type, id }]);
      if ((await condition?.holds(database, plan.write.expected)) === false) throw new ConditionLost();
      const written = await writeInTransaction(run, space, plan.write);
      return written === undefined ? undefined : finish(services, type, plan, written);
    });
    if (replaced !== undefined) return replaced;
  }
}
