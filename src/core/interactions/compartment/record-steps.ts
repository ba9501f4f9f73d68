/** The resources of a record type by type, in the order of its pages. */
import { permissionsOf } from '../../authorization/visibility';
import type { RequestContext } from '../../context';
import { compartmentsCriterion, compartmentTypes } from '../../search/parameters/compartment';
import { parseCriterion } from '../../search/criteria';
import { parseSearch } from '../../search/requests/parse-search';
import type { Order } from '../../search/sort/order';
import type { Criterion } from '../../search/predicate';
import type { SearchTypeContext } from '../../search/types/search-type';
import type { RecordRequest } from '../../operation-types/environment';
import type { SearchServices } from '../../ports';
import { findPopulatedTypes } from '../../storage/read/populated-types';
import type { TypedPosition } from '../../search-execution/page/merge-streams';
import { typeNumberOf } from '../../versions/resource-address';
import { criterionOf, searchContext } from '../../search-execution/plan/prepare-search';
import { OwnStream, type TypeStream } from '../../search-execution/page/type-stream';
import { GROUP } from '../../fhir/type-names';
import { partsOf, type MembersOfPart, type RecordPart } from './record-parts';

/** The end of a page of a record: behind a resource, or within its references. */
export interface RecordEnd extends TypedPosition {
  /** True for resources that are shown, false for those that are only read for their references. */
  readonly isShown: boolean;
  /** Number of its references that are covered; undefined: all. */
  readonly followed: number | undefined;
  /** Of the record of a Group. */
  readonly part?: RecordPart;
}

/** The resources of one type. */
export interface RecordStep {
  readonly stream: TypeStream;
  /** False: they are not shown, but resources that they refer to may be. */
  readonly isShown: boolean;
  /** Of the record of a Group. */
  readonly part?: RecordPart;
}

export interface RecordSteps {
  readonly steps: readonly RecordStep[];
  /** The place behind the steps from which the record goes on; undefined: they are the last ones. */
  readonly end: RecordEnd | undefined;
}

/**
 * The steps of a record: first the types that are shown, then those that are only read for their references, each by
 * type. Those of a Group begin at `start`, and are of so many of its members as one page covers.
 * Cost: one statement.
 * With `types` or `since` the answer is the wanted part of the whole record, and a resource outside it
 * may refer to one inside.
 */
export async function recordSteps(
  services: SearchServices,
  context: RequestContext,
  request: RecordRequest,
  {
    members,
    start,
  }: { readonly members: readonly string[] | undefined; readonly start: RecordEnd | undefined },
): Promise<RecordSteps> {
  const { owner, group, types, since } = request;
  const typeContext = searchContext(services, context);
  const permissions = permissionsOf(services, context);
  const ofOwner = compartmentTypes(typeContext.definitions, owner.type) ?? [owner.type];
  const inRecord = [...new Set([...ofOwner, ...(group === undefined ? [] : [GROUP])])]
    .filter((type) => permissions === undefined || permissions.allows(type, 's'))
    .map((type) => ({ type, typeNumber: typeNumberOf(services, context, type) }))
    .sort((a, b) => a.typeNumber - b.typeNumber);
  const populated = await findPopulatedTypes(
    services.database,
    context.space.number,
    inRecord.map(({ typeNumber }) => typeNumber),
  );
  const present = inRecord.filter(({ typeNumber }) => populated.has(typeNumber));
  const toStep = (
    { type, typeNumber }: (typeof inRecord)[number],
    isShown: boolean,
    part?: MembersOfPart,
  ): RecordStep => {
    const query = { ...parseSearch(typeContext, type, { parameters: [] }, 'strict') };
    const within = [
      ...(owner.id === undefined ? [] : [criterionOf(typeContext, { ...owner, id: owner.id }, type)]),
      ...(part === undefined ? [] : [partCriterion(typeContext, type, request, part)]),
      ...careCriteria(typeContext, type, request),
      ...(isShown && since !== undefined ? [sinceCriterion(typeContext, type, since)] : []),
    ];
    const order = owner.id === undefined ? BY_KEY : undefined;
    const stream = new OwnStream({ services, context, query, typeNumber, within, order });
    return { isShown, stream, ...(part === undefined ? {} : { part: { from: part.from, to: part.to } }) };
  };
  const isRequested = ({ type }: { type: string }): boolean => types === undefined || types.includes(type);
  const stepsOf = (part?: MembersOfPart): readonly RecordStep[] => {
    // Without members, only the Group itself is left.
    const some = part?.ids.length === 0 ? present.filter(({ type }) => type === GROUP) : present;
    return [
      ...some.filter(isRequested).map((each) => toStep(each, true, part)),
      ...some
        .filter((each) => since !== undefined || !isRequested(each))
        .map((each) => toStep(each, false, part)),
    ];
  };
  if (members === undefined) return { steps: stepsOf(), end: undefined };
  const { parts, hasMore } = partsOf(members, start?.part);
  const last = parts.at(-1);
  return {
    steps: parts.flatMap(stepsOf),
    end: hasMore && last !== undefined ? endOf(last) : undefined,
  };
}

/** Greater than the number of each type. */
const BEHIND_ALL_TYPES = 1_000_000;

/** The place behind the records of some members. */
function endOf({ from, to }: RecordPart): RecordEnd {
  return {
    ...{ isShown: false, typeNumber: BEHIND_ALL_TYPES, phase: 'all', followed: undefined },
    after: { sortValue: null, key: '0' },
    part: { from, to },
  };
}

/** The compartments of the members, and for the first ones the Group itself. */
function partCriterion(
  context: SearchTypeContext,
  type: string,
  { owner, group }: RecordRequest,
  { from, ids }: MembersOfPart,
): Criterion {
  const criterion = compartmentsCriterion(context, { type: owner.type, ids }, type);
  if (type !== GROUP || group === undefined || from !== '') return criterion;
  const itself = { index: 'key', keys: [context.keyOf(GROUP, group)] } as const;
  return { ...criterion, anyOf: [...criterion.anyOf, itself] };
}

/** A resource that changes while its type is read keeps its position. */
const BY_KEY: Order = { by: 'key', descending: true };

/** A clinical date that says nothing about when care took place. */
const BIRTH = 'birthdate';

/** Criteria for resources without a clinical date, or with one at least partly in the wanted time. */
function careCriteria(
  context: SearchTypeContext,
  type: string,
  { owner, from, to }: RecordRequest,
): readonly Criterion[] {
  const code = context.definitions.sortDateParameter(type)?.code;
  if (code === undefined || code === BIRTH || type === owner.type) return [];
  return [
    ...(from === undefined ? [] : [orAbsent(context, type, code, `ge${toInstant(from)}`)]),
    ...(to === undefined ? [] : [orAbsent(context, type, code, `le${toInstant(to - 1)}`)]),
  ];
}

function orAbsent(context: SearchTypeContext, type: string, code: string, value: string): Criterion {
  const { isSingle: _alone, ...given } = criterionFor(context, type, code, value);
  const { anyOf } = criterionFor(context, type, `${code}:missing`, 'true');
  return { ...given, anyOf: [...given.anyOf, ...anyOf] };
}

function sinceCriterion(context: SearchTypeContext, type: string, since: number): Criterion {
  return criterionFor(context, type, '_lastUpdated', `ge${toInstant(since)}`);
}

function criterionFor(context: SearchTypeContext, type: string, name: string, value: string): Criterion {
  const criterion = parseCriterion(context, type, name, value);
  if (criterion === undefined) throw new Error(`${type} cannot be searched by ${name}`);
  return criterion;
}

/** Years have four digits; with an offset an instant may exceed them, and no resource has such a date. */
const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

function toInstant(milliseconds: number): string {
  return new Date(Math.min(Math.max(milliseconds, FIRST_INSTANT), LAST_INSTANT)).toISOString();
}

/** True if a position is within a step. */
export function isAt(
  { isShown, stream, part }: RecordStep,
  place: RecordEnd | undefined,
): place is RecordEnd {
  return place?.isShown === isShown && place.typeNumber === stream.typeNumber && place.part?.to === part?.to;
}

/** True if a step is completely before a position. */
export function isBefore({ isShown, stream, part }: RecordStep, place: RecordEnd): boolean {
  if (part !== undefined && place.part !== undefined && part.to !== place.part.to)
    return part.to < place.part.to;
  if (isShown !== place.isShown) return isShown;
  return stream.typeNumber < place.typeNumber;
}
