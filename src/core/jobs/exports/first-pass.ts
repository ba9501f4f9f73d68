/** The first pass of an export: it finds the versions that belong to it, and divides them into files. */
import { setTimeout } from 'node:timers/promises';
import { whileBusy } from '../../concurrency/while-busy';
import type { RequestContext } from '../../context';
import type { JsonObject } from '../../fhir/json';
import { PATIENT } from '../../fhir/type-names';
import { readGroupMembers } from '../../interactions/compartment/group-members';
import { RECORD_LIMITS } from '../../interactions/compartment/record-limits';
import type { Services } from '../../ports';
import { storedParameters } from '../../search/parameters/parameter';
import type { Criterion } from '../../search/predicate';
import { searchContext } from '../../search-execution/plan/prepare-search';
import {
  FIRST_REFERRER,
  LEAST,
  readChangedBefore,
  readDeletions,
  readHeadKeys,
  readReferrers,
  readReferrersOf,
  type ReferrerPage,
} from '../../storage/jobs/export-candidates';
import {
  addCurrentMembers,
  addMembers,
  findMemberTypes,
  findNextFile,
  type ExportMember,
  type FileSize,
  type MemberBounds,
} from '../../storage/jobs/export-members';
import { findNextVersions } from '../../storage/jobs/export-versions';
import { findExportMoment, type ExportMoment } from '../../storage/jobs/export-moment';
import type { JobKey } from '../../storage/jobs/jobs';
import { readLastSequence } from '../../storage/read/feed';
import { findPopulatedTypes } from '../../storage/read/populated-types';
import { keyOfText, keyText } from '../../storage/read/version-row';
import type { ExportRequest } from './export-request';
import { exportedTypes, planTypes, type TypePlan } from './export-types';
import { addLinked } from './linked-members';
import { MembershipTest } from './membership-test';

/** Resources of one statement. */
const PAGE = 1_000;
/** Patients whose records are read together. */
const PATIENTS = 100;
/** Versions of one page of changes; their texts are read. */
const CHANGES = 500;
/** Deleted resources whose last versions are read together. */
const DELETIONS = 64;
/** The times of two versions may contradict the order of their sequences by less than that, because no write takes longer. */
const LONGEST_WRITE_MS = 60_000;
/** Looks at the writes under way before an earlier moment is taken, with 20 ms between them. */
const MOMENT = { most: 250, longestWriteMs: LONGEST_WRITE_MS, pause: () => setTimeout(20) };

/** A file as it is stored in the result of an export. */
export interface StoredFile {
  readonly type: number;
  readonly deleted: boolean;
  /** False: it has all versions of the type that were current at the moment, and the export has no list of them. */
  readonly isListed: boolean;
  readonly after: number;
  readonly to: number;
  readonly count: number;
}

export interface ExportResult {
  readonly moment: ExportMoment;
  readonly files: readonly StoredFile[];
  /** True: the files were written to the store of content. */
  readonly isStored?: boolean;
}

/** What a run has reached, from which a later one goes on. */
export interface ExportProgress {
  readonly moment: ExportMoment;
  /** Numbers of the types that are complete. */
  readonly done: readonly number[];
  readonly types: number;
  readonly found: number;
}

export interface FirstPassOptions {
  readonly services: Services;
  readonly context: RequestContext;
  readonly job: JobKey;
  readonly request: ExportRequest;
  readonly fileSize: FileSize;
  readonly earlier: ExportProgress | undefined;
  readonly signal: AbortSignal;
  report(progress: ExportProgress): void;
}

export class FirstPass {
  readonly #done: number[] = [];
  #found: number;
  #types = 0;

  private constructor(
    private readonly options: FirstPassOptions,
    private readonly moment: ExportMoment,
    /** Ids of the Patients; undefined: the export has no such limit. */
    private readonly patients: readonly string[] | undefined,
  ) {
    this.#done = [...(options.earlier?.done ?? [])];
    this.#found = options.earlier?.found ?? 0;
  }

  /** Runs the pass, which may be repeated after an interruption. Throws the reason of the signal when it is aborted. */
  static async run(options: FirstPassOptions): Promise<ExportResult> {
    const { services, context, request, earlier } = options;
    const moment =
      earlier?.moment ??
      (await whileBusy(() => findExportMoment(services.database, context.space.number, MOMENT), options));
    const pass = new FirstPass(options, moment, await patientsOf(services, context, request));
    return pass.#run();
  }

  async #run(): Promise<ExportResult> {
    const { services, context, request, job } = this.options;
    const { own, linked } = exportedTypes(services, context, request);
    const plans = await planTypes(services, context, request, own);
    const populated = await this.#step(() =>
      findPopulatedTypes(
        services.database,
        context.space.number,
        plans.map(({ number }) => number),
      ),
    );
    this.#types = populated.size;
    this.#report();
    const isWhole = ({ alternatives }: TypePlan): boolean =>
      request.level === 'system' && alternatives === undefined;
    const whole = plans.filter(isWhole);
    const listed = plans.filter((plan) => !isWhole(plan));
    for (const plan of listed) {
      if (this.#done.includes(plan.number) || !populated.has(plan.number)) continue;
      await this.#find(plan);
      this.#done.push(plan.number);
      this.#report();
    }
    if (listed.length > 0) await this.#addChanged(listed);
    if (request.level !== 'system') {
      const linkedPlans = await planTypes(services, context, request, linked);
      const { signal } = this.options;
      await addLinked({
        ...{ services, context, job, request, plans, linked: linkedPlans, signal, patients: this.patients },
        bounds: this.#bounds,
        select: (plan, keys) => this.#select(plan, keys),
      });
    }
    if (request.since !== undefined || request.sinceSequence !== undefined) await this.#addDeleted(plans);
    const files = await this.#divideList();
    for (const { number } of whole) {
      files.push(...(await this.#divideWhole(number)));
      if (!populated.has(number)) continue;
      this.#done.push(number);
      this.#report();
    }
    files.sort((a, b) => Number(a.deleted) - Number(b.deleted) || a.type - b.type || a.after - b.after);
    return { moment: this.moment, files };
  }

  get #bounds(): MemberBounds {
    return boundsOf(this.options.request, this.moment);
  }

  #report(): void {
    const progress = { moment: this.moment, done: [...this.#done], types: this.#types, found: this.#found };
    this.options.report(progress);
  }

  /** Runs a statement, which is repeated while the server is busy. */
  #step<Result>(work: () => Promise<Result>): Promise<Result> {
    const { signal } = this.options;
    signal.throwIfAborted();
    return whileBusy(work, { signal });
  }

  /** Adds the resources of a type whose current version belongs to the export. */
  async #find(plan: TypePlan): Promise<void> {
    const { services, job } = this.options;
    for await (const keys of this.#candidates(plan)) {
      const selected = await this.#select(plan, keys);
      this.#found += await this.#step(() =>
        addCurrentMembers(services.database, job, {
          type: plan.number,
          keys: selected,
          bounds: this.#bounds,
        }),
      );
      this.#report();
    }
  }

  /** The keys of resources that may belong to the export, page by page. */
  async *#candidates({ type, number }: TypePlan): AsyncGenerator<readonly string[]> {
    const { services, context, request } = this.options;
    const space = context.space.number;
    const { database, keys } = services;
    const { patients } = this;
    const patientKeys = patients?.map((id) => keyText(keys.keyOf(PATIENT, id))) ?? [];
    if (type === PATIENT && patients !== undefined) {
      yield* slices(patientKeys, PAGE);
      return;
    }
    if (request.level === 'system' || type === PATIENT) {
      for (let after: string | undefined = LEAST; after !== undefined;) {
        const position: string = after;
        const page = await this.#step(() =>
          readHeadKeys(database, space, { type: number, after: position, limit: PAGE }),
        );
        yield page;
        after = page.length < PAGE ? undefined : page.at(-1);
      }
      return;
    }
    for (const parameter of compartmentParameters(services, context, type)) {
      if (patients === undefined)
        yield* this.#referrers((of) => readReferrers(database, space, { ...of, parameter }));
      for (const some of slices(patientKeys, PATIENTS))
        yield* this.#referrers((of) => readReferrersOf(database, space, some, { ...of, parameter }));
    }
  }

  async *#referrers(
    read: (of: {
      readonly targetType: number;
      readonly after: NonNullable<ReferrerPage['next']>;
      readonly limit: number;
    }) => Promise<ReferrerPage>,
  ): AsyncGenerator<readonly string[]> {
    const { services, context } = this.options;
    const targetType = services.definitions(context.space.release).typeNumber(PATIENT) ?? 0;
    for (let after: ReferrerPage['next'] = FIRST_REFERRER; after !== undefined;) {
      const position = after;
      const page: ReferrerPage = await this.#step(() => read({ targetType, after: position, limit: PAGE }));
      yield page.keys;
      after = page.next;
    }
  }

  /** Returns those of the keys of current resources that meet the criteria of the type. */
  async #select({ number, alternatives }: TypePlan, keys: readonly string[]): Promise<readonly string[]> {
    if (alternatives === undefined || keys.length === 0) return keys;
    const { services, context } = this.options;
    const among: Criterion = { name: '_id', anyOf: [{ index: 'key', keys: keys.map(keyOfText) }] };
    const found = new Set<string>();
    for (const criteria of alternatives) {
      const heads = await this.#step(() =>
        services.grantSearches.matches(services, context.space.number, number, [among, ...criteria]),
      );
      for (const head of heads) found.add(head.keyText);
    }
    return [...found];
  }

  /** Adds what belonged to the export at its moment, and was changed or deleted while it was looked for. */
  async #addChanged(plans: readonly TypePlan[]): Promise<void> {
    const { services, context, job, request } = this.options;
    const { database } = services;
    const space = context.space.number;
    const test = new MembershipTest(services, context, request.level, this.patients);
    const byNumber = new Map(plans.map((plan) => [plan.number, plan]));
    const { last, since, until, sinceSequence } = this.#bounds;
    const end = await this.#step(() => readLastSequence(database, space));
    for (let after = last; after < end; after += CHANGES) {
      const range = { types: [...byNumber.keys()], after, to: Math.min(end, after + CHANGES), last };
      const rows = await this.#step(() => readChangedBefore(database, space, range));
      const members: ExportMember[] = [];
      for await (const row of services.reader.completeEach(space, rows)) {
        const plan = row && byNumber.get(row.type);
        if (row === undefined || plan === undefined) continue;
        const { lastUpdated, sequence, version } = row;
        if (lastUpdated <= since || lastUpdated >= until || sequence <= sinceSequence) continue;
        const key = keyText(row.key);
        if (await test.passes(plan, row, () => this.#select(plan, [key])))
          members.push({ type: row.type, key, version, sequence });
      }
      this.#found += await this.#step(() => addMembers(database, job, members, false));
    }
  }

  /** Adds the deletions since the time that the client named. */
  async #addDeleted(plans: readonly TypePlan[]): Promise<void> {
    const { services, context, job, request } = this.options;
    const { database, reader } = services;
    const space = context.space.number;
    const test = new MembershipTest(services, context, request.level, this.patients);
    const byNumber = new Map(plans.map((plan) => [plan.number, plan]));
    const bounds = {
      ...this.#bounds,
      types: [...byNumber.keys()],
      disorderMs: LONGEST_WRITE_MS,
    };
    for await (const deletions of readDeletions(database, space, bounds)) {
      for (const some of slices(deletions, DELETIONS)) {
        const isMember = await Promise.all(
          some.map(async ({ type, key, version }) => {
            const plan = byNumber.get(type);
            const address = { type, key: keyOfText(key) };
            const before = await this.#step(() => reader.version(space, address, version - 1));
            return plan !== undefined && before !== undefined && test.passed(plan, before);
          }),
        );
        const members = some.filter((_deletion, index) => isMember[index]);
        await this.#step(() => addMembers(database, job, members, true));
      }
    }
  }

  /** Divides the members of each type into files. */
  async #divideList(): Promise<StoredFile[]> {
    const { services, context, job, fileSize } = this.options;
    const { database } = services;
    const most = services.definitions(context.space.release).resourceTypes.length * 2;
    const files: StoredFile[] = [];
    for (const { type, deleted } of await this.#step(() => findMemberTypes(database, job, most))) {
      for (let after = 0; ;) {
        const from = { type, deleted, after };
        const next = await this.#step(() => findNextFile(database, job, from, fileSize));
        if (next === undefined) break;
        files.push({ ...from, ...next, isListed: true });
        after = next.to;
      }
    }
    return files;
  }

  /** Divides all versions of a type that were current at the moment into files. */
  async #divideWhole(type: number): Promise<StoredFile[]> {
    const { services, context, fileSize } = this.options;
    const files: StoredFile[] = [];
    for (let after = 0; ;) {
      const from = { type, after, bounds: this.#bounds };
      const next = await this.#step(() =>
        findNextVersions(services.database, context.space.number, from, fileSize),
      );
      if (next === undefined) return files;
      if (next.count > 0) files.push({ type, after, ...next, deleted: false, isListed: false });
      after = next.to;
      this.#found += next.count;
    }
  }
}

/** The bounds of the versions of an export that was made at a moment. */
export function boundsOf(
  {
    since = -1,
    until = Number.MAX_SAFE_INTEGER,
    sinceSequence = 0,
  }: Pick<ExportRequest, 'since' | 'until' | 'sinceSequence'>,
  { sequence }: ExportMoment,
): MemberBounds {
  return { last: sequence, since, until, sinceSequence };
}

/** The Patients to whom an export is limited; undefined: it has all. */
export async function patientsOf(
  services: Services,
  context: RequestContext,
  { level, group, patients }: Pick<ExportRequest, 'level' | 'group' | 'patients'>,
): Promise<readonly string[] | undefined> {
  if (level !== 'group' || group === undefined) return patients;
  const bounds = { now: Date.now(), limit: RECORD_LIMITS.membersOfExport };
  const members = await readGroupMembers(services, context, group, bounds);
  if (patients === undefined) return members;
  const wanted = new Set(patients);
  return members.filter((id) => wanted.has(id));
}

/** The numbers of the parameters whose rows put resources of a type into the compartments of Patients. */
function compartmentParameters(services: Services, context: RequestContext, type: string): readonly number[] {
  const { definitions } = searchContext(services, context);
  const stored = storedParameters(definitions, type);
  const codes = definitions.compartments.get(PATIENT)?.parameters.get(type) ?? [];
  const numbers = codes.flatMap((code) => stored.get(code)?.rowsOf.map(({ number }) => number) ?? []);
  return [...new Set(numbers)];
}

function* slices<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** The progress that an earlier run has stored; undefined: there is none. */
export function toProgress(stored: JsonObject | undefined): ExportProgress | undefined {
  return stored === undefined || stored['moment'] === undefined
    ? undefined
    : (stored as unknown as ExportProgress);
}
