/** What the exports of Patients and Groups have beside the records: Provenance, and what the records refer to. */
import { whileBusy } from '../../concurrency/while-busy';
import type { RequestContext } from '../../context';
import { referenceAccessOf } from '../../authorization/referenced';
import { parseStoredObject } from '../../fhir/json';
import { visitReferenceTexts } from '../../fhir/reference';
import { PATIENT, PROVENANCE } from '../../fhir/type-names';
import type { Services } from '../../ports';
import { storedParameters } from '../../search/parameters/parameter';
import {
  findLastMember,
  readReferred,
  readReferring,
  type MemberPosition,
} from '../../storage/jobs/export-candidates';
import { addMembersAtMoment, findMemberTypes, type MemberBounds } from '../../storage/jobs/export-members';
import type { JobKey } from '../../storage/jobs/jobs';
import { keyOfText, keyText } from '../../storage/read/version-row';
import type { ExportRequest } from './export-request';
import type { TypePlan } from './export-types';

/** Members whose references one statement follows, and resources of one statement. */
const PAGE = 1_000;
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
  if (provenance !== undefined) await addProvenance(options, provenance);
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
  { services, context, patients, signal }: LinkedOptions,
  { type, number }: TypePlan,
  keys: readonly string[],
): Promise<readonly string[]> {
  const definitions = services.definitions(context.space.release);
  const access = referenceAccessOf(definitions, type);
  if ((access !== 'own' && access !== 'ownOrNobodys') || keys.length === 0) return keys;
  const own = patients === undefined ? undefined : new Set(patients);
  const references = services.references(context.space);
  const space = context.space.number;
  const kept: string[] = [];
  for (let start = 0; start < keys.length; start += PAGE) {
    const addresses = keys.slice(start, start + PAGE).map((key) => ({ type: number, key: keyOfText(key) }));
    const rows = await whileBusy(() => services.reader.readCurrent(space, addresses), { signal });
    for await (const row of services.reader.completeEach(space, rows)) {
      if (row === undefined || row.change === 'delete') continue;
      const named: string[] = [];
      visitReferenceTexts(parseStoredObject(row.body), (text) => {
        const local = references.local(text);
        if (local?.type === PATIENT) named.push(local.id);
      });
      const isOwn = named.every((id) => own?.has(id) ?? true);
      if (isOwn && (access === 'ownOrNobodys' || named.length > 0)) kept.push(keyText(row.key));
    }
  }
  return kept;
}
