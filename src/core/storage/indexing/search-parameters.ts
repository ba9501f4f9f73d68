/** Reads and registers the search parameters of tenants. */
import { sql } from 'kysely';
import type { Space } from '../../context';
import { loadDefinitions } from '../../fhir/definitions';
import type {
  TenantParameter,
  TenantParameterDefinition,
  TenantParameterState,
} from '../../search/parameters/tenant-parameter';
import type { ParameterPair } from '../../search/parameters/tenant-parameter-check';
import type { Database, Row } from '../connection/database';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';

/** Above the number that can exist at once (tenant-parameter-check.ts), with those that are being removed. */
const MAX_PARAMETERS = 20_000;

const READ = defineStatement(
  template(sql`
    select p.number, p.resource_type, p.slot, p.code, p.url, p.owner, p.state, p.definition, p.pending, p.resources,
           p.indexed, p.failure, p.changed::text,
           floor(extract(epoch from clock_timestamp() - p.changed) * 1000)::int,
           andiron.search_parameter_changes(s.tenant)
    from andiron.search_parameter p join andiron.space s on s.number = p.space
    where p.space = ${bind('space')}::int order by p.number limit ${bind('limit')}::int`),
);

/** The progress of the work on a parameter. */
export interface ParameterProgress {
  readonly parameter: TenantParameter;
  /** True: its rows are yet to be made or removed. */
  readonly isPending: boolean;
  /** Live resources of the type when the work began, and how many of them are done. */
  readonly resources: number;
  readonly indexed: number;
  /** Why the work was abandoned; undefined: it was not. */
  readonly failure: string | undefined;
  /** When the work was last requested, in PostgreSQL's format, and its age in milliseconds by PostgreSQL's clock. */
  readonly requestedAt: string;
  readonly age: number;
  /** Number of the last change of the tenant's parameters, the same for all. */
  readonly change: number;
}

/** Reads all parameters of a space in the order of their numbers. **Cost**: one statement. */
export async function readSearchParameters(
  database: Database,
  space: Pick<Space, 'number' | 'release'>,
): Promise<ParameterProgress[]> {
  const rows = await database.run({ lane: 'search', space: space.number }, READ, {
    space: space.number,
    limit: MAX_PARAMETERS,
  });
  return toProgress(space, rows);
}

/** As `readSearchParameters`, on a connection of the owner. */
export async function readAsOwner(
  session: OwnerSession,
  space: Pick<Space, 'number' | 'release'>,
): Promise<ParameterProgress[]> {
  return toProgress(space, await session.run(READ, { space: space.number, limit: MAX_PARAMETERS }));
}

function toProgress({ release }: Pick<Space, 'release'>, rows: readonly Row[]): ParameterProgress[] {
  const definitions = loadDefinitions(release);
  return rows.flatMap((row) => {
    const [number, typeNumber, slot, code, url, owner, state] = row as [
      number,
      number,
      number,
      string,
      string,
      string,
      TenantParameterState,
    ];
    const [definition, isPending, resources, indexed, failure, requestedAt, age, change] = row.slice(7) as [
      TenantParameterDefinition,
      boolean,
      number,
      number,
      string | null,
      string,
      number,
      number,
    ];
    const type = definitions.typeName(typeNumber);
    if (type === undefined) return [];
    const parameter: TenantParameter = { number, type, slot, code, url, owner, state, definition };
    const failed = state === 'failed' && failure !== null ? { ...parameter, failure } : parameter;
    return [
      {
        parameter: failed,
        isPending,
        resources,
        indexed,
        failure: failure ?? undefined,
        requestedAt,
        age,
        change,
      },
    ];
  });
}

/** The parameters that a version of a SearchParameter registers; none if it was deleted or is not active. */
export interface Registration {
  /** Id of the SearchParameter. */
  readonly owner: string;
  readonly pairs: readonly ParameterPair[];
}

/** Runs in the transaction that writes the SearchParameter, after its version was written. */
export const REGISTER = defineStatement(
  template(sql`
    select andiron.register_search_parameters(
      ${bind('space')}::int, ${bind('owner')}::text, ${bind('pairs')}::jsonb)`),
);

/** Registers a SearchParameter that was stored before it could be registered, without writing a version. */
export async function registerSearchParameters(
  database: Database,
  space: number,
  { owner, pairs }: Registration,
): Promise<void> {
  await database.run({ lane: 'write', space }, REGISTER, { space, owner, pairs: JSON.stringify(pairs) });
}

const FAIL = defineStatement(
  template(sql`
    select andiron.fail_search_parameter(${bind('space')}::int, ${bind('number')}::int, ${bind('failure')}::text)`),
);

/**
 * Marks a parameter as failed: writes make no rows of it, and searches do not use it. False: it was neither indexing
 * nor active.
 */
export async function failSearchParameter(
  database: Database,
  space: number,
  number: number,
  failure: string,
): Promise<boolean> {
  const [row] = await database.run({ lane: 'write', space }, FAIL, { space, number, failure });
  return row?.[0] === true;
}

const RESTART = defineStatement(
  template(sql`select andiron.restart_search_parameters(${bind('space')}::int, ${bind('owner')}::text)`),
);

/**
 * Restarts the indexing of all parameters of a space, or of those of one SearchParameter, to make missing rows. Failed
 * parameters restart only by the id of their SearchParameter. Returns the number of restarted parameters.
 */
export async function restartSearchParameters(
  database: Database,
  space: number,
  owner: string | undefined,
): Promise<number> {
  const [row] = await database.run({ lane: 'write', space }, RESTART, { space, owner: owner ?? null });
  return Number(row?.[0] ?? 0);
}
