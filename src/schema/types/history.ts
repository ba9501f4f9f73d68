import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { instantScalar, safeIntScalar } from '../scalars';
import { PageInfo } from './paging';
import { Resource } from './resource';

/** Description of the fields for it. */
export const AUTHOR_NAME =
  'The name of the client application that made this version; null where it was removed, and for requests without credentials.';

export const ChangeKind = { CREATE: 'create', UPDATE: 'update', DELETE: 'delete' } as const;
export type ChangeKind = (typeof ChangeKind)[keyof typeof ChangeKind];
registerEnumType(ChangeKind, {
  name: 'ChangeKind',
  description: 'The kind of a write: UPDATE is a write under an id of the client, including the first one.',
});

@ObjectType({ description: 'One version of a resource.' })
export class HistoryEntry {
  @Field(() => String)
  resourceType!: string;

  @Field(() => ID)
  id!: string;

  @Field(() => ID)
  versionId!: string;

  @Field(() => safeIntScalar, {
    description: 'The number of this change among all changes of the tenant, increasing.',
  })
  versionSequence!: number;

  @Field(() => instantScalar)
  lastUpdated!: string;

  @Field(() => ChangeKind)
  change!: ChangeKind;

  @Field(() => String, {
    description:
      'The client that made the version: `ClientApplication/` and its id. Deletions have one, too.',
  })
  author!: string;

  @Field(() => Resource, { nullable: true, description: 'Null for a deletion.' })
  resource?: Resource;
}

@ObjectType({ description: 'One page of the versions of a resource, of a type or of all, newest first.' })
export class HistoryResult {
  @Field(() => [HistoryEntry])
  versions!: HistoryEntry[];

  @Field(() => PageInfo)
  pageInfo!: PageInfo;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of versions; null where they would have to be counted.',
  })
  total?: number;
}
