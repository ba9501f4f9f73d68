/**
 * The constraints of the specification, compiled: each is a FHIRPath expression that "must evaluate to true when run
 * on the element" (https://hl7.org/fhir/R4/conformance-rules.html#constraints).
 */
import type { ConstraintDefinition, Definitions } from '../definitions';
import type { JsonObject, JsonValue } from '../json';
import {
  compileTest,
  PathBudgetError,
  PathEvaluationError,
  type CompiledTest,
  type PathAllowance,
} from '../path';
import { expressionOf } from './invariants/errata';
import { NATIVE_INVARIANTS } from './invariants/native';
import type { ValidationRun } from './run';

export interface Invariant {
  /** `pat-1`; unique within a type only. */
  readonly key: string;
  /** Warnings are for `$validate`; they refuse no write. */
  readonly severity: 'error' | 'warning';
  /** What holds when the constraint is met. */
  readonly human: string;
  /** What is run. */
  readonly expression: string;
  /**
   * Input: the value of the element and, of a primitive (of which the value may then be null), the object with its id
   * and extensions; `%resource` and `%rootResource` are those of the run.
   *
   * Only true holds. An empty result does not, and neither does an evaluation that fails because values do not fit the
   * expression (two where an operator takes one): it did not evaluate to true. One that takes too long is reported as that,
   * once, and holds as far as is known; then no other is evaluated.
   */
  holds(value: JsonValue, element: JsonObject | undefined, run: ValidationRun): boolean;
}

/** A constraint that a client may have written. */
export interface ForeignInvariant extends Omit<Invariant, 'holds'> {
  /** The same, at the expense of an allowance; when that is used up the answer is false, and says nothing. */
  holds(
    value: JsonValue,
    element: JsonObject | undefined,
    run: ValidationRun,
    allowance: PathAllowance,
  ): boolean;
}

/** Where a constraint is run. */
export interface InvariantPlace {
  /** `Patient`, `Patient.contact`, `Observation.value[x]` */
  readonly rootType: string;
  /** Of a choice: the type of the value. */
  readonly choice?: string;
}

const compiled = new WeakMap<Definitions, Map<string, readonly Invariant[]>>();

/**
 * The constraints of a type (path '') with those that it inherits; of an element, those that it has beyond the ones
 * of its type, among them those of a profile that the specification itself names there (SimpleQuantity). Without the
 * ones of NATIVE_INVARIANTS. Made on first use, then kept. `choice` is the type of the value where the element is a
 * choice. Throws PathError for an expression that cannot be compiled; a test sees to it that none is left.
 */
export function compileInvariants(
  definitions: Definitions,
  typeName: string,
  path: string,
  choice?: string,
): readonly Invariant[] {
  let known = compiled.get(definitions);
  if (!known) compiled.set(definitions, (known = new Map<string, readonly Invariant[]>()));
  const rootType = path === '' ? typeName : `${typeName}.${path}`;
  const name = choice === undefined ? rootType : `${rootType} ${choice}`;
  let invariants = known.get(name);
  if (!invariants) {
    invariants = constraintsOf(definitions, typeName, path, choice)
      .filter(({ key }) => !NATIVE_INVARIANTS.has(key))
      .map((constraint) => compile(definitions, constraint, { rootType, choice }));
    known.set(name, invariants);
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
 * One constraint of a profile, which a client may have written, so that its regular expressions run in linear time
 * (PathOptions.isForeign). `compiling` is the budget of compiling. Throws PathError.
 */
export function compileInvariant(
  definitions: Definitions,
  constraint: ConstraintDefinition,
  place: InvariantPlace,
  compiling: PathAllowance,
): ForeignInvariant {
  const { test, ...rest } = compileConstraint(definitions, constraint, place, compiling);
  return {
    ...rest,
    holds(value, element, run, allowance) {
      try {
        return test(value, element, run.foreignEnvironment(allowance)) === true;
      } catch (error) {
        if (error instanceof PathBudgetError) return false;
        return falseOf(error);
      }
    },
  };
}

function compile(
  definitions: Definitions,
  constraint: ConstraintDefinition,
  place: InvariantPlace,
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

/** What failed did not evaluate to true. Throws anything else. */
function falseOf(error: unknown): false {
  if (error instanceof PathEvaluationError) return false;
  throw error;
}

function compileConstraint(
  definitions: Definitions,
  constraint: ConstraintDefinition,
  { rootType, choice }: InvariantPlace,
  compiling?: PathAllowance,
): Omit<Invariant, 'holds'> & { readonly test: CompiledTest } {
  const { key, severity, human } = constraint;
  const expression = expressionOf(constraint, rootType, definitions);
  const isForeign = compiling !== undefined;
  const test = compileTest(expression, {
    definitions,
    rootType,
    choice,
    isStrict: true,
    isForeign,
    allowance: compiling,
  });
  return { key, severity, human, expression, test };
}
