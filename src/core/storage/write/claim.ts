import { sql } from 'kysely';
import { BinaryArray } from '../connection/binary-array';
import { bind, defineStatement, template } from '../connection/statement';
import type { ResourceAddress } from '../read/version-address';
import type { Run } from '../connection/database';

const CLAIM = defineStatement(
  template(sql`
    select member, version from andiron.claim_resources(
      ${bind('space')}::int, ${bind('types')}::smallint[], ${bind('keys')}::bigint[],
      (select array_agg(x <> 0) from unnest(${bind('made')}::smallint[]) x))
    limit ${bind('limit')}::int`),
);

export interface Claim extends ResourceAddress {
  /** True if the resource may be created: its key is then locked even if no resource has it. */
  readonly isMade: boolean;
}

/**
 * Locks the heads of resources until the end of the transaction (claim_resources), and returns their versions in the
 * order of `claims`; 0: there is none. Each resource must be in `claims` once. Cost: one statement.
 */
export async function claimResources(
  run: Run,
  space: number,
  claims: readonly Claim[],
): Promise<readonly number[]> {
  const types = new BinaryArray('int2');
  const keys = new BinaryArray('int8', 1024);
  const made = new BinaryArray('int2');
  for (const { type, key, isMade } of claims) {
    types.pushInt2(type);
    keys.pushInt8(key.high, key.low);
    made.pushInt2(isMade ? 1 : 0);
  }
  const rows = await run(CLAIM, {
    space,
    types: types.finish(),
    keys: keys.finish(),
    made: made.finish(),
    limit: claims.length,
  });
  const versions = new Array<number>(claims.length).fill(0);
  for (const [member, version] of rows as [number, number][]) versions[member - 1] = version;
  return versions;
}
