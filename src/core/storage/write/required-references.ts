import { sql } from 'kysely';
import { BinaryArray } from '../connection/binary-array';
import type { Row } from '../connection/database';
import { bind, defineStatement, template, type Bound, type Statement } from '../connection/statement';
import type { KeyHalves } from '../key-halves';

/** A resource that another one refers to, and its version if the reference names one. */
export interface Target {
  readonly type: number;
  readonly key: KeyHalves;
  readonly version?: number;
}

type Run = (statement: Statement, bound: Readonly<Record<string, Bound>>) => Promise<Row[]>;

/** Space argument of a function. It locks the targets, and fails the statement if one does not exist. */
export const REQUIRE_TARGETS = sql`andiron.require_targets(${bind('space')}::int, ${bind('held_type')}::smallint[],
  ${bind('held_key')}::bigint[], ${bind('held_version')}::int[], false)`;

const HOLD = defineStatement(
  template(sql`
    select andiron.require_targets(${bind('space')}::int, ${bind('held_type')}::smallint[],
      ${bind('held_key')}::bigint[], ${bind('held_version')}::int[], true)`),
);

/** Returns the bound values of REQUIRE_TARGETS without the space: each target once. */
export function encodeTargets(targets: readonly Target[]): Readonly<Record<string, Bound>> {
  const type = new BinaryArray('int2');
  const key = new BinaryArray('int8');
  const version = new BinaryArray('int4');
  for (const [target] of groupAlike(targets).values()) {
    if (target === undefined) continue;
    type.pushInt2(target.type);
    key.pushInt8(target.key.high, target.key.low);
    version.pushInt4(target.version ?? 0);
  }
  return { held_type: type.finish(), held_key: key.finish(), held_version: version.finish() };
}

/** Locks the targets that exist until the end of the transaction, so that no other transaction can delete them. */
export async function holdTargets(run: Run, space: number, targets: readonly Target[]): Promise<void> {
  if (targets.length > 0) await run(HOLD, { space, ...encodeTargets(targets) });
}

const PRESENT = defineStatement(
  template(sql`
    select x.ordinal::int
    from unnest(${bind('held_type')}::smallint[], ${bind('held_key')}::bigint[], ${bind('held_version')}::int[])
      with ordinality as x (resource_type, resource_key, version, ordinal)
    where exists (
      select 1 from andiron.resource r
      where r.space = ${bind('space')}::int and r.resource_type = x.resource_type
        and r.resource_key = x.resource_key and not r.deleted and r.version >= x.version
      offset 0)
    limit ${bind('limit')}::int`),
);

/** Returns the targets that do not exist. `run` must be in the space. Cost: one statement, a probe for each target. */
export async function findAbsent<T extends Target>(
  run: Run,
  space: number,
  targets: readonly T[],
): Promise<T[]> {
  if (targets.length === 0) return [];
  const groups = [...groupAlike(targets).values()];
  const bound = { space, ...encodeTargets(targets), limit: groups.length };
  const present = new Set((await run(PRESENT, bound)).map((row) => Number(row[0])));
  return groups.flatMap((group, index) => (present.has(index + 1) ? [] : group));
}

/** Groups equal targets by name, in the order of the first of each group. */
function groupAlike<T extends Target>(targets: readonly T[]): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const target of targets) {
    const { type, key, version = 0 } = target;
    const name = `${type} ${key.high} ${key.low} ${version}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [target]);
    else group.push(target);
  }
  return groups;
}

// A deleted resource has no index rows, nor does a reference that an update removed.
const REFERRERS = defineStatement(
  template(sql`
    select distinct k.ordinal::int, p.resource_type, f.resource_key::text as key_text, h.id
    from unnest(${bind('parameters')}::int[], ${bind('types')}::smallint[]) as p (parameter, resource_type)
    cross join unnest(${bind('held_type')}::smallint[], ${bind('held_key')}::bigint[]) with ordinality
      as k (target_type, target_key, ordinal)
    cross join lateral (
      select t.resource_key from andiron.reference_index t
      where t.space = ${bind('space')}::int and t.parameter = p.parameter and t.target_key = k.target_key
        and t.target_type = k.target_type and (t.resource_key, p.resource_type) is distinct from (k.target_key, k.target_type)
      limit ${bind('limit')}::int
    ) f
    join andiron.resource h
      on h.space = ${bind('space')}::int and h.resource_type = p.resource_type and h.resource_key = f.resource_key
    limit ${bind('limit')}::int`),
);

/** A resource that refers to another one. */
export interface Referrer {
  /** Position of the target among the given ones. */
  readonly target: number;
  readonly type: number;
  /** Null where the key stands for the id. */
  readonly id: string | null;
  readonly keyText: string;
}

/**
 * Returns resources that refer to one of the targets by one of these parameters, each given with its type, at most
 * `limit`. The targets must be distinct. References of a resource to itself do not count.
 * Cost: one statement, an index probe for each parameter and target.
 */
export async function findReferrers(
  run: Run,
  space: number,
  {
    parameters,
    targets,
    limit,
  }: {
    readonly parameters: readonly { readonly number: number; readonly type: number }[];
    readonly targets: readonly Target[];
    readonly limit: number;
  },
): Promise<Referrer[]> {
  const numbers = new BinaryArray('int4', 8192);
  const types = new BinaryArray('int2', 8192);
  for (const { number, type } of parameters) {
    numbers.pushInt4(number);
    types.pushInt2(type);
  }
  const { held_type, held_key } = encodeTargets(targets);
  const bound = { space, parameters: numbers.finish(), types: types.finish(), held_type, held_key, limit };
  const rows = await run(REFERRERS, bound as Readonly<Record<string, Bound>>);
  return rows.map((row) => ({
    target: Number(row[0]) - 1,
    type: Number(row[1]),
    keyText: String(row[2]),
    id: row[3] as string | null,
  }));
}
