/** Jobs of administration (docs/run/operations.md): the statements of requests about the jobs of one tenant. */
import { sql } from 'kysely';
import type { JsonObject } from '../../fhir/json';
import type { TenantReference } from '../accounts/client-applications';
import type { Database, DatabaseOptions, Row } from '../connection/database';
import { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';

export type AdministrationJobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

/** A job that is to be stored. */
export interface NewStoredJob {
  readonly id: string;
  readonly kind: string;
  readonly request: JsonObject;
  /** Bytes that belong to the request; they are kept until the end of the job. */
  readonly content?: Buffer | undefined;
}

export interface StoredAdministrationJob {
  readonly id: string;
  readonly kind: string;
  readonly state: AdministrationJobState;
  /** True: it was cancelled, and its process has not stopped it yet if it runs. */
  readonly isCancelled: boolean;
  readonly request: JsonObject;
  readonly progress: object | undefined;
  readonly result: object | undefined;
  /** Why it failed, for administrators. */
  readonly failure: string | undefined;
  /** Milliseconds since 1970, as the following ones. */
  readonly created: number;
  readonly started: number | undefined;
  readonly ended: number | undefined;
}

/** How a job was cancelled: it had ended and is removed, it had not begun, or its process stops it at its next step. */
export type Cancelled = 'removed' | 'cancelled' | 'told';

/** Limits on the ended jobs of a tenant. */
export interface EndedLimits {
  readonly keptMs: number;
  readonly most: number;
}

const COLUMNS = sql`
  j.id, j.kind, j.state, j.cancelled, j.request, j.progress, j.result, j.failure,
  floor(extract(epoch from j.created) * 1000)::bigint, floor(extract(epoch from j.started) * 1000)::bigint,
  floor(extract(epoch from j.ended) * 1000)::bigint`;
const IS_KEPT = sql`(j.ended is null or j.ended > now() - ${bind('kept')}::bigint * interval '1 millisecond')`;

const ADD = defineStatement(
  template(sql`
    insert into andiron.administration_job (tenant, id, kind, request, content)
    values (${bind('tenant')}::int, ${bind('id')}, ${bind('kind')}, ${bind('request')}::jsonb, ${bind('content')}::bytea)
    on conflict (tenant, kind) where state in ('queued', 'running') do nothing
    returning id`),
  { named: false },
);
/** Room for the new job among the `most` that are listed. */
const REMOVE_OLDEST = defineStatement(
  template(sql`
    delete from andiron.administration_job j
    where j.tenant = ${bind('tenant')}::int and j.id in (
      select o.id from andiron.administration_job o
      where o.tenant = ${bind('tenant')}::int and o.ended is not null
      order by o.created desc, o.id offset ${bind('most')}::int)`),
  { named: false },
);
const FIND_OPEN = defineStatement(
  template(sql`
    select j.id from andiron.administration_job j
    where j.tenant = ${bind('tenant')}::int and j.kind = ${bind('kind')} and j.state in ('queued', 'running') limit 1`),
  { named: false },
);
const FIND = defineStatement(
  template(sql`
    select ${COLUMNS} from andiron.administration_job j
    where j.tenant = ${bind('tenant')}::int and j.id = ${bind('id')} and ${IS_KEPT} limit 1`),
);
const LIST = defineStatement(
  template(sql`
    select ${COLUMNS} from andiron.administration_job j
    where j.tenant = ${bind('tenant')}::int and ${IS_KEPT}
    order by j.created desc, j.id limit ${bind('limit')}::int`),
);
const LOCK = defineStatement(
  template(sql`
    select j.state from andiron.administration_job j
    where j.tenant = ${bind('tenant')}::int and j.id = ${bind('id')} limit 1 for update`),
  { named: false },
);
const REMOVE = defineStatement(
  template(sql`
    delete from andiron.administration_job where tenant = ${bind('tenant')}::int and id = ${bind('id')}`),
  { named: false },
);
const CANCEL = defineStatement(
  template(sql`
    update andiron.administration_job j
       set cancelled = true,
           state = case when j.state = 'queued' then 'cancelled' else j.state end,
           ended = case when j.state = 'queued' then now() end,
           content = case when j.state <> 'queued' then j.content end
     where j.tenant = ${bind('tenant')}::int and j.id = ${bind('id')}`),
  { named: false },
);

const PIECE_BYTES = 1024 * 1024;
const READ_PIECE = defineStatement(
  template(sql`
    select substring(j.content from ${bind('start')}::int + 1 for ${sql.lit(PIECE_BYTES)})
    from andiron.administration_job j
    where j.tenant = ${bind('tenant')}::int and j.id = ${bind('id')} and j.content is not null limit 1`),
);
const ANY = defineStatement(template(sql`select andiron.have_administration_jobs(${bind('kept')}::bigint)`));

/** Open jobs, of which each tenant has one of a kind, are listed besides the ended ones. */
const MOST_OPEN = 10;

/** Stores jobs. Reads run as the application role, changes as the owner on a connection of their own. */
export class AdministrationJobStore {
  constructor(
    private readonly database: Database,
    private readonly owner: DatabaseOptions,
    private readonly limits: EndedLimits,
  ) {}

  /**
   * Adds a job. Returns the id of the open job of this kind that the tenant has; undefined: it had none, and the job is
   * stored. **Throws** notStored, maybeStored.
   */
  async add({ tenantNumber: tenant }: TenantReference, job: NewStoredJob): Promise<string | undefined> {
    const { id, kind, request, content = null } = job;
    return OwnerSession.inTransaction(this.owner, async (session) => {
      const bound = { tenant, id, kind, request: JSON.stringify(request), content };
      for (;;) {
        if ((await session.run(ADD, bound)).length > 0) break;
        const [open] = await session.run(FIND_OPEN, { tenant, kind });
        // Undefined: it has ended since.
        if (open !== undefined) return String(open[0]);
      }
      await session.run(REMOVE_OLDEST, { tenant, most: this.limits.most - 1 });
      return undefined;
    });
  }

  async find(
    { number, tenantNumber: tenant }: TenantReference,
    id: string,
  ): Promise<StoredAdministrationJob | undefined> {
    const bound = { tenant, id, kept: this.limits.keptMs };
    const [row] = await this.database.run({ lane: 'search', space: number }, FIND, bound);
    return row === undefined ? undefined : toJob(row);
  }

  /** The newest first. */
  async list({ number, tenantNumber: tenant }: TenantReference): Promise<readonly StoredAdministrationJob[]> {
    const bound = { tenant, kept: this.limits.keptMs, limit: this.limits.most + MOST_OPEN };
    return (await this.database.run({ lane: 'search', space: number }, LIST, bound)).map(toJob);
  }

  /** Undefined: there is no such job. */
  async cancel({ tenantNumber: tenant }: TenantReference, id: string): Promise<Cancelled | undefined> {
    return OwnerSession.inTransaction(this.owner, async (session) => {
      const [row] = await session.run(LOCK, { tenant, id });
      if (row === undefined) return undefined;
      const isOpen = row[0] === 'queued' || row[0] === 'running';
      await session.run(isOpen ? CANCEL : REMOVE, { tenant, id });
      if (!isOpen) return 'removed';
      return row[0] === 'queued' ? 'cancelled' : 'told';
    });
  }

  /** Yields the content of a job in pieces of a megabyte; nothing where it has none. */
  async *content(
    { number, tenantNumber: tenant }: TenantReference,
    id: string,
  ): AsyncGenerator<Buffer, void> {
    for (let start = 0; ; start += PIECE_BYTES) {
      const [row] = await this.database.run({ lane: 'search', space: number }, READ_PIECE, {
        tenant,
        id,
        start,
      });
      const piece = row?.[0];
      if (!Buffer.isBuffer(piece) || piece.length === 0) return;
      yield piece;
    }
  }

  /** True: a job of any tenant is open, or has ended so long ago that it is to be removed. */
  async haveWork(): Promise<boolean> {
    const bound = { kept: this.limits.keptMs };
    const [row] = await this.database.run({ lane: 'search', space: undefined }, ANY, bound);
    return row?.[0] === true;
  }
}

function toJob(row: Row): StoredAdministrationJob {
  const [id, kind, state, isCancelled, request, progress, result, failure, created, started, ended] = row as [
    string,
    string,
    AdministrationJobState,
    boolean,
    JsonObject,
    object | null,
    object | null,
    string | null,
    number,
    number | null,
    number | null,
  ];
  return {
    ...{ id, kind, state, isCancelled, request, created },
    progress: progress ?? undefined,
    result: result ?? undefined,
    failure: failure ?? undefined,
    started: started ?? undefined,
    ended: ended ?? undefined,
  };
}
