/** The state of one execution of a compiled operation: positions, errors and pending promises. */
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
import { FhirError, fhirError, isTraced, type HeldBytes } from '../../core/index';
import { LevelTimes } from './level-times';

type Path = GraphQLResolveInfo['path'];
type PathKey = string | number;

/** The object or list of the response that contains a position. */
export type Holder = Record<PathKey, unknown>;

/** Represents a value that failed where null is not allowed: its holder becomes null instead. */
export const FAILED = Symbol('failed');

/** The properties of a field that errors and resolvers need. */
export interface FieldSite {
  /** Its name in the response. */
  readonly key: string;
  /** Its name in the schema. */
  readonly name: string;
  readonly parentType: GraphQLObjectType;
  readonly returnType: GraphQLOutputType;
  readonly nodes: readonly FieldNode[];
}

const NO_CONTENT: Holder = Object.freeze({});

/** The position of an object or list in the response. */
export class ResponseNode {
  /** The object or list at this position, which its completer sets before it completes the members. */
  content = NO_CONTENT;
  /** True when null has replaced this value. */
  private isNulled = false;

  constructor(
    /** Undefined: this is the root. */
    readonly parent: ResponseNode | undefined,
    readonly key: PathKey,
    private readonly isNullable: boolean,
    /** Undefined: `key` is an index, or this is the root. */
    readonly typeName: string | undefined,
  ) {}

  /** Puts null at this position, or at the next one above it that may be null. */
  fail(): void {
    this.isNulled = true;
    if (this.parent === undefined) return;
    if (this.isNullable) this.parent.content[this.key] = null;
    else this.parent.fail();
  }

  /** Marks this position as null; the caller puts null into the holder. */
  abandon(): void {
    this.isNulled = true;
  }

  /** True when this value or one around it is null: values below it are not part of the response. */
  get isGone(): boolean {
    return this.isNulled || (this.parent?.isGone ?? false);
  }

  /** The level of the fields of this object: 1 at the root. Indexes of lists are no levels. */
  get level(): number {
    if (this.parent === undefined) return 1;
    return this.parent.level + (this.typeName === undefined ? 0 : 1);
  }

  get path(): Path | undefined {
    if (this.parent === undefined) return undefined;
    return { prev: this.parent.path, key: this.key, typename: this.typeName };
  }

  /** Returns the path in the form of `errors`, with `key` added. */
  keysTo(key: PathKey): PathKey[] {
    const keys = this.parent?.keysTo(this.key) ?? [];
    keys.push(key);
    return keys;
  }
}

/** The values that all resolvers of one execution share. */
export interface RunScope {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly operation: OperationDefinitionNode;
  readonly rootValue: unknown;
  readonly context: unknown;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The counter of the response's size; undefined: it is not counted. */
  readonly bytes: HeldBytes | undefined;
}

/** Approximate limit on the characters of all values and names of one response. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** Number of characters after which they are added to the count of all requests. */
const COUNTED_AT_ONCE = 256 * 1024;

/** The position of a promised value, and the functions that complete it. */
interface PendingValue<T> {
  readonly key: PathKey;
  /** The position of the object or list that gets the value. */
  readonly place: ResponseNode;
  /** Returns the completed value; reports its own errors. */
  readonly finish: (value: T) => unknown;
  /** Does the same for a rejection. */
  readonly refuse: (error: unknown) => unknown;
}

export class Run {
  readonly errors: GraphQLError[] = [];
  /** The error that refuses the whole response; nothing more is completed after it. */
  refusal: FhirError | undefined = undefined;
  /** Estimated characters of the values and names of the response so far. */
  characters = 0;
  private uncounted = 0;
  /** Arguments of the fields, by their number in the plan; all objects with the field share them. */
  readonly arguments: (Record<string, unknown> | undefined)[] = [];
  private pending = 0;
  private whenIdle: (() => void) | undefined;
  private crash: ((error: unknown) => void) | undefined;

  /** Undefined: the request is not traced. */
  readonly levels = isTraced() ? new LevelTimes() : undefined;

  constructor(readonly scope: RunScope) {}

  /** Counts a value of this many characters in the response. Returns false when the response is refused. */
  countCharacters(characters: number): boolean {
    this.characters += characters;
    this.uncounted += characters;
    if (this.uncounted >= COUNTED_AT_ONCE) this.checkLimits();
    return this.refusal === undefined;
  }

  private checkLimits(): void {
    if (this.refusal !== undefined) return;
    const isChange = this.scope.operation.operation === OperationTypeNode.MUTATION;
    try {
      if (this.characters > MOST_CHARACTERS) {
        const done = isChange ? '; the mutations before it are done' : '';
        const reason = `The response would be longer than ${MOST_CHARACTERS} characters: request less at once${done}`;
        throw fhirError('tooCostly', { reason });
      }
      // The result of a mutation is sent whatever the load of the server is.
      if (!isChange) this.scope.bytes?.addAnswer(this.uncounted);
      this.uncounted = 0;
    } catch (error) {
      if (!(error instanceof FhirError)) throw error;
      this.refusal = error;
    }
  }

  /** Adds the error for `key` of `place`, unless a value around it is null already. */
  report(thrown: unknown, site: FieldSite, place: ResponseNode, key: PathKey): void {
    if (!place.isGone) this.errors.push(locatedError(thrown, site.nodes, place.keysTo(key)));
  }

  /**
   * Puts the value of `promise`, converted by `finish`, at `key` of the content of `place`. When `finish` or `refuse`
   * returns FAILED, `place` fails.
   */
  await<T>(promise: PromiseLike<T>, { key, place, finish, refuse }: PendingValue<T>): void {
    this.pending++;
    const ended = this.levels?.begin(place.level);
    const settle = (completed: unknown): void => {
      ended?.();
      if (completed === FAILED) {
        if (!place.isGone) place.fail();
      } else if (!place.isGone && completed !== undefined) place.content[key] = completed;
      if (--this.pending === 0) this.whenIdle?.();
    };
    // A thenable that is not a Promise might call back before the content is in its position.
    (promise instanceof Promise ? (promise as Promise<T>) : Promise.resolve(promise))
      .then(
        (value) => settle(place.isGone ? undefined : finish(value)),
        (error: unknown) => settle(refuse(error)),
      )
      // Only a fault of the executor itself gets here. The whole response fails, so that it does not stay pending.
      .catch((error: unknown) => this.crash?.(error));
  }

  get isIdle(): boolean {
    return this.pending === 0;
  }

  /** Resolves when all pending promises, and those that follow from them, have settled. */
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

/** The `info` argument of a resolver; its path is made on demand. */
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
  private readonly place: ResponseNode;
  private readonly key: string;

  constructor(run: Run, site: FieldSite, place: ResponseNode) {
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
