/** References that open nothing to apps of patients (docs/run/access-rules.md, What a record refers to). */
import { sql } from 'kysely';
import { BinaryArray } from '../connection/binary-array';
import type { Database, Run } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import type { KeyHalves } from '../key-halves';
import { keyText } from '../read/version-row';
import type { UnopenedReference } from './version-write';

const NOTE = defineStatement(
  template(sql`
    insert into andiron.unopened_reference (space, resource_type, resource_key, version, target_type, target_key)
    select ${bind('space')}::int, ${bind('type')}::smallint, ${bind('key')}::bigint, ${bind('version')}::int, x.*
    from unnest(${bind('target_types')}::smallint[], ${bind('target_keys')}::bigint[]) as x`),
);

/** The current version of a resource. */
const READ = defineStatement(
  template(sql`
    select n.target_type, n.target_key::text from andiron.resource r
    join andiron.unopened_reference n
      on n.space = ${bind('space')}::int and n.resource_type = r.resource_type and n.resource_key = r.resource_key
      and n.version = r.version
    where r.space = ${bind('space')}::int and r.resource_type = ${bind('type')}::smallint
      and r.resource_key = ${bind('key')}::bigint
    limit ${bind('limit')}::int`),
);
/** More than the references of the largest resource. */
const MOST = 1_000_000;

/** Notes the references of a version, in the transaction that writes it. */
export async function noteUnopened(
  run: Run,
  space: number,
  { type, key, version }: { readonly type: number; readonly key: KeyHalves; readonly version: number },
  references: readonly UnopenedReference[],
): Promise<void> {
  if (references.length === 0) return;
  const types = new BinaryArray('int2');
  for (const { targetType } of references) types.pushInt2(targetType);
  await run(NOTE, {
    ...{ space, type, key: keyText(key), version },
    target_types: types.finish(),
    target_keys: references.map(({ targetKey }) => targetKey),
  });
}

/** Reads those of the current version of a resource. Cost: one statement. */
export async function readUnopened(
  database: Database,
  space: number,
  { type, key }: { readonly type: number; readonly key: KeyHalves },
): Promise<readonly UnopenedReference[]> {
  const rows = await database.run({ lane: 'search', space }, READ, {
    ...{ space, type, key: keyText(key), limit: MOST },
  });
  return (rows as [number, string][]).map(([targetType, targetKey]) => ({ targetType, targetKey }));
}
