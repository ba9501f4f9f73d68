/** A compiled profile, and the profiles that it may name. */
import type { Definitions } from '../../definitions';
import type { JsonObject, JsonValue } from '../../json';
import type { ResourceProfile } from '../index';
import type { ValidationRun } from '../run';
import type { ProfileRun } from './profile-run';
import type { Shape, Shapes } from './shape';
import type { ExtensionContext, ProfileTree } from './tree';

export interface CompiledProfile extends ResourceProfile {
  readonly url: string;
  readonly version: string | undefined;
  /** The type that the profile is for: `Observation`, `Extension`, `Quantity`. */
  readonly type: string;
  /** For an extension: true if it belongs in `modifierExtension`. */
  readonly isModifier: boolean;
  /** For an extension: where it may be used; empty: not said. */
  readonly contexts: readonly ExtensionContext[];
  /**
   * Sentences about parts that could not be compiled; each run that checks the profile reports them as `unresolved`.
   */
  readonly problems: readonly string[];
  /**
   * Checks everything that the profile requires beyond its base type. The current place of `run` is that of the
   * resource, which must have the right structure.
   */
  check(resource: JsonObject, run: ValidationRun): void;
  /** The same for a resource that another one refers to. */
  checkTarget(resource: JsonObject, at: ProfileRun): void;
  /** The same for a value of a data type (an extension, a Quantity), or for a resource. */
  checkValue(
    value: JsonValue | undefined,
    companion: JsonObject | undefined,
    shape: Shape,
    at: ProfileRun,
  ): void;
}

/** The definitions that profiles are compiled from. */
export interface ProfileSource {
  readonly definitions: Definitions;
  /** Returns the StructureDefinition, with its snapshot, of a canonical url as written (`url` or `url|version`). */
  structureDefinition(canonical: string): JsonObject | undefined;
  /** Returns all codes of a value set if they are available; called if the specification does not define them. */
  codes?(valueSet: string): CodesOfValueSet | undefined;
}

/** A value set whose codes are available without a call of the terminology service. */
export interface CodesOfValueSet {
  hasCode(code: string): boolean;
  hasCoding(system: string, code: string): boolean;
}

/** The profiles of a space; see ProfileSet. */
export interface Profiles {
  readonly definitions: Definitions;
  readonly shapes: Shapes;
  profile(canonical: string): CompiledProfile | undefined;
  tree(canonical: string): ProfileTree | undefined;
  baseType(canonical: string): string | undefined;
  codes(valueSet: string): CodesOfValueSet | undefined;
}
