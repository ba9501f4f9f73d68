/** The profiles of one space, compiled on first use. */
import type { Definitions } from '../../definitions';
import { testValueSet } from '../value-set-test';
import { Shapes } from './shape';
import { readTree, type ProfileTree } from './tree';
import { compileBaseType, compileProfile } from './compile';
import { ProfileError } from './error';
import type { Profiles, CompiledProfile, ProfileSource, CodesOfValueSet } from './compiled-profile';

const BASE = 'http://hl7.org/fhir/StructureDefinition/';

export class ProfileSet implements Profiles {
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
   * Undefined if there is none, or if it cannot be used; `faultOf` then says why. The absence of a profile in the
   * source is not cached.
   */
  profile(canonical: string): CompiledProfile | undefined {
    if (this.profiles.has(canonical)) return this.profiles.get(canonical);
    const tree = this.tree(canonical);
    if (!tree) return this.faults.has(canonical) ? undefined : this.baseProfile(canonical);
    const profile = this.attempt(canonical, () => compileProfile(tree, this));
    this.profiles.set(canonical, profile);
    return profile;
  }

  /** A profile may name the definition of a base type, which is not loaded. */
  private baseProfile(canonical: string): CompiledProfile | undefined {
    const type = this.baseType(canonical);
    const [, version] = canonical.split('|');
    const isOfRelease = version === undefined || version === this.definitions.fhirVersion;
    return type !== undefined && isOfRelease ? compileBaseType(canonical, type, this) : undefined;
  }

  tree(canonical: string): ProfileTree | undefined {
    if (this.trees.has(canonical)) return this.trees.get(canonical);
    const structureDefinition = this.source.structureDefinition(canonical);
    if (!structureDefinition) return undefined;
    const tree = this.attempt(canonical, () => readTree(structureDefinition));
    this.trees.set(canonical, tree);
    return tree;
  }

  /** Why an existing profile cannot be used, as the end of a sentence that names it. */
  faultOf(canonical: string): string | undefined {
    return this.faults.get(canonical);
  }

  /** Returns the type whose own definition has the canonical url: `Patient`, `Quantity`. */
  baseType(canonical: string): string | undefined {
    const bar = canonical.indexOf('|');
    if (!canonical.startsWith(BASE)) return undefined;
    const name = canonical.slice(BASE.length, bar < 0 ? undefined : bar);
    return this.definitions.structure(name) ? name : undefined;
  }

  codes(valueSet: string): CodesOfValueSet | undefined {
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
