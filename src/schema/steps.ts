/** Divides long work into steps of some milliseconds, so that a server can execute other requests between them. */
import {
  getNamedType,
  type GraphQLNamedType,
  type GraphQLType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';

/** Yields where the work may be interrupted. */
export type Steps<Result> = Generator<undefined, Result>;

/** Executes all steps at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Makes the fields of types and of all types they refer to, in the order in which graphql would make them. A schema of
 * these types then only collects them.
 */
export function* makeFields(types: readonly GraphQLNamedType[]): Steps<void> {
  const seen = new Set<GraphQLNamedType>();
  // Pending work; the next item is the last.
  const rest: (() => readonly GraphQLType[])[] = [];
  const add = (some: readonly GraphQLType[]): void => {
    for (let index = some.length - 1; index >= 0; index--) {
      const type = some[index];
      if (type !== undefined) rest.push(() => visit(getNamedType(type)));
    }
  };
  const visit = (type: GraphQLNamedType): readonly GraphQLType[] => {
    if (seen.has(type)) return [];
    seen.add(type);
    if (isUnionType(type)) return type.getTypes();
    if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => field.type);
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    rest.push(() =>
      Object.values(type.getFields()).flatMap((field) => [field.type, ...field.args.map((arg) => arg.type)]),
    );
    return type.getInterfaces();
  };
  add(types);
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const found = next();
    add(found);
    if (found.length > 0) yield;
  }
}
