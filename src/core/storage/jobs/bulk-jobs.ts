/** Jobs of bulk data: exports and imports, of which a space may have several at a time (docs/understand/storage.md). */
import { sql } from 'kysely';
import type { PrimaryConnections } from '../connection/connections';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import type { JobKey } from './jobs';

export type BulkKind = 'export' | 'import';

export interface NewBulkJob {
  readonly id: string;
  readonly kind: BulkKind;
  /** The client that asks for it; it is stored in the request under `client`. */
  readonly client: string;
  readonly request: object;
  readonly content?: Buffer | undefined;
  /** How often it may be begun, the first time included; undefined: without a limit. */
  readonly mostRuns?: number | undefined;
  /** Limits on open jobs of the kind. */
  readonly mostOfTenant: number;
  readonly mostOfClient: number;
}

const ADD = defineStatement(
  template(sql`
    select andiron.add_bulk_job(${bind('space')}::int, ${bind('id')}, ${bind('kind')}, ${bind('most_runs')}::int,
      ${bind('most_of_tenant')}::int, ${bind('most_of_client')}::int, ${bind('client')}, ${bind('request')}::jsonb,
      ${bind('content')}::bytea)`),
  { named: false },
);
const FIND_ADDED = defineStatement(
  template(sql`
    select j.id from andiron.job j
    where j.space = ${bind('space')}::int and j.id = ${bind('id')} limit 1`),
  { named: false },
);

/**
 * Adds a job. Returns whether it was stored, or whose limit on open jobs of the kind is reached. **Throws** notStored,
 * maybeStored.
 */
export async function addBulkJob(
  database: Pick<PrimaryConnections, 'write'>,
  space: number,
  { id, kind, client, request, content, mostRuns, mostOfTenant, mostOfClient }: NewBulkJob,
): Promise<'added' | 'tenant' | 'client'> {
  const bound = {
    ...{ space, id, kind, client, content: content ?? null, request: JSON.stringify(request) },
    most_runs: mostRuns ?? null,
    most_of_tenant: mostOfTenant,
    most_of_client: mostOfClient,
  };
  const [row] = await database.write('search', space, { statement: ADD, bound, find: FIND_ADDED });
  const added = row?.[0];
  return added === 'tenant' || added === 'client' ? added : 'added';
}

const KEEP = defineStatement(
  template(sql`
    select andiron.keep_export(${bind('space')}::int, ${bind('id')}, ${bind('kept')}::bigint, ${bind('left')}::jsonb)`),
);

/** What a file has left out that was in it when it was listed, by reason. */
export interface LeftOut {
  readonly erased: number;
  readonly forbidden: number;
}

/**
 * Keeps a finished export for `keptMs` milliseconds at least, and stores what one of its files has left out. False: there is no
 * such export.
 */
export async function keepExport(
  database: Database,
  { space, id }: JobKey,
  keptMs: number,
  left?: { readonly file: string; readonly leftOut: LeftOut },
): Promise<boolean> {
  const bound = {
    ...{ space, id, kept: keptMs },
    left: left === undefined ? null : JSON.stringify({ [left.file]: left.leftOut }),
  };
  const [row] = await database.run({ lane: 'search', space }, KEEP, bound);
  return row?.[0] === true;
}
