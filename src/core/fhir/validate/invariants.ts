/**
 * Compiles the constraints of the specification: each is a FHIRPath expression that "must evaluate to true when run on
 * the element" (https://hl7.org/fhir/R4/conformance-rules.html#constraints).
 */
import type { ConstraintDefinition, Definitions } from '../definitions';
import type { JsonObject, JsonValue } from '../json';
import {
  compileTest,
  PathBudgetError,
  PathEvaluationError,
  UnknownMembershipError,
  type CompiledTest,
  type PathAllowance,
} from '../path';
import { expressionOf } from './invariants/errata';
import { NATIVE_INVARIANTS } from './invariants/native';
import type { ConstraintContext, ValidationRun } from './run';

export interface Invariant {
  /** `pat-1`; unique within a type only. */
  readonly key: string;
  /** Warnings are for `$validate`; they do not refuse a write. */
  readonly severity: 'error' | 'warning';
  /** The condition in words. */
  readonly human: string;
  /** The expression that is evaluated, which may be a correction of the published one. */
  readonly expression: string;
  /**
   * Evaluates the constraint. Input: the value of the element and, for a primitive, the object with its id and
   * extensions; the value of a primitive may be null. `%resource` and `%rootResource` are those of the run.
   *
   * Only a result of true holds. An empty result does not hold, nor does an evaluation that fails because values do not
   * fit the expression (two for an operator that takes one). An evaluation beyond its budget is reported once as
   * `tooCostly` and counts as true; the run then evaluates no other constraint.
   */
  holds(value: JsonValue, element: JsonObject | undefined, run: ValidationRun): boolean;
}

/** A constraint that a client may have written. */
export interface ForeignInvariant extends Omit<Invariant, 'holds'> {
  /**
   * The same in its surroundings. When their allowance is used up the result is false and means nothing. Undefined if
   * the terminology has no answer to memberOf() (yet).
   */
  holds(
    value: JsonValue,
    element: JsonObject | undefined,
    run: ValidationRun,
    surroundings: ConstraintContext,
  ): boolean | undefined;
}

/** The place where a constraint is evaluated. */
export interface InvariantContext {
  /** `Patient`, `Patient.contact`, `Observation.value[x]` */
  readonly rootType: string;
  /** For a choice: the type of the value. */
  readonly choice?: string;
}

const compiled = new WeakMap<Definitions, Map<string, readonly Invariant[]>>();

/**
 * Returns the constraints of a type (path '') with inherited ones, or those of an element beyond the ones of its type.
 * The latter include the constraints of a profile that the specification itself names there (SimpleQuantity).
 * Constraints of NATIVE_INVARIANTS are left out. `choice` is the type of the value if the element is a choice. Compiled
 * on first use, then cached.
 *
 * Throws PathError for an expression that cannot be compiled; a test ensures that there is none.
 */
export function compileInvariants(
  definitions: Definitions,
  typeName: string,
  path: string,
  choice?: string,
): readonly Invariant[] {
  let byName = compiled.get(definitions);
  if (!byName) compiled.set(definitions, (byName = new Map<string, readonly Invariant[]>()));
  const rootType = path === '' ? typeName : `${typeName}.${path}`;
  const name = choice === undefined ? rootType : `${rootType} ${choice}`;
  let invariants = byName.get(name);
  if (!invariants) {
    invariants = constraintsOf(definitions, typeName, path, choice)
      .filter(({ key }) => !NATIVE_INVARIANTS.has(key))
      .map((constraint) => compile(definitions, constraint, { rootType, choice }));
    byName.set(name, invariants);
  }
  return invariants;
}

function constraintsOf(
  definitions: Definitions,
  typeName: string,
  path: string,
  choice: string | undefined,
): readonly ConstraintDefinition[] {
  const structure = definitions.structure(typeName);
  if (!structure) throw new Error(`There is no type '${typeName}' in FHIR ${definitions.fhirVersion}`);
  if (path === '') return structure.constraints;
  const element = structure.element(path);
  if (!element) throw new Error(`${typeName} has no element '${path}'`);
  const ofType = element.types.flatMap(({ code, constraints }) =>
    constraints === undefined || (choice !== undefined && choice !== code) ? [] : constraints,
  );
  return ofType.length === 0 ? element.constraints : [...element.constraints, ...ofType];
}

/**
 * Compiles one constraint of a profile. A client may have written it, so that its regular expressions run in linear
 * time (PathOptions.isFromClient). `compiling` is the budget for compiling. Throws PathError.
 */
export function compileInvariant(
  definitions: Definitions,
  constraint: ConstraintDefinition,
  place: InvariantContext,
  compiling: PathAllowance,
): ForeignInvariant {
  const { test, ...rest } = compileConstraint(definitions, constraint, place, compiling);
  return {
    ...rest,
    holds(value, element, run, surroundings) {
      try {
        return test(value, element, run.foreignEnvironment(surroundings)) === true;
      } catch (error) {
        if (error instanceof UnknownMembershipError) return undefined;
        if (error instanceof PathBudgetError) return false;
        return falseOf(error);
      }
    },
  };
}

function compile(
  definitions: Definitions,
  constraint: ConstraintDefinition,
  place: InvariantContext,
): Invariant {
  const { test, ...rest } = compileConstraint(definitions, constraint, place);
  return {
    ...rest,
    holds(value, element, run) {
      if (run.isExhausted) return true;
      try {
        return test(value, element, run) === true;
      } catch (error) {
        if (!(error instanceof PathBudgetError)) return falseOf(error);
        run.isExhausted = true;
        run.report(
          'tooCostly',
          `The constraint ${rest.key} takes too long to check on a resource of this size`,
        );
        return true;
      }
    },
  };
}

/** Returns false for a failed evaluation, which did not evaluate to true. Throws any other error. */
function falseOf(error: unknown): false {
  if (error instanceof PathEvaluationError) return false;
  throw error;
}

function compileConstraint(
  definitions: Definitions,
  constraint: ConstraintDefinition,
  { rootType, choice }: InvariantContext,
  compiling?: PathAllowance,
): Omit<Invariant, 'holds'> & { readonly test: CompiledTest } {
  const { key, severity, human } = constraint;
  const expression = expressionOf(constraint, rootType, definitions);
  const isFromClient = compiling !== undefined;
  const test = compileTest(expression, {
    definitions,
    rootType,
    choice,
    isStrict: true,
    isFromClient,
    hasTerminology: isFromClient,
    allowance: compiling,
  });
  return { key, severity, human, expression, test };
}
