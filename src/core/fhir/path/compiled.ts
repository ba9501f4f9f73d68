/** What the compiler's parts share: a compiled expression, its scope at run time, and how a function is compiled. */
import type { Meter } from './allowance';
import { PathEvaluationError, PathTypeError, UnsupportedPathError } from './error';
import type { MemberStep } from './member';
import type { CallSyntax, PathSyntax } from './syntax';
import type { Scope } from './scope';
import { SYSTEM_NODES, type TypeModel, type TypeNode } from './type-node';
import { EMPTY, toBoolean, type PathNode, type PathNodes } from './value';

export type { Scope } from './scope';

/** What an expression's value can depend on, as bits. */
export const NEEDS = {
  /** `$this`, `$index`, elements of the focus. */
  focus: 1,
  /** `%context`, now(): the same throughout one evaluation. */
  evaluation: 2,
  /** `%resource`, `%rootResource`: the same throughout a resource. */
  resource: 4,
  /** `$total` */
  total: 8,
} as const;

export type Run = (focus: PathNodes, scope: Scope) => PathNodes;

/** A boolean by singleton evaluation; undefined is the empty collection. */
export type Test = (focus: PathNodes, scope: Scope) => boolean | undefined;

export interface Compiled {
  readonly run: Run;
  /** Of what gives a boolean: the same as `run`, without making a collection. */
  readonly test?: Test;
  /** Bits of NEEDS; undefined: not known. The compiler adds it. */
  readonly needs?: number;
  /** The types that its values can have; undefined: not known before they are there. */
  readonly nodes: readonly TypeNode[] | undefined;
  /** Where the expression is nothing but elements of the focus: its steps. */
  readonly steps?: readonly MemberStep[];
  /** Members of the JSON of the focus: where it has none of them, there are no values. Undefined: not known. */
  readonly members?: readonly string[];
}

/** What an expression is compiled for. */
export interface Surroundings {
  readonly model: TypeModel;
  readonly isStrict: boolean;
  /** The expression comes from a client, and its regular expressions too. */
  readonly isForeign: boolean;
  /** Counts what compiling costs. */
  readonly meter: Meter;
  /** Types of the focus; undefined: not known. */
  readonly focus: readonly TypeNode[] | undefined;
}

/** A call of a function, with what is needed to compile it. */
export interface CallSite {
  readonly syntax: CallSyntax;
  /** What the function is called on. */
  readonly on: Compiled;
  readonly surroundings: Surroundings;
  /** Compiles an argument that is evaluated on the function's own focus (`startsWith(x)`). */
  argument(index: number): Compiled;
  /** Compiles an argument that is evaluated for each value (`where(x)`). */
  criterion(index: number): Compiled;
  /** The type that an argument names. */
  typeName(index: number): string;
}

export type FunctionCompiler = (call: CallSite) => Compiled;

/** Number of arguments and compiler, by name. */
export type FunctionTable = Readonly<
  Record<string, readonly [least: number, most: number, compile: FunctionCompiler]>
>;

/** In strict mode an error, else nothing. */
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

/** A collection that must have at most one value. */
export function one(nodes: PathNodes, scope: Scope, what: string): PathNode | undefined {
  if (nodes.length > 1) {
    fault(scope, `${what} takes one value, not ${nodes.length}`);
    return undefined;
  }
  return nodes[0];
}

/**
 * Singleton evaluation (http://hl7.org/fhirpath/N1/#singleton-evaluation-of-collections): undefined is empty; one
 * value that is no boolean counts as true.
 */
export function truthOf(nodes: PathNodes, scope: Scope, what: string): boolean | undefined {
  if (nodes.length === 0) return undefined;
  const node = one(nodes, scope, what);
  if (!node) return undefined;
  return node.node.kind === 'Boolean' ? (typeof node.value === 'boolean' ? node.value : undefined) : true;
}

/** What `run` says where only its truth is wanted. */
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
