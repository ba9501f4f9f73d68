/** The kinds of changes that live queries report. */
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { RawJson } from '../raw-json';
import { jsonScalar, resourceTypePlaceholder } from '../scalars';
import { Resource } from './resource';

export const ChangeAction = { CREATE: 'create', UPDATE: 'update', DELETE: 'delete', LEAVE: 'leave' } as const;
export type ChangeAction = (typeof ChangeAction)[keyof typeof ChangeAction];
registerEnumType(ChangeAction, {
  name: 'ChangeAction',
  description: 'What happened to a resource. LEAVE: it was changed and does not match any more, as it did or may have done.',
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

  @Field(() => Int, {
    description: 'The number of this change among all changes of the tenant, increasing. Given as `after`, it goes on behind this change.',
  })
  sequence!: number;

  @Field(() => Resource, { nullable: true, description: 'This version of the resource; null where it was deleted or does not match any more.' })
  resource?: Resource;

  @Field(() => jsonScalar, { nullable: true, description: 'The same as FHIR JSON, exactly as REST answers it.' })
  json?: RawJson;
}
