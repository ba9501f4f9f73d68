/**
 * The guard of moves. A statement that changes rows of a tenant comes behind it in one transaction: it takes, in share mode, the lock
 * that a move of the shard group takes exclusively, and fails where the group is on another node by now. So no write is acknowledged on
 * tables that are about to be dropped. A statement that reads comes behind it in one packet: tables that a move has left behind stay
 * for some seconds, and a read that begins later must not be answered from them.
 */

/** The name of the guard, whose copy each group has. */
export const GUARD = 'require_group';

/** SQLSTATE of the guard. */
export const MOVED = 'AN007';

/** Returns the statement that makes the guard of a group on its node. `shard`: the number of the group's counter table. */
export function guardFunction(name: string, shard: string): string {
  if (!/^\d+$/.test(shard) || !/^\w+$/.test(name)) throw new Error('these are no names of a shard');
  return `
create or replace function andiron.${name}(p_change boolean) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  if p_change then
    begin
      -- 5: ShareLock.
      perform lock_shard_metadata(5, array[${shard}]::bigint[]);
    exception when internal_error then
      -- The group was divided: Citus no longer knows this shard.
      raise exception 'the rows of these tenants are in another group' using errcode = '${MOVED}';
    end;
  end if;
  if not exists (
    select 1 from pg_dist_placement p join pg_dist_local_group g on g.groupid = p.groupid
    where p.shardid = ${shard} and p.shardstate = 1) then
    raise exception 'the rows of these tenants are on another node' using errcode = '${MOVED}';
  end if;
end
$function$`;
}
