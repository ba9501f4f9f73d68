/**
 * FHIRPath, compiled once per expression and type and run on plain JSON. The whole grammar is parsed; what the
 * compiler does not know (terminology, profiles, products of units …) is refused when it compiles.
 * Source: http://hl7.org/fhirpath/N1, https://hl7.org/fhir/R4/fhirpath.html
 */
import type { Definitions } from '../definitions';
import type { JsonValue } from '../json';
import type { Scope } from './compiled';
import { compileSyntax } from './compiler';
import { parsePath } from './parser';
import { TypeModel } from './type-node';
import { EMPTY, isObject, PathNode, type PathNodes, type PathValue } from './value';

export {
  PathError,
  PathEvaluationError,
  PathSyntaxError,
  PathTypeError,
  UnsupportedPathError,
} from './error';
export type { PathValue } from './value';

export interface PathOptions {
  readonly definitions: Definitions;
  /**
   * What the expression is evaluated on: a type (`Patient`) or an element of one (`Observation.component`). May be
   * left out where it only ever gets values that another path found, such as the components of a composite.
   */
  readonly rootType?: string;
  /**
   * Invariants: an element that the type cannot have is a PathTypeError, and an operator that gets what it cannot
   * take a PathEvaluationError. Without it both are empty, and evaluation never throws.
   */
  readonly isStrict?: boolean;
}

export interface PathEnvironment {
  /** `%resource`; the root when left out. */
  readonly resource?: JsonValue | PathValue;
  /** `%rootResource`, the container of a contained resource; `%resource` when left out. */
  readonly rootResource?: JsonValue | PathValue;
  /** `%context`; the root when left out. */
  readonly context?: JsonValue | PathValue;
  /** Milliseconds since 1970, of now(). */
  readonly now?: number;
}

/** Input: JSON of the root type, or a value that another path found. Cost: from 0.1 µs for a plain path. */
export type CompiledPath = (
  root: JsonValue | PathValue,
  environment?: PathEnvironment,
) => readonly PathValue[];

/**
 * A function that evaluates `expression`. Throws PathSyntaxError, UnsupportedPathError (the expression uses what this
 * compiler does not know), PathTypeError. Cost: about 10 µs.
 */
export function compilePath(expression: string, options: PathOptions): CompiledPath {
  const model = TypeModel.of(options.definitions);
  const { rootType } = options;
  const rootNode = rootType === undefined ? undefined : model.node(rootType);
  if (rootType !== undefined && !rootNode)
    throw new Error(`There is no type '${rootType}' in FHIR ${options.definitions.fhirVersion}`);
  const isStrict = options.isStrict === true;
  const { run } = compileSyntax(parsePath(expression), { model, isStrict, focus: rootNode && [rootNode] });

  /** A resource knows its type; anything else is of the root type. */
  const toNodes = (value: JsonValue | PathValue): PathNodes => {
    if (value instanceof PathNode) return [value];
    const json = value as JsonValue;
    const node = isObject(json) ? (model.resourceNode(json['resourceType']) ?? rootNode) : rootNode;
    return node ? [new PathNode(json, node)] : EMPTY;
  };

  return (root, environment = NOWHERE) => {
    const focus = toNodes(root);
    const resource = environment.resource === undefined ? focus : toNodes(environment.resource);
    const scope: Scope = {
      isStrict,
      context: environment.context === undefined ? focus : toNodes(environment.context),
      resource,
      rootResource: environment.rootResource === undefined ? resource : toNodes(environment.rootResource),
      now: environment.now,
      self: focus,
      index: 0,
      total: EMPTY,
    };
    return run(focus, scope);
  };
}

const NOWHERE: PathEnvironment = {};
