import type { EntryAnswer } from '../../api';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import { entryExpression } from '../../fhir/bundle/entry';
import { isValidId } from '../../fhir/resource';
import type { OutlinedEntry } from '../../preparation/bundle';
import type { NewId } from '../../search/resource-key';
import type { Services } from '../../services';
import type { ConditionMatch } from '../conditional/find-matches';
import { printable } from '../resource-address';
import { requireSingle, type EntryConditions, type Matches } from './entry-conditions';
import { inWritingOrder, planWrite, requireDifferent, type PlannedWrite } from './planned-write';

/** What a transaction does, once it is known which resources meet its conditions. */
export interface Plan {
  /** In the order in which they are done. */
  readonly writes: readonly PlannedWrite[];
  /** Conditional creates that found what they would have made. */
  readonly found: readonly {
    readonly entry: OutlinedEntry;
    readonly match: ConditionMatch;
    readonly type: string;
  }[];
  /** Conditional creates of what another entry makes: its index by theirs. */
  readonly repeated: ReadonlyMap<number, number>;
  /** Answers of entries that have nothing to write. */
  readonly nothing: ReadonlyMap<number, EntryAnswer>;
  /** By the indexes of the entries, what their resources are called from now on. */
  readonly targets: ReadonlyMap<number, string>;
}

/** Ids of what a transaction creates, by entry: the same however often it is tried. */
export class NewIds {
  private readonly ids = new Map<number, NewId>();

  constructor(private readonly services: Services) {}

  of(index: number): NewId {
    let id = this.ids.get(index);
    if (id === undefined) this.ids.set(index, (id = this.services.ids.next()));
    return id;
  }

  /** One of them is somebody else's already. */
  clear(): void {
    this.ids.clear();
  }
}

/**
 * Works out which resource each entry writes. `matches`: of its conditions. Throws multipleMatches, preconditionFailed,
 * noMatch, invalidId, and `invalidValue` where two entries write the same resource (http.html#trules).
 */
export function planTransaction(
  services: Services,
  context: RequestContext,
  entries: readonly OutlinedEntry[],
  ids: NewIds,
  conditions: EntryConditions,
  matches: Matches,
): Plan {
  const planner = new Planner(services, context, ids, conditions, matches);
  for (const entry of entries) planner.add(entry);
  return planner.finish();
}

class Planner {
  private readonly writes: PlannedWrite[] = [];
  private readonly found: Plan['found'][number][] = [];
  private readonly repeated = new Map<number, number>();
  private readonly nothing = new Map<number, EntryAnswer>();
  /** By the names of conditions that found nothing, the entry that makes what they ask for. */
  private readonly makers = new Map<string, number>();

  constructor(
    private readonly services: Services,
    private readonly context: RequestContext,
    private readonly ids: NewIds,
    private readonly conditions: EntryConditions,
    private readonly matches: Matches,
  ) {}

  add(entry: OutlinedEntry): void {
    const { request, index } = entry;
    if (request.kind === 'get' || request.kind === 'invoke') return;
    const condition = this.conditions.of(index);
    if (condition === undefined) {
      if (request.kind === 'create') this.create(entry, request.type);
      else if (request.target.id !== undefined) this.plan(entry, request.kind, request.target);
      return;
    }
    const found = this.matches.of(condition);
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
    const { writes, found, repeated, nothing } = this;
    requireDifferent(writes);
    return { writes: inWritingOrder(writes), found, repeated, nothing, targets: this.targets() };
  }

  private plan(
    entry: OutlinedEntry,
    kind: PlannedWrite['kind'],
    what: Omit<Parameters<typeof planWrite>[4], 'member'>,
  ): void {
    const member = this.writes.length;
    const isUnderCondition = this.conditions.of(entry.index) !== undefined;
    this.writes.push(
      planWrite(this.services, this.context, entry, kind, { member, isUnderCondition, ...what }),
    );
  }

  private create(entry: OutlinedEntry, type: string): void {
    const { id, high, low } = this.ids.of(entry.index);
    this.plan(entry, 'create', { type, id, key: { high, low } });
  }

  /** What two entries would make under one condition is made once: to the second one it is there already. */
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
    const isForAll = this.context.space.settings.conditionalDelete === 'multiple' && !hasGuard;
    if (!isForAll) requireSingle(condition, found, index);
    const own = isForAll ? found.filter(({ isBase }) => !isBase) : found;
    if (own.length === 0) {
      if (hasGuard)
        throw fhirError(
          'preconditionFailed',
          { reason: `No ${type} meets the criteria, so no version of it can match` },
          entryExpression(index, 'request.ifMatch'),
        );
      this.nothing.set(index, { kind: 'deleted', type, versions: [] });
      return;
    }
    for (const match of own) this.plan(entry, 'delete', { type, id: match.id, found: versionOf(match) });
  }

  private targets(): ReadonlyMap<number, string> {
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

/** Undefined where it is not the tenant's own: then there is no version yet. */
function versionOf({ version, isBase }: ConditionMatch): number | undefined {
  return isBase ? undefined : version;
}
