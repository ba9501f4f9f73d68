/** The parts of a schema that shares the types of another one: types and root fields that are made on demand. */
import type { GraphQLNamedType } from 'graphql';
import type { Field, Fields } from './elements';
import type { Steps } from '../steps';

/** A type by its name; `make` returns the same object on every call. */
export type TypeMaker = readonly [name: string, make: () => GraphQLNamedType];

/** Fields by name, in the order of the schema. */
export type FieldMakers<Context> = ReadonlyMap<string, () => Field<Context>>;

/** Makes all fields. */
export function* toFields<Context>(makers: FieldMakers<Context>): Steps<Fields<Context>> {
  const fields: Fields<Context> = {};
  for (const [name, make] of makers) {
    fields[name] = make();
    yield;
  }
  return fields;
}
