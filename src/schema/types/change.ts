/** The kinds of changes that live queries report. */
import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { RawJson } from '../raw-json';
import { jsonScalar, resourceTypePlaceholder, safeIntScalar } from '../scalars';
import { Resource } from './resource';

export const ChangeAction = { CREATE: 'create', UPDATE: 'update', DELETE: 'delete', LEAVE: 'leave' } as const;
export type ChangeAction = (typeof ChangeAction)[keyof typeof ChangeAction];
registerEnumType(ChangeAction, {
  name: 'ChangeAction',
  description:
    'The kind of a change. LEAVE: the resource was changed and no longer matches, as it did or may have done before.',
});

@ObjectType({ description: 'A change of a resource.' })
export class ResourceChange {
  @Field(() => ChangeAction)
  action!: ChangeAction;

  @Field(() => resourceTypePlaceholder)
  type!: string;

  @Field(() => ID)
  id!: string;

  @Field(() => ID, { description: 'The version that the change made.' })
  versionId!: string;

  @Field(() => safeIntScalar, {
    description:
      'The number of this change among all changes of the tenant, increasing. Given as `after`, a live query resumes after this change.',
  })
  sequence!: number;

  @Field(() => Resource, {
    nullable: true,
    description: 'This version of the resource; null where it was deleted or no longer matches.',
  })
  resource?: Resource;

  @Field(() => jsonScalar, { nullable: true, description: 'The same as FHIR JSON, exactly as in REST.' })
  json?: RawJson;
}
