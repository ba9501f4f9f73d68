/** Compiles the rules of a profile on the values of an element themselves, beyond those of the base. */
import type { ConstraintDefinition, ElementDefinition, ValueSetBinding } from '../../definitions';
import { isJsonObject } from '../../json';
import { shorten } from '../../json/fault';
import { PathAllowance, PathBudgetError, PathError } from '../../path';
import { compileBinding } from '../binding';
import type { InvariantContext } from '../invariants';
import type { Origin, ValueCheck } from './check';
import { compileConstraint } from './constraint';
import { pathOf, type DefinedValue, type ProfileConstraint, type ProfileElement } from './element';
import { ProfileLimit } from './error';
import { compileLimit, isLongerThan } from './limit';
import type { Profiles } from './compiled-profile';
import type { Shape } from './shape';
import { followsPattern, isFixed, show, weightOf } from './value';

/** The context of the values of an element. */
export interface ElementBase {
  /** The type whose constraints all values of the element meet: `Quantity`, `BackboneElement`, the type of a root. */
  readonly typeName: string;
  readonly definition: ElementDefinition | undefined;
  /** The place that constraints are compiled for. */
  readonly place: InvariantContext;
  /** True if the values are resources: `%resource` of a constraint is then the one that has them. */
  readonly isResource?: boolean;
  /** For a slice: the sliced element, whose own rules are checked on all values. */
  readonly head: ProfileElement | undefined;
}

/** Limit on the constraints; each takes some 10 µs to compile. */
const MAX_CONSTRAINTS = 5_000;
/** Limit on compiling them: 100,000 characters. */
const MAX_COMPILING_STEPS = 500_000;

export class ValueRules {
  /** Sentences about what could not be compiled. */
  readonly problems: string[] = [];
  private constraints = 0;
  private readonly compiling = new PathAllowance(MAX_COMPILING_STEPS);

  constructor(
    private readonly profiles: Profiles,
    private readonly origin: Origin,
  ) {}

  /** Compiles all rules of an element on its values themselves. */
  *compile(element: ProfileElement, shape: Shape, base: ElementBase): Generator<ValueCheck> {
    const { fixed, pattern } = element;
    if (fixed && this.isForShape(fixed, shape)) yield this.fixedCheck(fixed);
    if (pattern && this.isForShape(pattern, shape)) yield this.patternCheck(pattern);
    yield* this.limitChecks(element, shape);
    yield* this.bindingChecks(element, shape, base);
    const ofType = this.profiles.definitions.structure(base.typeName)?.constraints ?? [];
    for (const constraint of element.constraints) {
      if (!isInherited(constraint, ofType, base)) yield* this.constraintChecks(constraint, element, base);
    }
  }

  /** False if only one of the two is primitive: `fixedQuantity` does not apply to a string. */
  private isForShape({ value }: DefinedValue, { structure }: Shape): boolean {
    return isJsonObject(value) === (structure.kind !== 'primitive');
  }

  private fixedCheck(fixed: DefinedValue): ValueCheck {
    const { name } = this.origin;
    const weight = weightOf(fixed);
    const wanted = `The value must be exactly ${show(fixed.value)}`;
    return (value, companion, at) => {
      if (!at.spend(weight) || isFixed(fixed, value, companion)) return;
      at.report('profile', `${wanted}, but is ${show(value)} (${name})`);
    };
  }

  private patternCheck(pattern: DefinedValue): ValueCheck {
    const { name } = this.origin;
    const wanted = `The value must have all of ${show(pattern.value)}`;
    return (value, companion, at) => {
      // Without remaining work the result means nothing.
      if (followsPattern(pattern, value, companion, at.meter) || !at.spend(0)) return;
      at.report('profile', `${wanted}, but is ${show(value)} (${name})`);
    };
  }

  private *limitChecks(
    { minValue, maxValue, maxLength, path }: ProfileElement,
    shape: Shape,
  ): Generator<ValueCheck> {
    const { definitions } = this.profiles;
    const { name: typeName } = shape.structure;
    for (const [side, limit] of [['min', minValue] as const, ['max', maxValue] as const]) {
      if (!limit) continue;
      const test = compileLimit(definitions, side, limit, typeName);
      if (!test) {
        this.problems.push(`${side}Value of ${path} cannot be checked (${this.origin.name})`);
        continue;
      }
      const bound = `${side === 'min' ? 'at least' : 'at most'} ${show(limit.value)} (${this.origin.name})`;
      yield (value, _companion, at) => {
        if (value === undefined || value === null) return;
        const isWithin = test(value);
        if (isWithin === false) at.report('profile', `The value ${show(value)} must be ${bound}`);
        else if (isWithin === undefined)
          at.report(
            'profile',
            `The value ${show(value)} cannot be compared; it must be ${bound}`,
            [],
            'warning',
          );
      };
    }
    if (maxLength === undefined || (shape.structure.maxLength ?? Infinity) <= maxLength) return;
    yield (value, _companion, at) => {
      if (typeof value === 'string' && isLongerThan(value, maxLength))
        at.report('profile', `The text is longer than ${maxLength} characters (${this.origin.name})`);
    };
  }

  private *bindingChecks(element: ProfileElement, shape: Shape, base: ElementBase): Generator<ValueCheck> {
    const { name, kind } = shape.structure;
    // In a choice, a binding applies to the types that are made for codes.
    if (element.types.length > 1 && kind === 'primitive' && name !== 'code') return;
    const valueSetBinding = newBinding(element, shape, base);
    const check = compileBinding(this.profiles.definitions, { valueSetBinding }, name);
    if (!check) return;
    yield (value, _companion, { run }) => {
      if (run.isFull && value !== undefined) check(value, run);
    };
  }

  private *constraintChecks(
    constraint: ProfileConstraint,
    element: ProfileElement,
    { place, isResource = false }: ElementBase,
  ): Generator<ValueCheck> {
    if (++this.constraints > MAX_CONSTRAINTS)
      throw new ProfileLimit(`it has more than ${MAX_CONSTRAINTS} constraints on types of values`);
    try {
      const check = compileConstraint(this.profiles.definitions, constraint, {
        ...place,
        origin: this.origin,
        compiling: this.compiling,
      });
      if (check) yield isResource ? (...given) => given[2].inOuter(() => check(...given)) : check;
    } catch (thrown) {
      if (thrown instanceof PathBudgetError) throw new ProfileLimit('its constraints are too long together');
      if (!(thrown instanceof PathError)) throw thrown;
      this.problems.push(
        `The constraint ${shorten(constraint.key)} of ${pathOf(element)} is not checked: ` +
          `${shorten(thrown.message)} (${this.origin.name})`,
      );
    }
  }
}

function isInherited(
  constraint: ProfileConstraint,
  ofType: readonly ConstraintDefinition[],
  { definition, head }: ElementBase,
): boolean {
  const isSame = ({ key, expression }: ConstraintDefinition | ProfileConstraint): boolean =>
    key === constraint.key && expression === constraint.expression;
  return (
    ofType.some(isSame) ||
    definition?.constraints.some(isSame) === true ||
    definition?.types.some((type) => type.constraints?.some(isSame)) === true ||
    head?.constraints.some(isSame) === true
  );
}

/** Returns what a binding requires beyond the base and the sliced element; undefined if nothing. */
function newBinding(
  { binding }: ProfileElement,
  shape: Shape,
  base: ElementBase,
): ValueSetBinding | undefined {
  if (!binding) return undefined;
  const { strength, valueSet, maxValueSet } = binding;
  if (strength !== 'required' && strength !== 'extensible' && strength !== 'preferred') return undefined;
  const inherited = base.definition?.valueSetBinding ?? shape.structure.valueSetBinding;
  const inheritedBindings = [inherited, base.head?.binding];
  const isNew = !inheritedBindings.some(
    (each) => each?.strength === strength && withoutVersion(each.valueSet) === withoutVersion(valueSet),
  );
  const maximum = inheritedBindings.some((each) => each?.maxValueSet === maxValueSet)
    ? undefined
    : maxValueSet;
  if (!isNew && maximum === undefined) return undefined;
  // A preferred binding requires nothing.
  return { strength: isNew ? strength : 'preferred', valueSet, maxValueSet: maximum };
}

function withoutVersion(canonical: string): string {
  return canonical.replace(/\|.*/, '');
}
