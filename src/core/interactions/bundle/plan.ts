import type { EntryAnswer } from '../../api/bundle';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import { entryExpression } from '../../fhir/bundle/entry';
import { isValidId } from '../../fhir/resource';
import type { OutlinedEntry } from '../../preparation/bundle';
import type { NewId } from '../../search/rows/resource-key';
import type { Services } from '../../ports';
import type { VersionRow } from '../../storage/read/version-row';
import type { Condition } from '../conditional/condition';
import type { ConditionMatch } from '../conditional/find-matches';
import { printable } from '../../versions/resource-address';
import { Matches, requireSingle, type EntryConditions } from './entry-conditions';
import {
  inWritingOrder,
  overlapping,
  planWrite,
  type WriteOfEntry,
  requireDifferent,
  type PlannedWrite,
} from './planned-write';

/** The steps of a transaction, after its conditions have been matched. */
export interface Plan {
  /** In the order in which they are written. */
  readonly writes: readonly PlannedWrite[];
  /** Conditional creates that found a match. */
  readonly found: readonly {
    readonly entry: OutlinedEntry;
    readonly match: ConditionMatch;
    readonly type: string;
  }[];
  /** Conditional creates with the same condition as another entry: the index of that entry by their own. */
  readonly repeated: ReadonlyMap<number, number>;
  /** Answers of entries without a write. */
  readonly withoutWrite: ReadonlyMap<number, EntryAnswer>;
  /** The references of the entries' resources after the transaction, by entry index. */
  readonly targets: ReadonlyMap<number, string>;
}

/** Ids of the resources that a transaction creates, by entry; the same in each attempt. */
export class NewIds {
  private readonly ids = new Map<number, NewId>();

  constructor(private readonly services: Pick<Services, 'ids'>) {}

  of(index: number): NewId {
    let id = this.ids.get(index);
    if (id === undefined) this.ids.set(index, (id = this.services.ids.next()));
    return id;
  }

  /** Discards the ids, because one of them may already be taken. */
  clear(): void {
    this.ids.clear();
  }
}

/** The dependencies of planning. */
export interface PlanTools {
  readonly services: Pick<Services, 'definitions' | 'keys'>;
  readonly context: RequestContext;
  readonly ids: NewIds;
  /** Planning resolves those that name other entries. */
  readonly conditions: EntryConditions;
  find(conditions: readonly Condition[]): Promise<Matches>;
}

/**
 * Determines the resource of each entry's write and the matches of its condition: first for conditions that name no
 * other entry, then for those that name a planned one. Throws multipleMatches, preconditionFailed, noMatch, invalidId;
 * `invalidValue` if two entries write the same resource or name each other; `ruleViolated` if one deletes a resource
 * that another uses (http.html#trules). Cost: that of `find`, once for each level of names.
 */
export async function planTransaction(
  tools: PlanTools,
  entries: readonly OutlinedEntry[],
): Promise<{ readonly plan: Plan; readonly matches: Matches }> {
  const { conditions, find } = tools;
  const planner = new Planner(tools);
  let matches = new Matches(new Map());
  let waiting = entries;
  let targets: ReadonlyMap<number, string> = new Map();
  while (waiting.length > 0) {
    const later = waiting.filter(({ index }) => !conditions.resolve(index, targets));
    if (later.length === waiting.length) throw namingEachOther(conditions, later);
    const unmatched = conditions.all.filter((condition) => !matches.has(condition));
    if (unmatched.length > 0) matches = matches.with(await find(unmatched));
    const isLater = new Set(later);
    for (const entry of waiting) if (!isLater.has(entry)) planner.add(entry, matches);
    waiting = later;
    if (waiting.length > 0) targets = planner.targets();
  }
  return { plan: planner.finish(), matches };
}

function namingEachOther(conditions: EntryConditions, [first]: readonly OutlinedEntry[]): Error {
  const reason =
    'The criteria of this entry name another one whose criteria name this one: neither comes first';
  return fhirError('invalidValue', { reason }, conditions.placeOf(first?.index ?? 0));
}

class Planner {
  private readonly writes: PlannedWrite[] = [];
  private readonly found: Plan['found'][number][] = [];
  private readonly repeated = new Map<number, number>();
  private readonly withoutWrite = new Map<number, EntryAnswer>();
  /** The entry that creates the resource of a condition without a match, by the name of the condition. */
  private readonly makers = new Map<string, number>();

  constructor(private readonly tools: PlanTools) {}

  add(entry: OutlinedEntry, matches: Matches): void {
    const { request, index } = entry;
    if (request.kind === 'get' || request.kind === 'invoke') return;
    const condition = this.tools.conditions.of(index);
    if (condition === undefined) {
      if (request.kind === 'create') this.create(entry, request.type);
      else if (request.target.id !== undefined) this.plan(entry, request.kind, request.target);
      return;
    }
    const found = matches.of(condition);
    const type = condition.type;
    switch (request.kind) {
      case 'create':
        return this.createUnlessFound(entry, type, condition.name, requireSingle(condition, found, index));
      case 'update': {
        const match = requireSingle(condition, found, index);
        if (match === undefined) return this.createByUpdate(entry, type, condition.name);
        return this.plan(entry, 'update', {
          type,
          id: match.id,
          idMode: { id: match.id, isFound: true },
          found: versionOf(match),
        });
      }
      case 'patch': {
        const match = requireSingle(condition, found, index);
        if (match === undefined) throw fhirError('noMatch', { type }, entryExpression(index, 'request.url'));
        return this.plan(entry, 'patch', { type, id: match.id, found: versionOf(match) });
      }
      case 'delete':
        return this.deleteFound(entry, type, found, condition);
    }
  }

  finish(): Plan {
    const { writes, found, repeated, withoutWrite } = this;
    requireDifferent(writes);
    this.refuseDeletedMatches();
    return { writes: inWritingOrder(writes), found, repeated, withoutWrite, targets: this.targets() };
  }

  /** Throws `ruleViolated` if another entry deletes the match of a conditional create. */
  private refuseDeletedMatches(): void {
    const { found, writes } = this;
    if (found.length === 0) return;
    const deleted = new Map<string, number>();
    for (const { kind, type, id, entry } of writes)
      if (kind === 'delete') deleted.set(`${type}/${id}`, entry.index);
    for (const { entry, type, match } of found) {
      const other = deleted.get(`${type}/${match.id}`);
      if (other !== undefined)
        throw overlapping(other, `${type}/${match.id}`, entryExpression(entry.index, 'request.ifNoneExist'));
    }
  }

  private plan(
    entry: OutlinedEntry,
    kind: PlannedWrite['kind'],
    what: Omit<WriteOfEntry, 'entry' | 'kind' | 'member'>,
  ): void {
    const member = this.writes.length;
    const { services, context, conditions } = this.tools;
    const isUnderCondition = conditions.of(entry.index) !== undefined;
    this.writes.push(planWrite(services, context, { entry, kind, member, isUnderCondition, ...what }));
  }

  private create(entry: OutlinedEntry, type: string): void {
    const { id, high, low } = this.tools.ids.of(entry.index);
    this.plan(entry, 'create', { type, id, key: { high, low } });
  }

  /**
   * Creates once what two entries would create under one condition; the second entry finds the first one's resource.
   */
  private createUnlessFound(
    entry: OutlinedEntry,
    type: string,
    name: string,
    match: ConditionMatch | undefined,
  ): void {
    if (match !== undefined) {
      this.found.push({ entry, match, type });
      return;
    }
    const maker = this.makers.get(name);
    if (maker !== undefined) {
      this.repeated.set(entry.index, maker);
      return;
    }
    this.makers.set(name, entry.index);
    this.create(entry, type);
  }

  private createByUpdate(entry: OutlinedEntry, type: string, name: string): void {
    const { index, resourceId, request } = entry;
    if ('guard' in request && request.guard?.ifMatch !== undefined)
      throw fhirError(
        'preconditionFailed',
        { reason: `No ${type} meets the criteria, so no version of it can match` },
        entryExpression(index, 'request.ifMatch'),
      );
    const other = this.makers.get(name);
    if (other !== undefined) {
      const reason = `Entry ${other} makes the ${type} of these criteria too; a transaction writes each resource once`;
      throw fhirError('invalidValue', { reason }, entryExpression(index, 'request.url'));
    }
    this.makers.set(name, index);
    if (resourceId === '') {
      this.create(entry, type);
      return;
    }
    if (!isValidId(resourceId))
      throw fhirError('invalidId', { id: printable(resourceId) }, entryExpression(index, 'resource.id'));
    this.plan(entry, 'update', { type, id: resourceId, mustBeFree: true });
  }

  private deleteFound(
    entry: OutlinedEntry,
    type: string,
    found: readonly ConditionMatch[],
    condition: Parameters<typeof requireSingle>[0],
  ): void {
    const { index, request } = entry;
    const hasGuard = 'guard' in request && request.guard?.ifMatch !== undefined;
    const isForAll = this.tools.context.space.settings.conditionalDelete === 'multiple' && !hasGuard;
    if (!isForAll) requireSingle(condition, found, index);
    const own = isForAll ? found.filter(({ isBase }) => !isBase) : found;
    if (own.length === 0) {
      if (hasGuard)
        throw fhirError(
          'preconditionFailed',
          { reason: `No ${type} meets the criteria, so no version of it can match` },
          entryExpression(index, 'request.ifMatch'),
        );
      this.withoutWrite.set(index, { kind: 'deleted', type, versions: [] });
      return;
    }
    for (const match of own) this.plan(entry, 'delete', { type, id: match.id, found: versionOf(match) });
  }

  targets(): ReadonlyMap<number, string> {
    const references = new Map<number, string>();
    for (const { entry, kind, type, id } of this.writes)
      if (kind !== 'delete') references.set(entry.index, `${type}/${id}`);
    for (const { entry, type, match } of this.found) references.set(entry.index, `${type}/${match.id}`);
    for (const [index, maker] of this.repeated) {
      const reference = references.get(maker);
      if (reference !== undefined) references.set(index, reference);
    }
    return references;
  }
}

/**
 * The versions of the entries' resources after the transaction, by entry index; `heads` in the order of `plan.writes`.
 */
export function versionsAfter(
  { writes, found, repeated }: Plan,
  heads: readonly (VersionRow | undefined)[],
): ReadonlyMap<number, number> {
  const versions = new Map<number, number>();
  for (const [place, { kind, entry }] of writes.entries())
    if (kind !== 'delete') versions.set(entry.index, (heads[place]?.version ?? 0) + 1);
  for (const { entry, match } of found) versions.set(entry.index, match.version);
  for (const [index, maker] of repeated) versions.set(index, versions.get(maker) ?? 1);
  return versions;
}

/** Undefined for a base resource, of which the tenant has no version yet. */
function versionOf({ version, isBase }: ConditionMatch): number | undefined {
  return isBase ? undefined : version;
}
