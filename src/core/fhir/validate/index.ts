/**
 * Validation against the definitions of a release, by checks that are compiled from them once, type by type, when a
 * type is first met. Source: https://hl7.org/fhir/R4/validation.html
 */
import type { Definitions } from '../definitions';
import type { JsonObject } from '../json';
import type { Finding } from './finding';
import { ValidationRun, type PendingCode } from './run';
import { ContentTree } from './content-tree';
import { TypeTree } from './type-tree';

export { FINDING_RULES, type Finding, type FindingRule, type FindingSeverity } from './finding';
export { MAX_FINDINGS, type PendingCode, type ValidationRun } from './run';

export interface ValidationOptions {
  /** False: structure alone. True: bindings, invariants and narrative too. */
  readonly isFull: boolean;
  /** True: what only warns is looked at too, which $validate wants and a write does not. */
  readonly wantsWarnings?: boolean;
  /** Profiles that the resource must conform to, too. */
  readonly profiles?: readonly ResourceProfile[];
}

/** A compiled profile. Its check is asked only about resources that have the right structure. */
export interface ResourceProfile {
  check(resource: JsonObject, run: ValidationRun): void;
}

export interface Validation {
  /** In the order of the document; see `Validator.validate`. */
  readonly findings: readonly Finding[];
  readonly pending: readonly PendingCode[];
}

export interface Validator {
  /**
   * All faults of a resource, at most `MAX_FINDINGS` errors and as many warnings. First what is wrong with its
   * structure, in the order of the document, what an object lacks after what it has; then, if `isFull`, what its
   * content breaks, in the order of the document; then what profiles ask for. An object in which, or below which,
   * a structural fault was found is not asked for its content, so that one fault is not told twice.
   *
   * Input: any JSON object, as `parseJson` gave it. Never throws for what a client can send. Cost: some 10 µs for an
   * Observation of 2 kB, linear in the size of the resource.
   */
  validate(resource: JsonObject, options: ValidationOptions): Validation;
}

/** One per release; what it compiles is kept. */
export function createValidator(definitions: Definitions): Validator {
  const structure = new TypeTree(definitions);
  const content = new ContentTree(definitions);
  return {
    validate(resource, { isFull, wantsWarnings = false, profiles = NO_PROFILES }) {
      const type = resource['resourceType'];
      const isKnown = typeof type === 'string' && definitions.isResourceType(type);
      const run = new ValidationRun(isKnown ? type : '', resource, isFull);
      run.wantsWarnings = wantsWarnings;
      structure.resources.checkOuter(resource, run);
      if (isFull && !run.isOver) content.check(resource, run);
      if (run.faults === 0) for (const profile of profiles) profile.check(resource, run);
      return run;
    },
  };
}

const NO_PROFILES: readonly ResourceProfile[] = [];
