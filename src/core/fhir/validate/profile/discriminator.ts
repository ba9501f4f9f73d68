/** Decides which values are in a slice (https://hl7.org/fhir/R4/profiling.html#discriminator). */
import { isJsonObject, type JsonValue } from '../../json';
import { shorten } from '../../json/fault';
import type { TypedValue } from './check';
import { parseDiscriminatorPath, type DiscriminatorStep } from './discriminator-path';
import type { DefinedValue, ProfileDiscriminator } from './element';
import { ProfileError } from './error';
import { findDiscriminatorValues, typeNameOf, type DiscriminatorValues } from './discriminator-values';
import {
  constraintsAt,
  profilesAt,
  typesAt,
  type SliceConstraints,
  type FixedValue,
} from './slice-constraints';
import { MemberFinder, type FixedValueTest } from './member-finder';
import type { ProfileRun } from './profile-run';
import type { CompiledProfile, CodesOfValueSet, Profiles } from './compiled-profile';
import type { ElementNode } from './tree';
import { contains, isFixed, weightOf } from './value';

/** Undefined if the answer depends on a resource that is not available. */
export type Answer = boolean | undefined;

export interface Criterion {
  holds(item: TypedValue, at: ProfileRun): Answer;
  /** For a profile: why a value of the right type does not conform to it; '' if it does. */
  fault?(item: TypedValue, at: ProfileRun): string;
}

type DiscriminatorTest = (found: DiscriminatorValues, at: ProfileRun) => Answer;

/**
 * Compiles one discriminator for one slice. Returns undefined if the slice has no rule at its path. Throws ProfileError
 * for a discriminator that cannot be evaluated.
 */
export function compileDiscriminator(
  { type, path }: ProfileDiscriminator,
  slice: ElementNode,
  profiles: Profiles,
): Criterion | undefined {
  const steps = parseDiscriminatorPath(path);
  const places = constraintsAt(slice, steps, profiles);
  const names = steps.flatMap((step) => (step.kind === 'member' ? [step.name] : []));
  const [place] = places;
  if (
    (type === 'value' || type === 'pattern') &&
    names.length === steps.length &&
    place &&
    place.values.length > 0
  ) {
    const tests = place.values.map(compileGivenTest);
    const finder = new MemberFinder(names, profiles.shapes);
    return {
      holds(item, { meter }) {
        for (const test of tests) if (!finder.finds(item, test, meter)) return false;
        return true;
      },
    };
  }
  const { shapes } = profiles;
  if (type === 'profile') {
    const canonicals = [...new Set(places.flatMap(profilesAt))];
    if (canonicals.length > 0) return profileCriterion(steps, canonicals, profiles);
  }
  const test = compileTest(type, places, profiles);
  if (!test) requireProfiles(slice, steps, profiles);
  return test && { holds: (item, at) => test(findDiscriminatorValues(item, steps, shapes, at), at) };
}

/** Without a rule at the place, an unknown profile on the way may have it. Throws ProfileError if there is one. */
function requireProfiles(slice: ElementNode, steps: readonly DiscriminatorStep[], profiles: Profiles): void {
  for (let count = 0; count <= steps.length; count++) {
    for (const canonical of constraintsAt(slice, steps.slice(0, count), profiles).flatMap(profilesAt)) {
      if (profiles.baseType(canonical) !== undefined || profiles.tree(canonical)) continue;
      throw new ProfileError(
        `the profile ${shorten(canonical)}, by which '${shorten(slice.element.sliceName ?? '')}' differs, could not be found`,
      );
    }
  }
}

function compileTest(
  type: string,
  places: readonly SliceConstraints[],
  profiles: Profiles,
): DiscriminatorTest | undefined {
  switch (type) {
    case 'value':
    case 'pattern':
      return anyOf(places.map((place) => compileValueTest(place, profiles)));
    case 'exists':
      return anyOf(places.map(compileExistsTest));
    case 'type':
    case 'profile':
      return compileTypeTest(places, profiles);
    default:
      throw new ProfileError(`there is no discriminator '${shorten(type)}'`);
  }
}

/** Combines tests of several possible places: one must pass. Returns undefined if any place has no test. */
function anyOf(tests: readonly (DiscriminatorTest | undefined)[]): DiscriminatorTest | undefined {
  const [first, ...others] = tests;
  if (others.length === 0) return first;
  const all = tests.filter((test) => test !== undefined);
  if (all.length < tests.length) return undefined;
  return (found, at) => {
    let answer: Answer = false;
    for (const test of all) {
      const one = test(found, at);
      if (one === true) return true;
      if (one === undefined) answer = undefined;
    }
    return answer;
  };
}

/** True if some value at the place passes the test; undefined if values may be missing. */
function some(
  { values, absentTypes, isUncertain }: DiscriminatorValues,
  test: (value: TypedValue) => boolean,
): Answer {
  if (values.some(test)) return true;
  return isUncertain || absentTypes.length > 0 ? undefined : false;
}

function compileValueTest(place: SliceConstraints, profiles: Profiles): DiscriminatorTest | undefined {
  const tests = place.values.map(compileGivenTest);
  if (tests.length === 0) {
    const test = compileBindingTest(place, profiles);
    return test ?? compileExistsTest(place);
  }
  return (found, at) => {
    let answer: Answer = true;
    for (const test of tests) {
      const one = some(found, ({ value, companion }) => test(value, companion, at.meter));
      if (one === false) return false;
      if (one === undefined) answer = undefined;
    }
    return answer;
  };
}

/** Compiles the test whether a value equals a fixed value or contains a pattern. */
function compileGivenTest({ isFixed: mustEqual, value: given, companion }: FixedValue): FixedValueTest {
  if (!mustEqual) return (value, _companion, meter) => given !== undefined && contains(given, value, meter);
  if (typeof given === 'string' && companion === undefined) return (value) => value === given;
  const fixed: DefinedValue = { suffix: '', value: given, companion };
  const weight = weightOf(fixed);
  return (value, valueCompanion, meter) => {
    meter.left -= weight;
    return isFixed(fixed, value, valueCompanion);
  };
}

function compileBindingTest({ nodes }: SliceConstraints, profiles: Profiles): DiscriminatorTest | undefined {
  const binding = nodes
    .map(({ element }) => element.binding)
    .findLast((each) => each?.strength === 'required');
  if (!binding) return undefined;
  const codes = profiles.codes(binding.valueSet);
  if (!codes)
    throw new ProfileError(
      `the codes of ${shorten(binding.valueSet)}, by which they differ, are not available`,
    );
  return (found) => some(found, ({ value }) => hasListedCode(value, codes));
}

function hasListedCode(value: JsonValue | undefined, codes: CodesOfValueSet): boolean {
  if (typeof value === 'string') return codes.hasCode(value);
  if (!isJsonObject(value)) return false;
  const { coding, system, code } = value;
  if (Array.isArray(coding)) return coding.some((each) => hasListedCode(each, codes));
  return typeof system === 'string' && typeof code === 'string' && codes.hasCoding(system, code);
}

function compileExistsTest({ nodes }: SliceConstraints): DiscriminatorTest | undefined {
  if (nodes.some(({ element }) => element.max === 0)) {
    return (found) => (found.values.length > 0 ? false : isUncertainPlace(found) ? undefined : true);
  }
  if (nodes.some(({ element }) => (element.min ?? 0) > 0)) {
    return (found) => (found.values.length > 0 ? true : isUncertainPlace(found) ? undefined : false);
  }
  return undefined;
}

function isUncertainPlace({ absentTypes, isUncertain }: DiscriminatorValues): boolean {
  return isUncertain || absentTypes.length > 0;
}

function compileTypeTest(
  places: readonly SliceConstraints[],
  { definitions }: Profiles,
): DiscriminatorTest | undefined {
  const types = [...new Set(places.flatMap(typesAt))];
  if (types.length === 0) return undefined;
  const isOfType = (name: string): boolean => types.some((type) => definitions.conformsTo(name, type));
  return ({ values, absentTypes, isUncertain }) => {
    if (values.some((value) => isOfType(typeNameOf(value))) || absentTypes.some(isOfType)) return true;
    return isUncertain ? undefined : false;
  };
}

/** A criterion that holds if a value conforms to one of the profiles. */
function profileCriterion(
  steps: readonly DiscriminatorStep[],
  canonicals: readonly string[],
  profiles: Profiles,
): Criterion {
  return {
    holds(item, at) {
      const found = findDiscriminatorValues(item, steps, profiles.shapes, at);
      let answer: Answer = isUncertainPlace(found) ? undefined : false;
      for (const value of found.values) {
        for (const canonical of canonicals) {
          const profile = profiles.profile(canonical);
          if (!profile) answer = undefined;
          else if (faultOf(profile, value, at) === '') return true;
        }
      }
      return answer;
    },
    fault(item, at) {
      const [value] = findDiscriminatorValues(item, steps, profiles.shapes, at).values;
      const [profile] = canonicals.flatMap((canonical) => profiles.profile(canonical) ?? []);
      if (!value || !profile) return '';
      const isOfType = profiles.definitions.conformsTo(typeNameOf(value), profile.type);
      return isOfType ? faultOf(profile, value, at) : '';
    },
  };
}

function faultOf(
  profile: CompiledProfile,
  { value, companion, shape, enter }: TypedValue,
  at: ProfileRun,
): string {
  return at.faultOf(profile, value, (quiet) => {
    const check = (): void => profile.checkValue(value, companion, shape, quiet);
    if (enter) enter(quiet, check);
    else check();
  });
}
