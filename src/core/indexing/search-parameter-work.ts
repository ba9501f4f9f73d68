/**
 * Background work for the search parameters of tenants: indexing older resources for new parameters, and removing the
 * rows of old ones. Any process does it, as a job of the space, and continues where another has stopped.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { turns } from '../concurrency/turns';
import type { Log, Space, TenantSpace } from '../context';
import { FhirError } from '../errors';
import { EXCEEDED } from './exceeded-parameter';
import { logFailure } from './fail-parameter';
import { parseStoredObject } from '../fhir/json';
import type { Extractor } from '../search/rows/extract';
import { parameterOfRow, type IndexRows } from '../search/rows/index-rows';
import type { Services } from '../ports';
import type { DatabaseOptions } from '../storage/connection/database';
import {
  MAX_TARGETS,
  repairResources,
  type CurrentVersion,
  type RepairTarget,
  type ExpectedRows,
} from '../storage/indexing/index-repair';
import { readTexts } from '../storage/indexing/index-scan';
import {
  INDEX_TABLES,
  noRows,
  targetKeysText,
  toResourceRows,
  type IndexRow,
} from '../storage/indexing/index-tables';
import { OwnerSession } from '../storage/connection/owner-session';
import { lockReindex } from '../storage/indexing/row-record';
import {
  advanceIndexing,
  failParameters,
  failIndexing,
  finishIndexing,
  readNextHeads,
  readSpace,
  releaseIndexing,
  removeRowsOf,
  startIndexing,
  type RequestedWork,
  type UnindexedHead,
} from '../storage/indexing/search-parameter-work';
import { readAsOwner, type ParameterProgress } from '../storage/indexing/search-parameters';
import { NO_ROWS, sortDateText } from '../storage/write/version-write';

/** All processes have loaded a change after 1.5 s (spaces.ts); until then they may search by a removed parameter. */
const GRACE_MS = 3_000;
/** Consecutive processes that may die in a run without progress. */
const MAX_ATTEMPTS = 3;
const NO_PROGRESS = `The server ended ${MAX_ATTEMPTS} times while it indexed this parameter, without any progress`;
/** Bytes of texts that are indexed before other work gets a turn. */
const MAX_BYTES = 1024 * 1024;
/** A stored resource is indexed completely, whatever the limit for clients is now. */
const MAX_ROWS_OF_RESOURCE = 10_000_000;
/** Texts from this length on go to the worker thread. */
const LONG_TEXT = 256 * 1024;

export interface SearchParameterWorkOptions {
  readonly services: Pick<Services, 'createExtractor' | 'database' | 'definitions' | 'preparer'>;
  readonly database: DatabaseOptions;
  readonly log: Log;
  /** Called when parameters of a tenant have become searchable or were removed. */
  readonly changed: (tenant: string) => void;
}

export class SearchParameterWork {
  /** Identifies the attempts of this process; a process that finds another's mark knows that the other has ended. */
  private readonly process = randomUUID();

  constructor(private readonly options: SearchParameterWorkOptions) {}

  /**
   * Works on the pending parameters of a space until none is left, or until `signal` is aborted and the resources are done that it is
   * processing. False: another process or a reindex works there.
   */
  async run(spaceNumber: number, signal: AbortSignal): Promise<boolean> {
    const session = await OwnerSession.openFor(spaceNumber, this.options.database);
    try {
      const space = await readSpace(session, spaceNumber);
      if (space === undefined) return true;
      if (!(await lockReindex(session, spaceNumber))) return false;
      await this.workIn(session, space, signal);
      return true;
    } finally {
      // This also ends the lock.
      await session.close();
    }
  }

  private async workIn(session: OwnerSession, space: Space, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const all = await readAsOwner(session, space);
      const pending = all.filter(({ isPending }) => isPending);
      const [ready] = pending.filter(isReady);
      if (ready === undefined) {
        if (pending.length === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 200));
        continue;
      }
      const { type } = ready.parameter;
      const group = pending.filter((one) => one.parameter.type === type && isReady(one));
      const { services } = this.options;
      const run = new ParameterIndexing({ services, session, space, type, all, group });
      try {
        if (!(await run.start(this.process, signal))) return;
        this.options.changed(space.tenant);
      } catch (error) {
        if (error instanceof FhirError) throw error;
        if (error instanceof FailedParametersError) {
          await this.fail(session, space, all, error);
          continue;
        }
        const reason = error instanceof Error ? error.message : String(error);
        this.options.log.error({ reason }, 'a search parameter could not be indexed');
        await failIndexing(session, space.number, run.work, 'The server failed; its log says why');
      }
    }
  }

  private async fail(
    session: OwnerSession,
    space: Space,
    all: readonly ParameterProgress[],
    { numbers, reason }: FailedParametersError,
  ): Promise<void> {
    await failParameters(session, { space: space.number, numbers }, reason);
    for (const { parameter } of all)
      if (numbers.includes(parameter.number)) logFailure(this.options.log, space.tenant, parameter, reason);
    this.options.changed(space.tenant);
  }
}

/** The run cannot continue with these parameters. */
class FailedParametersError extends Error {
  constructor(
    readonly numbers: readonly number[],
    readonly reason: string,
  ) {
    super(reason);
    this.name = 'FailedParametersError';
  }
}

interface ParameterIndexingOptions {
  readonly services: Pick<Services, 'createExtractor' | 'definitions' | 'preparer'>;
  readonly session: OwnerSession;
  readonly space: Space;
  readonly type: string;
  /** All parameters of the space. */
  readonly all: readonly ParameterProgress[];
  /** The parameters that this run indexes or removes. */
  readonly group: readonly ParameterProgress[];
}

function isReady({ parameter, age }: ParameterProgress): boolean {
  return parameter.state !== 'removing' || age >= GRACE_MS;
}

/**
 * One run over the live resources of a type, in the order of their keys. Each is repaired under the lock of its head,
 * as a reindex does: missing rows of the new parameters, and the whole head (presence bits and
 * target keys, without those of removed parameters).
 *
 * No write commits without knowing all parameters (store_versions). So resources that the run has passed stay
 * correct, and a new parameter never has superfluous rows.
 */
class ParameterIndexing {
  readonly work: readonly RequestedWork[];
  private readonly typeNumber: number;
  private readonly made: ReadonlySet<number>;
  private readonly removed: readonly number[];
  private readonly extract: Extractor;
  private readonly spaceAsRead: TenantSpace;

  constructor(private readonly options: ParameterIndexingOptions) {
    const { services, space, type, all, group } = options;
    const list = all.map(({ parameter }) => parameter);
    // Index rows do not depend on these settings.
    const settings = {
      validation: 'structure',
      searchUnknown: 'strict',
      referentialIntegrity: 'off',
      conditionalDelete: 'single',
      secondFactor: 'optional',
      openedTypes: [],
      limits: {},
    } as const;
    this.spaceAsRead = { ...space, settings, searchParameters: { change: all[0]?.change ?? 0, list } };
    this.extract = services.createExtractor(this.spaceAsRead, MAX_ROWS_OF_RESOURCE);
    this.typeNumber = services.definitions(space.release).typeNumber(type) ?? 0;
    this.work = group.map(({ parameter: { number }, requestedAt }) => ({ number, requestedAt }));
    const isRemoved = ({ parameter: { state } }: ParameterProgress): boolean => state === 'removing';
    this.made = new Set(group.filter((one) => !isRemoved(one)).map(({ parameter }) => parameter.number));
    this.removed = group.filter(isRemoved).map(({ parameter }) => parameter.number);
  }

  /** Returns false if it was stopped. Throws FailedParametersError. */
  async start(process: string, signal: AbortSignal): Promise<boolean> {
    const { typeNumber, work } = this;
    const { session } = this.options;
    const space = this.options.space.number;
    if (this.removed.length > 0) await removeRowsOf(session, space, this.removed);
    const numbers = work.map(({ number }) => number);
    const start = await startIndexing(session, { space, type: typeNumber, numbers, process });
    if (start.attempts > MAX_ATTEMPTS) throw new FailedParametersError(numbers, NO_PROGRESS);
    let { after, indexed } = start;
    for (;;) {
      if (signal.aborted) {
        await releaseIndexing(session, { space, numbers });
        return false;
      }
      const heads = withinBytes(
        await readNextHeads(session, { space, type: typeNumber, after, limit: MAX_TARGETS }),
      );
      const last = heads.at(-1);
      if (last === undefined) break;
      await this.repair(heads);
      after = last.key;
      indexed += heads.length;
      await advanceIndexing(session, { space, work, after, indexed });
      await setImmediate();
    }
    const complete = work.filter(({ number }) => this.made.has(number));
    await finishIndexing(session, space, complete, this.removed);
    return true;
  }

  private async repair(heads: readonly UnindexedHead[]): Promise<void> {
    const { typeNumber: type } = this;
    const { session } = this.options;
    const space = this.options.space.number;
    const texts = await readTexts(
      session,
      space,
      heads.map(({ key, version }) => ({ type, key, version })),
    );
    const targets: RepairTarget[] = [];
    for (const [index, { key, version, lastUpdated }] of heads.entries()) {
      await turns.take();
      const body = texts[index];
      // A head without its version cannot be repaired.
      if (body === undefined) continue;
      const wanted = this.wantedOf(lastUpdated, await this.rowsOf(body));
      targets.push({ type, key, stored: noRows(), seen: { version, lastUpdated, wanted } });
    }
    const recompute = (_target: unknown, { isDeletion, lastUpdated, body }: CurrentVersion): ExpectedRows => {
      const rows = isDeletion ? NO_ROWS : this.extractRows(body);
      return { ...this.wantedOf(lastUpdated, rows), deleted: isDeletion };
    };
    if (targets.length === 0) return;
    const { left } = await repairResources(session, space, targets, recompute);
    for (const target of left) await repairResources(session, space, [target], recompute);
  }

  private async rowsOf(body: string): Promise<IndexRows> {
    if (body.length < LONG_TEXT) return this.extractRows(body);
    try {
      const { services, type } = this.options;
      return requireAllRows(await services.preparer.rows({ space: this.spaceAsRead, type, body }));
    } catch (error) {
      // The resource has more rows than clients may write now.
      if (error instanceof FhirError && error.key === 'tooCostly') return this.extractRows(body);
      throw error;
    }
  }

  private extractRows(body: string): IndexRows {
    return requireAllRows(this.extract(this.options.type, parseStoredObject(body)));
  }

  /** The whole head, and the rows of the parameters that are being indexed. */
  private wantedOf(lastUpdated: number, rows: IndexRows): ExpectedRows {
    const all = toResourceRows(rows);
    const wanted = noRows();
    for (const table of INDEX_TABLES) wanted[table] = all[table].filter((row) => this.isMade(row));
    return {
      deleted: false,
      lastUpdated,
      sortDate: sortDateText(rows.sortDate),
      presence: Buffer.from(rows.presence),
      targetKeys: targetKeysText(rows),
      rows: wanted,
    };
  }

  private isMade([number]: IndexRow): boolean {
    const parameter = parameterOfRow(number);
    return parameter !== undefined && this.made.has(parameter);
  }
}

/** Throws FailedParametersError: for a stored resource the parameter fails, not the resource. */
function requireAllRows(rows: IndexRows): IndexRows {
  if (rows.exceeded !== undefined) throw new FailedParametersError([rows.exceeded.parameter], EXCEEDED);
  return rows;
}

/** The first heads whose texts fit into MAX_BYTES, at least one. */
function withinBytes(heads: readonly UnindexedHead[]): readonly UnindexedHead[] {
  let bytes = 0;
  const count = heads.findIndex((head, index) => index > 0 && (bytes += head.bytes) > MAX_BYTES);
  return count < 0 ? heads : heads.slice(0, count);
}
