import { Field, ObjectType, registerEnumType } from 'type-graphql';
import type { RawJson } from '../raw-json';
import { canonicalScalar, jsonScalar } from '../scalars';
import { Resource } from './resource';

export const OperationLevel = { SYSTEM: 'system', TYPE: 'type', INSTANCE: 'instance' } as const;
export type OperationLevel = (typeof OperationLevel)[keyof typeof OperationLevel];
registerEnumType(OperationLevel, {
  name: 'OperationLevel',
  description: 'The level at which an operation is invoked (http://hl7.org/fhir/operations.html#executing).',
});

@ObjectType({ description: 'An operation that can be invoked.' })
export class OperationInfo {
  @Field(() => String, { description: 'Without the leading `$`.' })
  code!: string;

  @Field(() => canonicalScalar, { description: 'The url of its OperationDefinition.' })
  definition!: string;

  @Field(() => [OperationLevel])
  levels!: readonly OperationLevel[];

  @Field(() => [String], { description: 'The resource types for which it is defined; `Resource` means all.' })
  types!: readonly string[];

  @Field(() => Boolean, { description: 'True when it may change data.' })
  affectsState!: boolean;
}

@ObjectType({ description: 'The result of an operation.' })
export class InvokeResult {
  @Field(() => Resource, { description: 'The resource that it returns, or Parameters.' })
  resource!: Resource;

  @Field(() => jsonScalar, { description: 'The same as FHIR JSON.' })
  json!: RawJson;
}
