/** Checks the targets of references against a profile (https://hl7.org/fhir/R4/references.html). */
import { isJsonObject } from '../../json';
import { shorten } from '../../json/fault';
import type { ElementType } from '../../definitions';
import type { Origin, ValueCheck } from './check';
import type { ProfileType } from './element';
import type { ProfileRun, Target } from './profile-run';
import type { Profiles } from './compiled-profile';

/** An allowed target of a reference: a type of resource, or a profile. */
interface Allowed {
  readonly type: string;
  /** Undefined if any resource of the type is allowed. */
  readonly canonical: string | undefined;
}

/**
 * Compiles the check of targets; undefined if the base requires as much. Input: the types of the profile that match the
 * type of the base.
 */
export function compileTargets(
  types: readonly ProfileType[],
  base: ElementType,
  profiles: Profiles,
  origin: Origin,
): ValueCheck | undefined {
  const { definitions } = profiles;
  const isOpen = types.some(({ targetProfiles }) => targetProfiles.length === 0);
  const targetProfiles = isOpen ? [] : types.flatMap((type) => type.targetProfiles);
  const aggregation = types.some((type) => type.aggregation.length === 0)
    ? []
    : types.flatMap((type) => type.aggregation);
  const isOfBase = (type: string): boolean =>
    base.targets === undefined || base.targets.some((target) => definitions.conformsTo(type, target));
  const given = targetProfiles.map((canonical) => typeOfTarget(canonical, profiles));
  // A target whose profile is not available could be of any type.
  const isAnyType = given.some(({ type }) => type === undefined) || given.length === 0;
  const allowed = given.flatMap(({ type, canonical }): Allowed[] =>
    type === undefined ? [] : [{ type, canonical }],
  );
  const isNarrower =
    !isAnyType &&
    (allowed.some(({ canonical }) => canonical !== undefined) ||
      base.targets === undefined ||
      base.targets.some((target) => !allowed.some(({ type }) => definitions.conformsTo(target, type))));
  if (!isNarrower && aggregation.length === 0) return undefined;
  const names = [...new Set(allowed.map(({ type }) => type))].join(', ');
  const check: ValueCheck = (value, _companion, at) => {
    const target = at.resolve(value, definitions);
    if (target === undefined) return;
    if (aggregation.length > 0) checkAggregation(target, aggregation, at, origin);
    const { type, resource } = target;
    if (isAnyType || type === undefined || !definitions.isResourceType(type)) return;
    const candidates = allowed.filter((one) => definitions.conformsTo(type, one.type));
    if (candidates.length > 0) {
      if (resource) checkProfile(target, { candidates, profiles, at, origin });
    } else if (isOfBase(type)) {
      at.report(
        'reference',
        `The reference is to a ${type}; allowed are references to ${names} (${origin.name})`,
      );
    }
  };
  if (base.code !== 'CodeableReference') return check;
  return (value, companion, at) => {
    const reference = isJsonObject(value) ? value['reference'] : undefined;
    if (reference === undefined) return;
    at.push('reference');
    check(reference, companion, at);
    at.pop();
  };
}

/** Returns the type of a target profile; `type` is undefined for a profile that is not available. */
export function typeOfTarget(
  canonical: string,
  profiles: Profiles,
): { readonly type: string | undefined; readonly canonical: string | undefined } {
  const type = profiles.baseType(canonical);
  if (type !== undefined) return { type, canonical: undefined };
  return { type: profiles.tree(canonical)?.type, canonical };
}

function checkAggregation(
  target: Target,
  aggregation: readonly string[],
  at: ProfileRun,
  origin: Origin,
): void {
  const { kind } = target;
  if (aggregation.includes(kind) || (kind === 'bundled' && aggregation.includes('referenced'))) return;
  at.report(
    'reference',
    `The target of the reference is ${kind}; it must be ${shorten(aggregation.join(' or '))} (${origin.name})`,
  );
}

function checkProfile(
  target: Target,
  {
    candidates,
    profiles,
    at,
    origin,
  }: {
    readonly candidates: readonly Allowed[];
    readonly profiles: Profiles;
    readonly at: ProfileRun;
    readonly origin: Origin;
  },
): void {
  const faults: string[] = [];
  const unknown: string[] = [];
  for (const { canonical } of candidates) {
    // Any resource of the type is allowed.
    if (canonical === undefined) return;
    const profile = profiles.profile(canonical);
    if (profile === undefined) {
      unknown.push(canonical);
      continue;
    }
    const { resource } = target;
    const fault = at.faultOf(profile, resource, (quiet) =>
      quiet.inTarget(target, () => {
        if (resource) profile.checkTarget(resource, quiet);
      }),
    );
    if (fault === '') return;
    faults.push(fault);
  }
  const urls = candidates.map(({ canonical = '' }) => shorten(canonical)).join(' or ');
  if (unknown.length > 0) {
    const sentence = `Conformance of the target of the reference to ${urls} was not checked: the profile does not exist`;
    at.report('unresolved', sentence, [], 'warning');
  } else {
    const sentence = `The target of the reference does not meet ${urls} (${origin.name}): ${faults[0] ?? ''}`;
    at.report('profile', sentence.slice(0, LONGEST_SENTENCE));
  }
}

/** Limit on the characters of sentences that quote other sentences. */
const LONGEST_SENTENCE = 400;
