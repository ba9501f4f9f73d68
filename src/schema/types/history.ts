import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { instantScalar } from '../scalars';
import { PageInfo } from './paging';
import { Resource } from './resource';

export const ChangeKind = { CREATE: 'create', UPDATE: 'update', DELETE: 'delete' } as const;
export type ChangeKind = (typeof ChangeKind)[keyof typeof ChangeKind];
registerEnumType(ChangeKind, { name: 'ChangeKind', description: 'How a version was written: UPDATE is a write under a known id, the first one too.' });

@ObjectType({ description: 'One version of a resource.' })
export class HistoryEntry {
  @Field(() => String)
  resourceType!: string;

  @Field(() => ID)
  id!: string;

  @Field(() => ID)
  versionId!: string;

  @Field(() => Int, { description: 'The number of this change among all changes of the tenant, increasing.' })
  versionSequence!: number;

  @Field(() => instantScalar)
  lastUpdated!: string;

  @Field(() => ChangeKind)
  change!: ChangeKind;

  @Field(() => Resource, { nullable: true, description: 'Null for a deletion.' })
  resource?: Resource;
}

@ObjectType({ description: 'One page of the versions of a resource, of a type or of all, newest first.' })
export class HistoryResult {
  @Field(() => [HistoryEntry])
  versions!: HistoryEntry[];

  @Field(() => PageInfo)
  pageInfo!: PageInfo;

  @Field(() => Int, { nullable: true, description: 'How many versions there are; null when that is not known for free.' })
  total?: number;
}
