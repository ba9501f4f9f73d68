/** The StructureDefinitions by which resources of one space are judged, compiled when they are first asked for. */
import type { Definitions } from '../../definitions';
import type { JsonObject, JsonValue } from '../../json';
import type { ResourceProfile } from '../index';
import type { ValidationRun } from '../run';
import { testValueSet } from '../value-set-test';
import type { ProfileRun } from './profile-run';
import { Shapes, type Shape } from './shape';
import { readTree, type ProfileTree } from './tree';
import { compileProfile } from './compile';
import { ProfileError } from './error';

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

const BASE = 'http://hl7.org/fhir/StructureDefinition/';

export class ProfileSet {
  readonly definitions: Definitions;
  readonly shapes: Shapes;
  private readonly trees = new Map<string, ProfileTree | undefined>();
  private readonly profiles = new Map<string, CompiledProfile | undefined>();
  private readonly faults = new Map<string, string>();

  constructor(private readonly source: ProfileSource) {
    this.definitions = source.definitions;
    this.shapes = Shapes.of(source.definitions);
  }

  /**
   * Undefined when there is none, or when it cannot be used; `faultOf` tells then why. What the source does not have is
   * asked for again each time.
   */
  profile(canonical: string): CompiledProfile | undefined {
    if (this.profiles.has(canonical)) return this.profiles.get(canonical);
    const tree = this.tree(canonical);
    if (!tree) return undefined;
    const profile = this.attempt(canonical, () => compileProfile(tree, this));
    this.profiles.set(canonical, profile);
    return profile;
  }

  tree(canonical: string): ProfileTree | undefined {
    if (this.trees.has(canonical)) return this.trees.get(canonical);
    const structureDefinition = this.source.structureDefinition(canonical);
    if (!structureDefinition) return undefined;
    const tree = this.attempt(canonical, () => readTree(structureDefinition));
    this.trees.set(canonical, tree);
    return tree;
  }

  /** Why a profile that is there cannot be used, as the end of a sentence that names it. */
  faultOf(canonical: string): string | undefined {
    return this.faults.get(canonical);
  }

  /** The type whose own definition a canonical url names: `Patient`, `Quantity`. */
  baseType(canonical: string): string | undefined {
    const bar = canonical.indexOf('|');
    if (!canonical.startsWith(BASE)) return undefined;
    const name = canonical.slice(BASE.length, bar < 0 ? undefined : bar);
    return this.definitions.structure(name) ? name : undefined;
  }

  codes(valueSet: string): KnownCodes | undefined {
    return testValueSet(this.definitions, valueSet) ?? this.source.codes?.(valueSet);
  }

  private attempt<Value>(canonical: string, make: () => Value): Value | undefined {
    try {
      return make();
    } catch (thrown) {
      if (!(thrown instanceof ProfileError)) throw thrown;
      this.faults.set(canonical, thrown.message);
      return undefined;
    }
  }
}
