/** The matches of a search summed up: their number, in total or by the values of a parameter, or statistics of numbers. */
import type { AggregateGroup, AggregateRequest, AggregateResult } from '../../api/search';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import type { JsonObject } from '../../fhir/json';
import { compareTexts } from '../../search/sort/compare-texts';
import { bucketsIn, largerBuckets, type DateBucket } from '../../search/values/date-bucket';
import { compileGroups, groupingOf, type Grouping, type GroupsOf } from '../../search/requests/grouping';
import { isSingleValued } from '../../search/parameters/single-valued';
import type { SearchTypeContext } from '../../search/types/search-type';
import type { SearchServices } from '../../ports';
import {
  countDates,
  countGroups,
  findDatePieces,
  type GroupRequest,
} from '../../storage/search/group-statement';
import { labelGroups } from './group-labels';
import { searchContext } from '../plan/prepare-search';
import { search } from '../search';
import { countingReason, withReason } from '../search-timeout';
import { type AggregateBounds, BOUNDS, planMatches, readMatches } from './matches';
import { numberStatistics } from './number-statistics';

/** Maximum number of groups in a result. */
const MAX_GROUPS = 1_000;
/** Maximum number of groups of dates, about ten years of days. Such groups are small. */
const MAX_DATES = 4_000;
/** Maximum number of time intervals in which dates begin; their length depends on the bucket. */
const MAX_PIECES = 10_000;
const DAY = 86_400_000;
const PIECE_LENGTHS: Readonly<Record<DateBucket, number>> = { day: DAY, month: 7 * DAY, year: 180 * DAY };

/**
 * As Core.aggregate. All statements share one snapshot. Up to a thousand matches are read and their values counted.
 * For more matches, all index rows of the parameter in the space are counted. If those are too many, up to 10,000
 * matches are read.
 */
export async function aggregate(
  services: SearchServices,
  context: RequestContext,
  request: AggregateRequest,
  bounds = BOUNDS,
): Promise<AggregateResult> {
  const { by, numbers, ...criteria } = request;
  if (numbers !== undefined) {
    const statistics = await numberStatistics(services, context, { request: criteria, numbers, bounds });
    return { groups: [], statistics };
  }
  if (by === undefined) {
    const parameters = [...criteria.parameters, ['_summary', 'count'] as const];
    const { total } = await search(services, context, { ...criteria, parameters });
    if (total === undefined) throw new Error('a search that only counts has no total');
    return { total, groups: [] };
  }
  const typeContext = searchContext(services, context);
  const grouping = groupingOf(typeContext.definitions, request.type, by);
  const most = mostOf(grouping, by.most);
  return services.scope.inSnapshot(services, context, async (reading) => {
    const counting = new ParameterCount(reading, context, { request, grouping, typeContext, bounds });
    const groups = inOrder((await counting.byRows(most)) ?? (await counting.byReading()), grouping);
    if (groups.length > most && (by.most === undefined || grouping.bucket !== undefined))
      throw tooMany(grouping, most);
    return { groups: groups.slice(0, most) };
  });
}

/** Throws invalidValue. */
function mostOf({ bucket }: Grouping, most: number | undefined): number {
  if (most === undefined) return bucket === undefined ? MAX_GROUPS : MAX_DATES;
  if (bucket === undefined && Number.isInteger(most) && most >= 1 && most <= MAX_GROUPS) return most;
  const reason =
    bucket === undefined
      ? `the number of groups is a whole number from 1 to ${MAX_GROUPS}`
      : 'groups of dates are always returned in full';
  throw fhirError('invalidValue', { reason });
}

function inOrder(groups: readonly AggregateGroup[], { bucket }: Grouping): readonly AggregateGroup[] {
  return [...groups].sort(
    (a, b) => (bucket === undefined ? b.count - a.count : 0) || compareTexts(a.value, b.value),
  );
}

function tooMany({ code, bucket }: Grouping, most: number): Error {
  const name = code.slice(0, 80);
  const reason =
    bucket === undefined
      ? `'${name}' has more than ${most} values here: request fewer of the largest groups, or narrow the search`
      : `The dates of '${name}' are in more than ${most} groups: narrow the search, or count by longer periods`;
  return fhirError('tooCostly', { reason });
}

/** The input of a `Counting`. */
interface CountingTask {
  readonly request: AggregateRequest;
  readonly grouping: Grouping;
  readonly typeContext: SearchTypeContext;
  readonly bounds: AggregateBounds;
}

/** One count by one parameter, in one snapshot. */
class ParameterCount {
  private readonly groupsOf: GroupsOf;

  constructor(
    private readonly services: SearchServices,
    private readonly context: RequestContext,
    private readonly task: CountingTask,
  ) {
    const { definitions, hasher, references, zone } = task.typeContext;
    this.groupsOf = compileGroups(task.grouping, definitions, {
      hasher,
      zone,
      localReference: (reference) => references.local(reference),
      typeNumber: (type) => (definitions.isResourceType(type) ? definitions.typeNumber(type) : undefined),
      maxRows: Infinity,
    });
  }

  /** Undefined if the matches are few, if the rows of one space do not suffice, or if there are too many rows. */
  async byRows(most: number): Promise<readonly AggregateGroup[] | undefined> {
    const { services, context } = this;
    const { request, grouping, typeContext, bounds } = this.task;
    const planned = await planMatches(services, context, request, bounds.few);
    if (planned === undefined) return undefined;
    const { kind, stored, bucket } = grouping;
    const { definitions } = typeContext;
    const rows: GroupRequest = {
      ...planned.ofRows,
      kind,
      sources: stored.rowsOf.map(({ number, targetType }) => ({
        number,
        targetType: targetType === undefined ? 0 : (definitions.typeNumber(targetType) ?? 0),
      })),
      repeats:
        kind === 'canonical' ||
        (kind !== 'updated' && stored.rowsOf.length > 1) ||
        (kind === 'date' && !isSingleValued(definitions, stored)),
      mostRows: bounds.rows,
    };
    return withReason(bucket === undefined ? this.byValue(rows, most) : this.byDate(rows, bucket), () =>
      countingReason(planned.plan),
    );
  }

  private async byValue(request: GroupRequest, most: number): Promise<readonly AggregateGroup[] | undefined> {
    const { services, groupsOf } = this;
    const counted = await countGroups(services.database, request, MAX_GROUPS + 1);
    if (counted === undefined) return undefined;
    // Groups smaller than the last wanted one need no label, unless some may refer to another type and drop out.
    const isFiltered = request.sources.some(({ targetType }) => targetType !== 0);
    const least = isFiltered ? 0 : (counted[most - 1]?.count ?? 0);
    const wanted = counted.filter(({ count }, index) => count >= least && index < MAX_GROUPS);
    const labelled = await labelGroups(services, request, wanted, groupsOf);
    // Groups beyond MAX_GROUPS exist, but their values were not read.
    if (
      counted.length > MAX_GROUPS &&
      labelled.length < most + 1 &&
      (this.task.request.by?.most === undefined || labelled.length < most)
    )
      throw tooMany(this.task.grouping, MAX_GROUPS);
    return labelled;
  }

  private async byDate(
    request: GroupRequest,
    bucket: DateBucket,
  ): Promise<readonly AggregateGroup[] | undefined> {
    const { services } = this;
    const { grouping, typeContext } = this.task;
    const { zone } = typeContext;
    const length = PIECE_LENGTHS[bucket];
    const pieces = await findDatePieces(services.database, request, length, MAX_PIECES + 1);
    if (pieces === undefined) return undefined;
    if (pieces.length > MAX_PIECES) throw tooMany(grouping, MAX_DATES);
    const starts = pieces.map((piece) => piece * length);
    const whole = largerBuckets(bucket).flatMap((larger) => bucketsIn(starts, length, larger, zone));
    const counts = await countDates(
      services.database,
      request,
      bucketsIn(starts, length, bucket, zone),
      whole,
    );
    return counts && [...counts].map(([value, count]) => ({ value, count }));
  }

  /** Groups from reading the pages of the search. Throws tooCostly. */
  async byReading(): Promise<readonly AggregateGroup[]> {
    const { request, grouping, bounds } = this.task;
    const groups = new Map<string, { group: Omit<AggregateGroup, 'count'>; count: number }>();
    const visit = (resource: JsonObject, lastUpdated: number): void => {
      for (const { key, value, coding } of this.groupsOf(resource, lastUpdated)) {
        const existing = groups.get(key);
        if (existing !== undefined) existing.count++;
        else groups.set(key, { group: { value, ...(coding === undefined ? {} : { coding }) }, count: 1 });
      }
    };
    const isAll = await readMatches(this.services, this.context, { request, most: bounds.read, visit });
    if (!isAll) {
      const reason = `More than ${bounds.read} ${request.type} resources match, and '${grouping.code}' has more than ${bounds.rows} values: narrow the search`;
      throw fhirError('tooCostly', { reason });
    }
    return [...groups.values()].map(({ group, count }) => ({ ...group, count }));
  }
}
