/** What a schema that shares the types of another one is made of: types and fields of the root that are made when they are asked for. */
import type { GraphQLNamedType } from 'graphql';
import type { Field, Fields } from './elements';

/** A type by its name; the same object each time. */
export type TypeMaker = readonly [name: string, make: () => GraphQLNamedType];

/** Fields by their names, in the order in which they stand in the schema. */
export type FieldMakers<Context> = ReadonlyMap<string, () => Field<Context>>;

/** All of them. */
export function toFields<Context>(makers: FieldMakers<Context>): Fields<Context> {
  return Object.fromEntries([...makers].map(([name, make]) => [name, make()]));
}
