/** Long work in steps of some milliseconds: between them a server can answer others. */
import {
  getNamedType,
  type GraphQLNamedType,
  type GraphQLType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';

/** Yields where it may be interrupted. */
export type Steps<Result> = Generator<undefined, Result>;

/** All of it at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Milliseconds after which others go first. */
const SLICE_MS = 10;

/** The same in slices. */
export async function finishInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  let since = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) {
      // What is done with it is work of another turn.
      await new Promise((resolve) => setImmediate(resolve));
      return value;
    }
    if (performance.now() - since < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
}

/**
 * Makes the fields of types and of all that they refer to, in the order in which graphql would make them: a schema of these
 * types then only collects them.
 */
export function* makeFields(types: readonly GraphQLNamedType[]): Steps<void> {
  const seen = new Set<GraphQLNamedType>();
  // What is to be done, the next one last.
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
    rest.push(() => Object.values(type.getFields()).flatMap((field) => [field.type, ...field.args.map((arg) => arg.type)]));
    return type.getInterfaces();
  };
  add(types);
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const found = next();
    add(found);
    if (found.length > 0) yield;
  }
}
