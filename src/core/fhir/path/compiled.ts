/**
 * Types that the modules of the compiler share: a compiled expression, its scope at run time, the compiler of a
 * function.
 */
import type { Meter } from './allowance';
import { PathEvaluationError, PathTypeError, UnsupportedPathError } from './error';
import type { MemberStep } from './member';
import type { CallSyntax, PathSyntax } from './syntax';
import type { Scope } from './scope';
import { SYSTEM_NODES, type TypeModel, type TypeNode } from './type-node';
import { EMPTY, toBoolean, type PathNode, type PathNodes } from './value';

export type { Scope } from './scope';

/** Dependencies of an expression's value, as bits. */
export const NEEDS = {
  /** `$this`, `$index`, elements of the focus. */
  focus: 1,
  /** `%context`, now(): constant throughout one evaluation. */
  evaluation: 2,
  /** `%resource`, `%rootResource`: constant throughout a resource. */
  resource: 4,
  /** `$total` */
  total: 8,
} as const;

export type Run = (focus: PathNodes, scope: Scope) => PathNodes;

/** A boolean by singleton evaluation; undefined is the empty collection. */
export type Test = (focus: PathNodes, scope: Scope) => boolean | undefined;

export interface Compiled {
  readonly run: Run;
  /** Boolean expressions only: the same as `run`, without making a collection. */
  readonly test?: Test;
  /** Bits of NEEDS; undefined if unknown. The compiler sets it. */
  readonly needs?: number;
  /** The types that its values can have; undefined if unknown at compile time. */
  readonly nodes: readonly TypeNode[] | undefined;
  /** The steps of an expression that only selects elements of the focus. */
  readonly steps?: readonly MemberStep[];
  /** JSON members of the focus: without any of them there are no values. Undefined if unknown. */
  readonly members?: readonly string[];
}

/** The context in which an expression is compiled. */
export interface CompileContext {
  readonly model: TypeModel;
  readonly isStrict: boolean;
  /** True if the expression, with its regular expressions, comes from a client. */
  readonly isFromClient: boolean;
  /** See `PathOptions.hasTerminology`. */
  readonly hasTerminology: boolean;
  /** Counts the cost of compiling. */
  readonly meter: Meter;
  /** Types of the focus; undefined if unknown. */
  readonly focus: readonly TypeNode[] | undefined;
}

/** A call of a function, with all that its compiler needs. */
export interface CallSite {
  readonly syntax: CallSyntax;
  /** The expression that the function is called on. */
  readonly on: Compiled;
  readonly context: CompileContext;
  /** Compiles an argument that is evaluated on the function's own focus (`startsWith(x)`). */
  argument(index: number): Compiled;
  /** Compiles an argument that is evaluated for each value (`where(x)`). */
  criterion(index: number): Compiled;
  /** Returns the type that an argument names. */
  typeName(index: number): string;
}

export type FunctionCompiler = (call: CallSite) => Compiled;

/** Minimum and maximum number of arguments, and compiler, by name. */
export type FunctionTable = Readonly<
  Record<string, readonly [least: number, most: number, compile: FunctionCompiler]>
>;

/** Throws in strict mode; else returns the empty collection. */
export function fault(scope: Scope, message: string): PathNodes {
  if (scope.isStrict) throw new PathEvaluationError(message);
  return EMPTY;
}

export function unsupported(construct: string, syntax: PathSyntax): UnsupportedPathError {
  return new UnsupportedPathError(construct, syntax.position);
}

export function typeError(message: string, syntax: PathSyntax): PathTypeError {
  return new PathTypeError(message, syntax.position);
}

/** Returns the single value of a collection that must have at most one. */
export function one(nodes: PathNodes, scope: Scope, what: string): PathNode | undefined {
  if (nodes.length > 1) {
    fault(scope, `${what} takes one value, not ${nodes.length}`);
    return undefined;
  }
  return nodes[0];
}

/**
 * Singleton evaluation (http://hl7.org/fhirpath/N1/#singleton-evaluation-of-collections): an empty collection is
 * undefined; a single value that is not a boolean counts as true.
 */
export function truthOf(nodes: PathNodes, scope: Scope, what: string): boolean | undefined {
  if (nodes.length === 0) return undefined;
  const node = one(nodes, scope, what);
  if (!node) return undefined;
  return node.node.kind === 'Boolean' ? (typeof node.value === 'boolean' ? node.value : undefined) : true;
}

/** Returns the boolean test of an expression. */
export function toTest({ run, test }: Compiled, what: string): Test {
  return test ?? ((focus, scope) => truthOf(run(focus, scope), scope, what));
}

export function fromTest(test: Test): Compiled {
  return { run: (focus, scope) => toBoolean(test(focus, scope)), test, nodes: BOOLEAN };
}
const BOOLEAN = [SYSTEM_NODES.Boolean];

/** Evaluates `run` with each value as focus and `$this`, and calls `visit` with each result until it returns false. */
export function forEach<Result>(
  nodes: PathNodes,
  run: (focus: PathNodes, scope: Scope) => Result,
  scope: Scope,
  visit: (result: Result, node: PathNode) => boolean | void,
): void {
  const { self, index } = scope;
  scope.spend(nodes.length);
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at];
    if (!node) continue;
    const focus = [node];
    scope.self = focus;
    scope.index = at;
    if (visit(run(focus, scope), node) === false) break;
  }
  scope.self = self;
  scope.index = index;
}
