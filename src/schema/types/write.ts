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
  description: 'The kind of an operation of a JSON Patch (RFC 6902 section 4).',
});

@InputType({ description: 'One operation of a JSON Patch (RFC 6902).' })
export class JsonPatchOperation {
  @Field(() => JsonPatchOperationName)
  op!: JsonPatchOperationName;

  @Field(() => String, {
    description: 'A JSON Pointer: `/name/0/family`; `/name/-` is after the last element.',
  })
  path!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The JSON Pointer from which `move` and `copy` take the value.',
  })
  from?: string | null;

  @Field(() => jsonScalar, {
    nullable: true,
    description: 'For `add`, `replace` and `test`: any JSON value.',
  })
  value?: Json;
}

@ObjectType({ description: 'The result of a change.' })
export class WriteResult {
  @Field(() => Resource, { nullable: true, description: 'The new version; null after a deletion.' })
  resource?: Resource;

  @Field(() => ID, {
    nullable: true,
    description:
      'The new version; null where nothing was changed. For a match that stays unchanged, its version.',
  })
  versionId?: string;

  @Field(() => Boolean, { description: 'True when the resource did not exist before, or was deleted.' })
  created!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The address of the new version under the FHIR root: `Patient/1/_history/3`.',
  })
  location?: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'Number of deleted resources: 0 where there was none; for several there is no version. Null for other changes.',
  })
  deleted?: number;

  @Field(() => [Issue], { description: 'Warnings about the stored resource.' })
  issues!: Issue[];
}
