/**
 * Closures that convert the value of a resolver to the value of the response, one for each type in the document
 * (GraphQL specification, 6.4.3 "Value Completion").
 */
import {
  defaultTypeResolver,
  GraphQLBoolean,
  GraphQLError,
  type GraphQLAbstractType,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  type GraphQLNullableType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
  isAbstractType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { type JsonValue, sizeOfJson } from '../../core/index';
import { RawJson } from '../../schema/raw-json';
import { FAILED, FieldInfo, type FieldSite, type Holder, ResponseNode, type Run } from './run';

/**
 * Returns the value of the response for `key` of the object or list at `place`, or null. Returns FAILED where null is
 * not allowed, and undefined when the value will be put there later.
 * Never throws: errors are reported to the run.
 */
export type Complete = (run: Run, value: unknown, key: string | number, place: ResponseNode) => unknown;

/**
 * The same for a value that is neither null nor an Error; it may throw. FAILED: a value below has failed, and its error
 * was reported.
 */
type CompletePresent = Complete;

/** Fills an object of the response. Returns FAILED where a value that must not be null has failed. */
export type FillObject = (run: Run, source: unknown, place: ResponseNode) => unknown;

/** Returns the function that fills objects of a type with the selections of one field; it is made on first use. */
export type FillOf = (type: GraphQLObjectType) => FillObject;

/** Returns a closure for values of `type` of the field `site`. */
export function completerOf(type: GraphQLOutputType, site: FieldSite, fillOf: FillOf): Complete {
  if (!isNonNullType(type)) {
    const present = presentCompleter(type, true, site, fillOf);
    return (run, value, key, place) => {
      if (value === null || value === undefined) return null;
      try {
        if (value instanceof Error) throw value;
        const completed = present(run, value, key, place);
        return completed === FAILED ? null : completed;
      } catch (error) {
        run.report(error, site, place, key);
        return null;
      }
    };
  }
  const present = presentCompleter(type.ofType, false, site, fillOf);
  return (run, value, key, place) => {
    try {
      if (value instanceof Error) throw value;
      const completed = value === null || value === undefined ? null : present(run, value, key, place);
      if (completed === null) {
        throw new Error(`${site.parentType.name}.${site.name} has no value, but its type is non-null`);
      }
      return completed;
    } catch (error) {
      run.report(error, site, place, key);
      return FAILED;
    }
  };
}

function presentCompleter(
  type: GraphQLNullableType & GraphQLOutputType,
  isNullable: boolean,
  site: FieldSite,
  fillOf: FillOf,
): CompletePresent {
  if (isListType(type)) return listCompleter(type.ofType, isNullable, site, fillOf);
  if (isObjectType(type)) return objectCompleter(type, isNullable, site, fillOf);
  if (isAbstractType(type)) return abstractCompleter(type, isNullable, site, fillOf);
  return leafCompleter(type);
}

const MAX_INT = 2 ** 31 - 1;

/** Returns a test for values that graphql's own scalars return unchanged: most values need no call of `serialize`. */
function plainCheck(type: GraphQLLeafType): ((value: unknown) => boolean) | undefined {
  switch (type) {
    case GraphQLString:
    case GraphQLID:
      return (value) => typeof value === 'string';
    case GraphQLBoolean:
      return (value) => typeof value === 'boolean';
    case GraphQLInt:
      return (value) => Number.isInteger(value) && Math.abs(value as number) <= MAX_INT;
    default:
      return undefined;
  }
}

function leafCompleter(type: GraphQLLeafType): CompletePresent {
  const isPlain = plainCheck(type);
  const serialize = (value: unknown): unknown => {
    const serialized: unknown = type.serialize(value);
    if (serialized === null || serialized === undefined)
      throw new Error(`A value of ${type.name} was serialized to null`);
    return serialized;
  };
  if (isPlain === undefined) return (run, value) => counted(run, serialize(value));
  return (run, value) => counted(run, isPlain(value) ? value : serialize(value));
}

/** Returns the value of a leaf, and counts its characters. Returns null once the response is refused. */
function counted(run: Run, value: unknown): unknown {
  if (typeof value === 'string') return run.countCharacters(value.length) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  const length = value instanceof RawJson ? value.text.length : sizeOfJson(value as JsonValue, Infinity);
  return run.countCharacters(length) ? value : null;
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Returns the position of the value at `key` of `parent`. */
function placeOf(
  parent: ResponseNode,
  key: string | number,
  isNullable: boolean,
  site: FieldSite,
): ResponseNode {
  return new ResponseNode(
    parent,
    key,
    isNullable,
    typeof key === 'string' ? site.parentType.name : undefined,
  );
}

function listCompleter(
  itemType: GraphQLOutputType,
  isNullable: boolean,
  site: FieldSite,
  fillOf: FillOf,
): CompletePresent {
  const completeItem = completerOf(itemType, site, fillOf);
  const failure = isNonNullType(itemType) ? FAILED : null;
  return (run, value, key, place) => {
    if (!isIterable(value)) throw new GraphQLError(`${site.parentType.name}.${site.name} is not a list`);
    const items: readonly unknown[] = Array.isArray(value) ? value : Array.from(value);
    const at = placeOf(place, key, isNullable, site);
    const completed: unknown[] = new Array<unknown>(items.length);
    at.content = completed as unknown as Holder;
    for (let index = 0; index < items.length && run.refusal === undefined; index++) {
      const item = items[index];
      if (isPromise(item)) {
        completed[index] = undefined;
        run.await(item, {
          key: index,
          place: at,
          finish: (resolved) => completeItem(run, resolved, index, at),
          refuse: (error) => {
            run.report(error, site, at, index);
            return failure;
          },
        });
        continue;
      }
      const answer = completeItem(run, item, index, at);
      if (answer === FAILED) {
        at.abandon();
        return FAILED;
      }
      completed[index] = answer;
    }
    return completed;
  };
}

/** A value whose promise is pending, and the function that completes it. */
interface Pending<T> {
  readonly promise: PromiseLike<T>;
  readonly finish: (value: T) => unknown;
  readonly key: string | number;
  readonly place: ResponseNode;
  readonly isNullable: boolean;
  readonly site: FieldSite;
}

/** Completes a value when its promise settles. */
function later<T>(run: Run, { promise, finish, key, place, isNullable, site }: Pending<T>): undefined {
  const failure = isNullable ? null : FAILED;
  const refuse = (error: unknown): unknown => {
    run.report(error, site, place, key);
    return failure;
  };
  run.await(promise, {
    key,
    place,
    finish: (value) => {
      try {
        const completed = finish(value);
        return completed === FAILED ? failure : completed;
      } catch (error) {
        return refuse(error);
      }
    },
    refuse,
  });
  return undefined;
}

/** Returns a closure for objects of one type; it throws when `isTypeOf` rejects the value. */
function objectCompleter(
  type: GraphQLObjectType,
  isNullable: boolean,
  site: FieldSite,
  fillOf: FillOf,
): CompletePresent {
  let fill: FillObject | undefined;
  const complete: CompletePresent = (run, value, key, place) => {
    fill ??= fillOf(type);
    const at = placeOf(place, key, isNullable, site);
    const filled = fill(run, value, at);
    if (filled === FAILED) at.abandon();
    return filled;
  };
  return (run, value, key, place) => {
    if (!type.isTypeOf) return complete(run, value, key, place);
    const finish = (isRight: boolean): unknown => {
      if (isRight) return complete(run, value, key, place);
      throw new GraphQLError(`The value of ${site.name} is not of the type ${type.name}`, {
        nodes: site.nodes,
      });
    };
    const isRight = type.isTypeOf(value, run.scope.context, new FieldInfo(run, site, place));
    return isPromise(isRight)
      ? later(run, { promise: isRight, finish, key, place, isNullable, site })
      : finish(isRight);
  };
}

function abstractCompleter(
  type: GraphQLAbstractType,
  isNullable: boolean,
  site: FieldSite,
  fillOf: FillOf,
): CompletePresent {
  const resolveType = type.resolveType ?? defaultTypeResolver;
  const completers = new Map<string, CompletePresent>();
  const completerOfName = (run: Run, name: unknown): CompletePresent => {
    const cached = typeof name === 'string' ? completers.get(name) : undefined;
    if (cached) return cached;
    const found = typeof name === 'string' ? run.scope.schema.getType(name) : undefined;
    if (!isObjectType(found) || !run.scope.schema.isSubType(type, found)) {
      throw new GraphQLError(
        `The value of ${site.parentType.name}.${site.name} is not of a type of ${type.name}`,
        { nodes: site.nodes },
      );
    }
    const made = objectCompleter(found, isNullable, site, fillOf);
    completers.set(found.name, made);
    return made;
  };
  return (run, value, key, place) => {
    const finish = (name: unknown): unknown => completerOfName(run, name)(run, value, key, place);
    const name = resolveType(value, run.scope.context, new FieldInfo(run, site, place), type);
    return isPromise(name)
      ? later(run, { promise: name, finish, key, place, isNullable, site })
      : finish(name);
  };
}
