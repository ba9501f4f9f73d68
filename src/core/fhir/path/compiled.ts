/** What the compiler's parts share: a compiled expression, its scope at run time, and how a function is compiled. */
import { PathEvaluationError, PathTypeError, UnsupportedPathError } from './error';
import type { MemberStep } from './member';
import type { CallSyntax, PathSyntax } from './syntax';
import type { TypeModel, TypeNode } from './type-node';
import { EMPTY, type PathNode, type PathNodes } from './value';

/** One evaluation. `this`, `index` and `total` are those of the innermost iteration. */
export interface Scope {
  readonly isStrict: boolean;
  readonly context: PathNodes;
  readonly resource: PathNodes;
  readonly rootResource: PathNodes;
  /** Milliseconds since 1970, the same throughout an evaluation; undefined until it is asked for. */
  now: number | undefined;
  self: PathNodes;
  index: number;
  total: PathNodes;
}

export type Run = (focus: PathNodes, scope: Scope) => PathNodes;

export interface Compiled {
  readonly run: Run;
  /** The types that its values can have; undefined: not known before they are there. */
  readonly nodes: readonly TypeNode[] | undefined;
  /** Where the expression is nothing but elements of the focus: its steps. */
  readonly steps?: readonly MemberStep[];
}

/** What an expression is compiled for. */
export interface Surroundings {
  readonly model: TypeModel;
  readonly isStrict: boolean;
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

/** Evaluates `run` with each value as focus and `$this`, and tells the results to `visit` until it returns false. */
export function forEach(
  nodes: PathNodes,
  run: Run,
  scope: Scope,
  visit: (result: PathNodes, node: PathNode) => boolean | void,
): void {
  const { self, index } = scope;
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
