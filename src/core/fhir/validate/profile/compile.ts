/** Compiles the elements of a profile, without what the base requires anyway. */
import type { JsonObject, JsonValue } from '../../json';
import { isJsonObject } from '../../json';
import { shorten } from '../../json/fault';
import type { ValidationRun } from '../run';
import type { Origin, ValueCheck } from './check';
import { ContentCompiler } from './content';
import { ProfileError } from './error';
import { ProfileRun } from './profile-run';
import type { CompiledProfile, Profiles } from './compiled-profile';
import type { Shape } from './shape';
import type { ProfileTree } from './tree';

/**
 * Compiles a profile from the tree of its snapshot. `profiles` has the profiles that it may name; these are compiled
 * when a value needs them. Throws ProfileError if the profile is for a type that this release does not have, and
 * ProfileLimit if it is too large to compile. Cost: some 100 µs for a profile of a hundred elements.
 */
export function compileProfile(tree: ProfileTree, profiles: Profiles): CompiledProfile {
  const { definitions, shapes } = profiles;
  const shape = shapes.ofType(tree.type);
  if (!shape)
    throw new ProfileError(
      `it is for ${shorten(tree.type)}, which FHIR ${definitions.fhirVersion} does not have`,
    );
  const origin: Origin = { name: `the profile ${shorten(tree.url)}` };
  const compiler = new ContentCompiler(tree, profiles, origin);
  const checks = compiler.compileRoot(shape);
  const problems = compiler.problems;
  const profile: CompiledProfile = {
    url: tree.url,
    version: tree.version,
    type: tree.type,
    isModifier: tree.root.element.isModifier,
    contexts: tree.contexts,
    problems,
    check(resource: JsonObject, run: ValidationRun): void {
      const at = ProfileRun.of(run);
      if (at.isFirstCheck(profile, resource)) profile.checkTarget(resource, at);
    },
    checkTarget(resource, at) {
      const actual = shapes.ofResource(resource);
      if (actual) profile.checkValue(resource, undefined, actual, at);
    },
    checkValue(value, companion, actual, at) {
      if (!isFor(actual)) {
        at.report(
          'profile',
          `This is of type ${actual.structure.name}, but ${origin.name} is for ${tree.type}`,
        );
        return;
      }
      if (problems.length > 0) reportProblems(at);
      if (!at.spend(checks.length)) return;
      runAll(checks, value, companion, at);
      // Reports if the work exceeded its limit.
      at.spend(0);
    },
  };
  return profile;

  function isFor(actual: Shape): boolean {
    return definitions.conformsTo(actual.structure.name, tree.type);
  }

  function reportProblems(at: ProfileRun): void {
    if (!at.isNewProblem(problems)) return;
    for (const problem of problems) at.report('unresolved', problem, [], 'warning');
  }
}

/** Returns the profile that the definition of a base type is where a profile names it: only the type is checked. */
export function compileBaseType(
  url: string,
  type: string,
  { definitions, shapes }: Profiles,
): CompiledProfile {
  const profile: CompiledProfile = {
    url,
    version: undefined,
    type,
    isModifier: false,
    contexts: [],
    problems: [],
    check(resource, run) {
      profile.checkTarget(resource, ProfileRun.of(run));
    },
    checkTarget(resource, at) {
      const actual = shapes.ofResource(resource);
      if (actual) profile.checkValue(resource, undefined, actual, at);
    },
    checkValue(_value, _companion, { structure: { name } }, at) {
      if (!definitions.conformsTo(name, type))
        at.report('profile', `This is of type ${name}, but ${shorten(url)} is for ${type}`);
    },
  };
  return profile;
}

function runAll(
  checks: readonly ValueCheck[],
  value: JsonValue | undefined,
  companion: JsonObject | undefined,
  at: ProfileRun,
): void {
  if (value !== undefined && typeof value === 'object' && !isJsonObject(value)) return;
  for (const check of checks) check(value, companion, at);
}
