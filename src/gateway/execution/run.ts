/** What one execution of a compiled operation remembers: where it is, what has failed and what it waits for. */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  locatedError,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { FhirError, fhirError, type HeldBytes } from '../../core/index';

type Path = GraphQLResolveInfo['path'];
type PathKey = string | number;

/** What holds a place: the object or the list of the answer that is being made. */
export type Holder = Record<PathKey, unknown>;

/** Stands for a value that failed where null is not allowed: what holds it becomes null in its stead. */
export const FAILED = Symbol('failed');

/** What an error or a resolver has to know of a field. */
export interface FieldSite {
  /** Its name in the answer. */
  readonly key: string;
  /** Its name in the schema. */
  readonly name: string;
  readonly parentType: GraphQLObjectType;
  readonly returnType: GraphQLOutputType;
  readonly nodes: readonly FieldNode[];
}

/** Where an object or a list stands in the answer. */
export class Place {
  /** True when null has taken the place of all that is below. */
  private isNulled = false;

  constructor(
    readonly parent: Place | undefined,
    private readonly holder: Holder,
    readonly key: PathKey,
    private readonly isNullable: boolean,
    /** Undefined: `key` is an index, or this is the root. */
    readonly typeName: string | undefined,
  ) {}

  /** Null takes this place, or the next one above it where null may stand. */
  fail(): void {
    this.isNulled = true;
    if (this.isNullable || this.parent === undefined) this.holder[this.key] = null;
    else this.parent.fail();
  }

  /** The same where the caller puts null into the holder. */
  abandon(): void {
    this.isNulled = true;
  }

  /** True when what stands here, or around it, is null by now: nothing below is answered. */
  get isGone(): boolean {
    return this.isNulled || (this.parent?.isGone ?? false);
  }

  get path(): Path | undefined {
    if (this.parent === undefined) return undefined;
    return { prev: this.parent.path, key: this.key, typename: this.typeName };
  }

  /** `path` as clients are told it, with one key more. */
  keysTo(key: PathKey): PathKey[] {
    const keys = this.parent?.keysTo(this.key) ?? [];
    keys.push(key);
    return keys;
  }
}

/** What is the same for all resolvers of one execution. */
export interface RunScope {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly operation: OperationDefinitionNode;
  readonly rootValue: unknown;
  readonly context: unknown;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Where the answer is counted. */
  readonly bytes: HeldBytes | undefined;
}

/** Characters of all values of one answer, about. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** So many at a time are counted among those of all requests. */
const COUNTED_AT_ONCE = 256 * 1024;

export class Run {
  readonly errors: GraphQLError[] = [];
  /** Why the whole answer is refused; from then on nothing more is made of it. */
  refusal: FhirError | undefined = undefined;
  private characters = 0;
  private uncounted = 0;
  /** Arguments of the fields, by their number in the plan: the same for all objects that have the field. */
  readonly arguments: (Record<string, unknown> | undefined)[] = [];
  private pending = 0;
  private whenIdle: (() => void) | undefined;
  private crash: ((error: unknown) => void) | undefined;

  constructor(readonly scope: RunScope) {}

  /** Counts a value of so many characters that becomes part of the answer; false: it is refused. */
  hasRoomFor(characters: number): boolean {
    this.characters += characters;
    this.uncounted += characters;
    if (this.uncounted >= COUNTED_AT_ONCE) this.count();
    return this.refusal === undefined;
  }

  private count(): void {
    if (this.refusal !== undefined) return;
    const isChange = this.scope.operation.operation === OperationTypeNode.MUTATION;
    try {
      if (this.characters > MOST_CHARACTERS) {
        const done = isChange ? '; the changes that come before are made' : '';
        const reason = `The answer would be longer than ${MOST_CHARACTERS} characters: ask for less at once${done}`;
        throw fhirError('tooCostly', { reason });
      }
      // What was changed is answered, whatever else there is to do.
      if (!isChange) this.scope.bytes?.addAnswer(this.uncounted);
      this.uncounted = 0;
    } catch (error) {
      if (!(error instanceof FhirError)) throw error;
      this.refusal = error;
    }
  }

  /** Remembers why there is no value at `key` of `place`, unless something around it has become null before. */
  report(thrown: unknown, site: FieldSite, place: Place, key: PathKey): void {
    if (!place.isGone) this.errors.push(locatedError(thrown, site.nodes, place.keysTo(key)));
  }

  /**
   * Puts what `promise` brings, by way of `finish`, at `key` of `holder`. `finish` reports its own errors; where it gives
   * FAILED, `place`, which is that of the holder, fails. `refuse` does the same for a rejection.
   */
  await<T>(
    promise: PromiseLike<T>,
    {
      holder,
      key,
      place,
      finish,
      refuse,
    }: {
      readonly holder: Holder;
      readonly key: PathKey;
      readonly place: Place;
      readonly finish: (value: T) => unknown;
      readonly refuse: (error: unknown) => unknown;
    },
  ): void {
    this.pending++;
    const settle = (completed: unknown): void => {
      if (completed === FAILED) {
        if (!place.isGone) place.fail();
      } else if (!place.isGone && completed !== undefined) holder[key] = completed;
      if (--this.pending === 0) this.whenIdle?.();
    };
    // A thenable that is no promise might call back before the holder is in its place.
    (promise instanceof Promise ? (promise as Promise<T>) : Promise.resolve(promise))
      .then(
        (value) => settle(place.isGone ? undefined : finish(value)),
        (error: unknown) => settle(refuse(error)),
      )
      // Only a fault of the executor itself comes here: the whole answer fails rather than never coming.
      .catch((error: unknown) => this.crash?.(error));
  }

  get isIdle(): boolean {
    return this.pending === 0;
  }

  /** Resolves when all promises of the moment, and all that came of them, have brought their values. */
  idle(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.whenIdle = () => {
        this.whenIdle = undefined;
        resolve();
      };
      this.crash = reject;
    });
  }
}

/** What a resolver is told of the field; its path is made when it is asked for. */
export class FieldInfo implements GraphQLResolveInfo {
  readonly fieldName: string;
  readonly fieldNodes: readonly FieldNode[];
  readonly returnType: GraphQLOutputType;
  readonly parentType: GraphQLObjectType;
  readonly schema: GraphQLSchema;
  readonly fragments: Record<string, FragmentDefinitionNode>;
  readonly rootValue: unknown;
  readonly operation: OperationDefinitionNode;
  readonly variableValues: Record<string, unknown>;
  private readonly place: Place;
  private readonly key: string;

  constructor(run: Run, site: FieldSite, place: Place) {
    const { scope } = run;
    this.fieldName = site.name;
    this.fieldNodes = site.nodes;
    this.returnType = site.returnType;
    this.parentType = site.parentType;
    this.schema = scope.schema;
    this.fragments = scope.fragments;
    this.rootValue = scope.rootValue;
    this.operation = scope.operation;
    this.variableValues = scope.variables;
    this.place = place;
    this.key = site.key;
  }

  get path(): Path {
    return { prev: this.place.path, key: this.key, typename: this.parentType.name };
  }
}
