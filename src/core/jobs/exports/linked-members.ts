/** What the exports of Patients and Groups have beside the records: Provenance, and what the records refer to. */
import { whileBusy } from '../../concurrency/while-busy';
import type { RequestContext } from '../../context';
import { referenceAccessOf } from '../../authorization/referenced';
import { shownText } from '../../authorization/visibility';
import { isJsonObject, parseStoredObject } from '../../fhir/json';
import { visitReferenceTexts, type LocalReference } from '../../fhir/reference';
import { PATIENT, PROVENANCE } from '../../fhir/type-names';
import type { Services } from '../../ports';
import { storedParameters } from '../../search/parameters/parameter';
import {
  findLastMember,
  LEAST,
  readHeadKeys,
  readReferred,
  readReferring,
  type MemberPosition,
} from '../../storage/jobs/export-candidates';
import { addMembersAtMoment, findMemberTypes, type MemberBounds } from '../../storage/jobs/export-members';
import type { JobKey } from '../../storage/jobs/jobs';
import type { ResourceAddress } from '../../storage/read/version-address';
import { keyOfText, keyText, type VersionRow } from '../../storage/read/version-row';
import type { ExportRequest } from './export-request';
import type { TypePlan } from './export-types';
import { MembershipTest } from './membership-test';

/** Members whose references one statement follows, and resources of one statement. */
const PAGE = 1_000;
/** Resources whose texts are read together. */
const TARGETS = 500;
/** References among linked resources are followed so many times: a role names its Organization, and that another one. */
const MOST_ROUNDS = 5;

export interface LinkedOptions {
  readonly services: Services;
  readonly context: RequestContext;
  readonly job: JobKey;
  readonly request: ExportRequest;
  /** The types of the records. */
  readonly plans: readonly TypePlan[];
  readonly linked: readonly TypePlan[];
  readonly patients: readonly string[] | undefined;
  readonly bounds: MemberBounds;
  readonly signal: AbortSignal;
  /** Returns those of the keys of current resources that meet the criteria of the type. */
  select(plan: TypePlan, keys: readonly string[]): Promise<readonly string[]>;
}

/**
 * Adds the Provenance of the members, and the resources outside of all compartments that members refer to. Cost: three statements
 * for each thousand members.
 */
export async function addLinked(options: LinkedOptions): Promise<void> {
  const provenance = [...options.linked, ...options.plans].find(({ type }) => type === PROVENANCE);
  const others = options.linked.filter(({ type }) => type !== PROVENANCE);
  if (provenance !== undefined)
    await (isWhole(options) ? addProvenance : addProvenanceOfRecords)(options, provenance);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const present = await findPresent(options);
    const next =
      round === 0 ? present : present.filter((type) => others.some(({ number }) => number === type));
    let added = 0;
    for (const type of next) {
      for await (const position of positions(options, type))
        added += await addReferred(options, position, others);
    }
    if (added === 0) return;
  }
}

async function findPresent({ services, context, job, signal }: LinkedOptions): Promise<readonly number[]> {
  const most = services.definitions(context.space.release).resourceTypes.length * 2;
  const types = await whileBusy(() => findMemberTypes(services.database, job, most), { signal });
  return types.flatMap(({ type, deleted }) => (deleted ? [] : [type]));
}

/** Yields positions that together cover the members of a type. */
async function* positions(
  { services, job, signal }: LinkedOptions,
  type: number,
): AsyncGenerator<MemberPosition> {
  for (let after = 0; ;) {
    signal.throwIfAborted();
    const position = { type, after, limit: PAGE };
    const last = await whileBusy(() => findLastMember(services.database, job, position), { signal });
    if (last === undefined) return;
    yield position;
    after = last;
  }
}

async function addReferred(
  options: LinkedOptions,
  position: MemberPosition,
  others: readonly TypePlan[],
): Promise<number> {
  const { services, job, signal } = options;
  const numbers = others.map(({ number }) => number);
  const found = await whileBusy(() => readReferred(services.database, job, position, numbers), { signal });
  let added = 0;
  for (const plan of others)
    added += await add(options, plan, await withoutOthers(options, plan, found.get(plan.number) ?? []));
  return added;
}

/** True if all Provenance that is wanted is that of members: their records are whole, or only that of members is wanted. */
function isWhole({ request }: LinkedOptions): boolean {
  const { types, filters, since, until, sinceSequence, associated } = request;
  const limits = [types, since, until, sinceSequence];
  return associated.length > 0 || (filters.length === 0 && limits.every((limit) => limit === undefined));
}

/** Adds the Provenance with a target in the records, whether that is a member or not. Cost: reads all Provenance and its targets. */
async function addProvenanceOfRecords(options: LinkedOptions, plan: TypePlan): Promise<void> {
  const { services, context, request, patients, signal } = options;
  const space = context.space.number;
  const definitions = services.definitions(context.space.release);
  const test = new MembershipTest(services, context, request.level, patients);
  for (let after: string | undefined = LEAST; after !== undefined;) {
    const position: string = after;
    const page: readonly string[] = await whileBusy(
      () => readHeadKeys(services.database, space, { type: plan.number, after: position, limit: TARGETS }),
      { signal },
    );
    const targets = new Map<string, ResourceAddress>();
    const sources = new Map<string, string[]>();
    for await (const row of readEach(
      options,
      page.map((key) => ({ type: plan.number, key: keyOfText(key) })),
    ))
      for (const { type, id } of targetsOf(options, row)) {
        const address = { type: definitions.typeNumber(type) ?? 0, key: services.keys.keyOf(type, id) };
        const name = `${address.type} ${keyText(address.key)}`;
        targets.set(name, address);
        sources.set(name, [...(sources.get(name) ?? []), keyText(row.key)]);
      }
    const found = new Set<string>();
    for await (const row of readEach(options, [...targets.values()])) {
      const type = definitions.typeName(row.type) ?? '';
      if (type !== PROVENANCE && test.isInRecords(type, row))
        for (const key of sources.get(`${row.type} ${keyText(row.key)}`) ?? []) found.add(key);
    }
    await add(options, plan, [...found]);
    after = page.length < TARGETS ? undefined : page.at(-1);
  }
}

/** Yields the live current versions at some addresses. */
async function* readEach(
  { services, context, signal }: LinkedOptions,
  addresses: readonly ResourceAddress[],
): AsyncGenerator<VersionRow> {
  const space = context.space.number;
  for (let start = 0; start < addresses.length; start += TARGETS) {
    const some = addresses.slice(start, start + TARGETS);
    const rows = await whileBusy(() => services.reader.readCurrent(space, some), { signal });
    for await (const row of services.reader.completeEach(space, rows))
      if (row !== undefined && row.change !== 'delete') yield row;
  }
}

/** The local targets of a Provenance. */
function targetsOf({ services, context }: LinkedOptions, row: VersionRow): readonly LocalReference[] {
  const { target } = parseStoredObject(shownText(services, context, row.body));
  const references = services.references(context.space);
  return (Array.isArray(target) ? target : []).flatMap((one) => {
    const reference = isJsonObject(one) ? one['reference'] : undefined;
    return typeof reference === 'string' ? (references.local(reference) ?? []) : [];
  });
}

/** Adds the Provenance whose targets are members, or the latest of each. */
async function addProvenance(options: LinkedOptions, plan: TypePlan): Promise<void> {
  const { services, context, job, request, signal } = options;
  const definitions = services.definitions(context.space.release);
  const targets = storedParameters(definitions, PROVENANCE).get('target')?.rowsOf ?? [];
  const isLatest = request.associated.includes('LatestProvenanceResources');
  for (const type of await findPresent(options)) {
    if (type === plan.number) continue;
    for await (const position of positions(options, type))
      for (const { number } of targets) {
        const of = { ...position, source: plan.number, parameter: number, isLatest };
        const keys = await whileBusy(() => readReferring(services.database, job, of), { signal });
        await add(options, plan, keys);
      }
  }
}

async function add(options: LinkedOptions, plan: TypePlan, keys: readonly string[]): Promise<number> {
  const { services, job, bounds, signal } = options;
  let added = 0;
  for (let start = 0; start < keys.length; start += PAGE) {
    const selected = await options.select(plan, keys.slice(start, start + PAGE));
    added += await whileBusy(
      () => addMembersAtMoment(services.database, job, { type: plan.number, keys: selected, bounds }),
      { signal },
    );
  }
  return added;
}

/** Leaves out what names other Patients than those of the export, such as the implant of a relative. */
async function withoutOthers(
  options: LinkedOptions,
  { type, number }: TypePlan,
  keys: readonly string[],
): Promise<readonly string[]> {
  const { services, context, patients } = options;
  const definitions = services.definitions(context.space.release);
  const access = referenceAccessOf(definitions, type);
  if ((access !== 'own' && access !== 'ownOrNobodys') || keys.length === 0) return keys;
  const own = patients === undefined ? undefined : new Set(patients);
  const references = services.references(context.space);
  const kept: string[] = [];
  const addresses = keys.map((key) => ({ type: number, key: keyOfText(key) }));
  for await (const row of readEach(options, addresses)) {
    const named: string[] = [];
    visitReferenceTexts(parseStoredObject(row.body), (text) => {
      const local = references.local(text);
      if (local?.type === PATIENT) named.push(local.id);
    });
    const isOwn = named.every((id) => own?.has(id) ?? true);
    if (isOwn && (access === 'ownOrNobodys' || named.length > 0)) kept.push(keyText(row.key));
  }
  return kept;
}
