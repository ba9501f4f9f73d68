import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { jsonScalar } from '../scalars';
import type { Json } from '../json';
import { Resource } from './resource';
import { Issue } from './search';

/** Lower case, as in JSON Patch: a patch made by a library can be sent as a variable. */
export const JsonPatchOperationName = {
  add: 'add',
  remove: 'remove',
  replace: 'replace',
  move: 'move',
  copy: 'copy',
  test: 'test',
} as const;
export type JsonPatchOperationName = (typeof JsonPatchOperationName)[keyof typeof JsonPatchOperationName];
registerEnumType(JsonPatchOperationName, {
  name: 'JsonPatchOperationName',
  description: 'What an operation of a JSON Patch does (RFC 6902 section 4).',
});

@InputType({ description: 'One operation of a JSON Patch (RFC 6902).' })
export class JsonPatchOperation {
  @Field(() => JsonPatchOperationName)
  op!: JsonPatchOperationName;

  @Field(() => String, { description: 'A JSON Pointer: `/name/0/family`; `/name/-` is behind the last.' })
  path!: string;

  @Field(() => String, { nullable: true, description: 'For `move` and `copy`.' })
  from?: string | null;

  @Field(() => jsonScalar, { nullable: true, description: 'For `add`, `replace` and `test`: any JSON value.' })
  value?: Json;
}

@ObjectType({ description: 'What a change made.' })
export class WriteResult {
  @Field(() => Resource, { nullable: true, description: 'The new version; null after a deletion.' })
  resource?: Resource;

  @Field(() => ID, { nullable: true, description: 'The new version; null where nothing was changed. Of a resource that was found and stays, its version.' })
  versionId?: string;

  @Field(() => Boolean, { description: 'True when the resource did not exist before, or was deleted.' })
  created!: boolean;

  @Field(() => String, { nullable: true, description: 'The address of the new version under the FHIR root: `Patient/1/_history/3`.' })
  location?: string;

  @Field(() => Int, {
    nullable: true,
    description: 'How many resources a deletion took: 0 where there was nothing; of several there is no version. Null for what is no deletion.',
  })
  deleted?: number;

  @Field(() => [Issue], { description: 'What was found in the resource and did not refuse it.' })
  issues!: Issue[];
}
