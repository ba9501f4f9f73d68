/**
 * FHIRPath, compiled once per expression and type and evaluated on plain JSON. The parser covers the whole grammar; the
 * compiler refuses unsupported features (terminology, profiles, products of units …).
 * Source: http://hl7.org/fhirpath/N1, https://hl7.org/fhir/R4/fhirpath.html
 */
import type { Definitions } from '../definitions';
import type { JsonObject, JsonValue } from '../json';
import { PathAllowance, UNMETERED, type Meter } from './allowance';
import { NEEDS, toTest, type Compiled } from './compiled';
import { compileSyntax } from './compiler';
import { selectFromRoot } from './member';
import { parsePath } from './parser';
import { Scope, type PathEnvironment, type ToNodes } from './scope';
import type { PathSyntax } from './syntax';
import { isAbstractResource, TypeModel, type TypeNode } from './type-node';
import { EMPTY, isObject, PathNode, type PathNodes, type PathValue } from './value';

export { limitEvaluationTime, PathAllowance } from './allowance';
export {
  JsonNameError,
  PathBudgetError,
  PathError,
  PathEvaluationError,
  PathSyntaxError,
  PathTypeError,
  UnknownMembershipError,
  UnsupportedPathError,
} from './error';
export { PathCache } from './memory';
export type { PathEnvironment } from './scope';
export type { PathValue } from './value';

export interface PathOptions {
  readonly definitions: Definitions;
  /**
   * Type (`Patient`) or element of a type (`Observation.component`) that the expression is evaluated on. May be omitted
   * if all inputs are values of another path, such as the components of a composite.
   */
  readonly rootType?: string;
  /**
   * Strict mode, for invariants: an element that the type cannot have is a PathTypeError, and an operand that an
   * operator does not accept is a PathEvaluationError. Otherwise both are empty.
   */
  readonly isStrict?: boolean;
  /**
   * True if the expression comes from a client. Each evaluation then has a budget (`PathEnvironment.allowance`) and a
   * time limit. Regular expressions must be literals and run in linear time; of the usual syntax only back references,
   * look-around and the like are not supported (UnsupportedPathError).
   */
  readonly isFromClient?: boolean;
  /** True if memberOf() may be used: evaluations then have `PathEnvironment.isMember`. */
  readonly hasTerminology?: boolean;
  /** Budget for compiling (PathBudgetError): some 0.5 µs a character. Undefined: `COMPILING_STEPS`. */
  readonly allowance?: PathAllowance;
}

/** Maximum steps of compiling one client expression: 10,000 characters, and patterns of some 10,000 states. */
const COMPILING_STEPS = 250_000;
const STEPS_OF_CHARACTER = 5;

/** Maximum steps of an evaluation of a client expression without a budget. */
const DEFAULT_STEPS = 500_000;

/**
 * Evaluates a path. Input: JSON of the root type, or a value of another path. Throws PathBudgetError, in strict mode
 * PathEvaluationError. Cost: from 0.1 µs for a plain path.
 */
export type CompiledPath = (
  root: JsonValue | PathValue,
  environment?: PathEnvironment,
) => readonly PathValue[];

/**
 * Compiles `expression` to a function. Throws PathSyntaxError, UnsupportedPathError (the expression uses an unsupported
 * feature), PathTypeError. Cost: about 10 µs.
 */
export function compilePath(expression: string, options: PathOptions): CompiledPath {
  const settings = readSettings(options);
  const { model, rootNodes, isFromClient } = settings;
  const { run, members, steps } = compileText(expression, settings).compiled;
  // A value of a choice must be a value of another path, which has a type.
  const toNodes = nodesMaker(model, rootNodes?.length === 1 ? rootNodes[0] : undefined);
  const evaluate = evaluator(settings, toNodes);
  const lacks = members && rootNodes?.length === 1 ? lacksAll(members, rootNodes[0]?.name) : undefined;
  const rootNode = rootNodes?.length === 1 ? rootNodes[0] : undefined;
  // Most search parameters only select elements, which needs no scope.
  const selectFrom =
    steps === undefined || steps.length === 0
      ? undefined
      : (root: JsonObject, node: TypeNode) => selectFromRoot(steps, root, node, model);
  return (root, environment = NO_ENVIRONMENT) => {
    if (lacks?.(root) === true) return EMPTY;
    if (
      selectFrom !== undefined &&
      !isFromClient &&
      !(root instanceof PathNode) &&
      isObject(root as JsonValue)
    ) {
      const json = root as JsonObject;
      const node = model.resourceNode(json['resourceType']) ?? rootNode;
      return node === undefined || node.isPrimitive ? EMPTY : selectFrom(json, node);
    }
    return evaluate(run, toNodes(root), environment);
  };
}

type Evaluate = <Result>(
  run: (focus: PathNodes, scope: Scope) => Result,
  focus: PathNodes,
  environment: PathEnvironment,
) => Result;

function evaluator({ isStrict, isFromClient }: PathSettings, toNodes: ToNodes): Evaluate {
  const mode = { isStrict, toNodes };
  return (run, focus, environment) => {
    const allowance = isFromClient ? (environment.allowance ?? new PathAllowance(DEFAULT_STEPS)) : undefined;
    const scope = new Scope(mode, focus, environment, allowance);
    let result;
    try {
      result = run(focus, scope);
    } catch (error) {
      scope.finish();
      throw scope.toPathError(error);
    }
    scope.finish();
    return result;
  };
}

/**
 * Returns a test that JSON of the root type has none of these members. Most resources have few of the members of search
 * parameters.
 */
function lacksAll(
  members: readonly string[],
  rootName: string | undefined,
): (root: JsonValue | PathValue) => boolean {
  return (root) => {
    if (root instanceof PathNode || !isObject(root as JsonValue)) return false;
    const json = root as JsonObject;
    const { resourceType } = json;
    if (resourceType !== undefined && resourceType !== rootName) return false;
    for (let index = 0; index < members.length; index++)
      if (json[members[index] ?? ''] !== undefined) return false;
    return true;
  };
}

/** Properties of an expression that do not depend on a value. */
export interface PathProperties {
  /**
   * Names of the FHIR types that its values can have (`boolean`, `string` … for computed values); undefined if unknown.
   */
  readonly types: readonly string[] | undefined;
  /** False if it uses the current time, so that its value may change. */
  readonly isTimeless: boolean;
  /** False if it uses resolve(), so that its value may depend on other resources. */
  readonly isLocal: boolean;
  /** True if it depends on nothing but `%resource` and `%rootResource`. */
  readonly isOfResource: boolean;
}

/** Returns the properties of an expression. Throws as compilePath does. */
export function inspectPath(expression: string, options: PathOptions): PathProperties {
  const { syntax, compiled } = compileText(expression, readSettings(options));
  const { nodes, needs = NEEDS.focus } = compiled;
  const hasKnownTypes = nodes !== undefined && !nodes.some(isAbstractResource);
  return {
    types: hasKnownTypes ? [...new Set(nodes.map((node) => new PathNode(null, node).type))] : undefined,
    isTimeless: !calls(syntax, CLOCKS),
    isLocal: !calls(syntax, LOOKUPS),
    isOfResource: (needs & ~NEEDS.resource) === 0,
  };
}

const CLOCKS: ReadonlySet<string> = new Set(['now', 'today', 'timeOfDay']);
const LOOKUPS: ReadonlySet<string> = new Set(['resolve']);

function calls(syntax: object, names: ReadonlySet<string>): boolean {
  if ('kind' in syntax && syntax.kind === 'call' && 'name' in syntax && names.has(String(syntax.name)))
    return true;
  return Object.values(syntax).some(
    (part: unknown) => typeof part === 'object' && part !== null && calls(part, names),
  );
}

export interface PathTestOptions extends PathOptions {
  readonly rootType: string;
  /** The type of the values, one of those of a choice (`Observation.value[x]`). */
  readonly choice?: string;
}

/**
 * Input: JSON of the root type and, for a primitive (whose value may be null), the object with its `id` and
 * `extension`. Returns undefined if the result is empty. Cost: from 0.1 µs.
 */
export type CompiledTest = (
  value: JsonValue,
  element: JsonObject | undefined,
  environment: PathEnvironment,
) => boolean | undefined;

/** Compiles `expression` to a boolean test, as invariants need it. Throws as compilePath does. */
export function compileTest(expression: string, options: PathTestOptions): CompiledTest {
  const settings = readSettings(options);
  const { model, rootNodes } = settings;
  const { compiled } = compileText(expression, settings);
  const test = toTest(compiled, 'A test');
  const { rootType, choice } = options;
  const rootNode = choice === undefined ? rootNodes?.[0] : rootNodes?.find(({ name }) => name === choice);
  if (!rootNode) throw new Error(`${rootType} has no type '${choice ?? ''}'`);
  const toNodes = nodesMaker(model, rootNode);
  const evaluate = evaluator(settings, toNodes);
  const isAnyResource = isAbstractResource(rootNode);
  return (value, element, environment) =>
    evaluate(test, isAnyResource ? toNodes(value) : [new PathNode(value, rootNode, element)], environment);
}

interface PathSettings {
  readonly model: TypeModel;
  readonly rootNodes: readonly TypeNode[] | undefined;
  readonly isStrict: boolean;
  readonly isFromClient: boolean;
  readonly hasTerminology: boolean;
  readonly meter: Meter;
}

function readSettings(options: PathOptions): PathSettings {
  const { definitions, rootType } = options;
  const { isStrict = false, isFromClient = false, hasTerminology = false } = options;
  const model = TypeModel.of(definitions);
  const meter = isFromClient ? (options.allowance ?? new PathAllowance(COMPILING_STEPS)) : UNMETERED;
  const settings = { model, isStrict, isFromClient, hasTerminology, meter };
  if (rootType === undefined) return { ...settings, rootNodes: undefined };
  const rootNodes = model.nodesOf(rootType);
  if (rootNodes.length === 0)
    throw new Error(`There is no type '${rootType}' in FHIR ${definitions.fhirVersion}`);
  return { ...settings, rootNodes };
}

function compileText(
  expression: string,
  { rootNodes, ...settings }: PathSettings,
): { readonly syntax: PathSyntax; readonly compiled: Compiled } {
  settings.meter.spend(expression.length * STEPS_OF_CHARACTER);
  const syntax = parsePath(expression);
  const compiled = compileSyntax(syntax, { ...settings, focus: rootNodes });
  return { syntax, compiled };
}

/** The type of a resource is its own; anything else has the root type. */
function nodesMaker(model: TypeModel, rootNode: TypeNode | undefined): ToNodes {
  return (value) => {
    if (value instanceof PathNode) return [value];
    const json = value as JsonValue;
    const node = isObject(json) ? (model.resourceNode(json['resourceType']) ?? rootNode) : rootNode;
    return node ? [new PathNode(json, node)] : EMPTY;
  };
}

const NO_ENVIRONMENT: PathEnvironment = {};
