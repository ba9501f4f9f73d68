/** What a schema that shares the types of another one is made of: types and fields of the root that are made when they are asked for. */
import type { GraphQLNamedType } from 'graphql';
import type { Field, Fields } from './elements';
import type { Steps } from '../steps';

/** A type by its name; the same object each time. */
export type TypeMaker = readonly [name: string, make: () => GraphQLNamedType];

/** Fields by their names, in the order in which they stand in the schema. */
export type FieldMakers<Context> = ReadonlyMap<string, () => Field<Context>>;

/** All of them. */
export function* toFields<Context>(makers: FieldMakers<Context>): Steps<Fields<Context>> {
  const fields: Fields<Context> = {};
  for (const [name, make] of makers) {
    fields[name] = make();
    yield;
  }
  return fields;
}
