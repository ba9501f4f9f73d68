import { sql } from 'kysely';
import type { Row } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';

/** How far the data of a space have come on one server. Each number only grows. */
export interface SpacePosition {
  readonly isStandby: boolean;
  /** Version-sequence of the last change of the space. */
  readonly sequence: number;
  /** Number of the changes without a version: purges, erasures, imports, repairs of index rows. */
  readonly unversionedChanges: number;
  readonly purgedTo: number;
  /** Digest of the base resources. */
  readonly digest: string | null;
  /** `Backend.history` of the connection that has read it. */
  readonly history: string;
}

/** Reads the position of a space on the server that executes it. Cost: two index probes. */
export const READ_POSITION = defineStatement(
  template(sql`
    select pg_is_in_recovery(), coalesce((
        select v.sequence from andiron.resource_version v where v.space = ${bind('space')}::int
        order by v.sequence desc limit 1), 0)::bigint,
      t.unversioned_changes, t.purged_to::bigint, (select i.definitions_digest from andiron.installation i limit 1)
    from andiron.space_state t where t.space = ${bind('space')}::int limit 1`),
);

/** Returns the position in the rows of `READ_POSITION`; undefined: the server does not know the space. */
export function toPosition([row]: readonly Row[], history: string): SpacePosition | undefined {
  if (row === undefined) return undefined;
  const [isStandby, sequence, unversionedChanges, purgedTo, digest] = row as [
    ...[isStandby: boolean, sequence: number, unversionedChanges: number, purgedTo: number],
    digest: string | null,
  ];
  return { isStandby, sequence, unversionedChanges, purgedTo, digest, history };
}

/** True if both servers have the data of one history: what one of them has reached means the same on the other. */
export function isReplicaOf(replica: SpacePosition, primary: SpacePosition): boolean {
  return replica.isStandby && !primary.isStandby && replica.history === primary.history;
}

/** True if both show the same changes of the space. */
export function areAtOnePosition(replica: SpacePosition, primary: SpacePosition): boolean {
  return (
    hasReached(replica, primary) &&
    replica.sequence === primary.sequence &&
    replica.unversionedChanges === primary.unversionedChanges
  );
}

/** True if a replica shows all changes of the space that the primary had at its position. */
export function hasReached(replica: SpacePosition, primary: SpacePosition): boolean {
  return (
    isReplicaOf(replica, primary) &&
    replica.sequence >= primary.sequence &&
    replica.unversionedChanges >= primary.unversionedChanges &&
    replica.purgedTo >= primary.purgedTo &&
    replica.digest === primary.digest
  );
}
