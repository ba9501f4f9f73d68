/** A profile as it is compiled, and the profiles that it may name. */
import type { Definitions } from '../../definitions';
import type { JsonObject, JsonValue } from '../../json';
import type { ResourceProfile } from '../index';
import type { ValidationRun } from '../run';
import type { ProfileRun } from './profile-run';
import type { Shape, Shapes } from './shape';
import type { ProfileTree } from './tree';

export interface CompiledProfile extends ResourceProfile {
  readonly url: string;
  readonly version: string | undefined;
  /** The type that it is for: `Observation`, `Extension`, `Quantity`. */
  readonly type: string;
  /** Of an extension: it stands in `modifierExtension`. */
  readonly isModifier: boolean;
  /** What of the profile could not be compiled, as sentences; reported as `unresolved` with each check. */
  readonly problems: readonly string[];
  /**
   * Everything that the profile asks for beyond its base type. The present place of `run` is the resource, which has
   * the right structure.
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

/** What profiles are compiled with. */
export interface ProfileSource {
  readonly definitions: Definitions;
  /** The StructureDefinition, with its snapshot, of a canonical url as it is written (`url` or `url|version`). */
  structureDefinition(canonical: string): JsonObject | undefined;
  /** All codes of a value set, where they are at hand; asked where the specification does not tell. */
  codes?(valueSet: string): KnownCodes | undefined;
}

/** A value set of which it can be told at once whether it has a code. */
export interface KnownCodes {
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
  codes(valueSet: string): KnownCodes | undefined;
}
