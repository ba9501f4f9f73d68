import type { Definitions } from '../../fhir/definitions';
import type { ReferenceResolver } from '../../fhir/reference';
import type { Zone } from '../../fhir/time-zone';
import type { Hasher } from '../hash';
import type { StoredParameter } from '../parameter';
import type { Criterion, Predicate } from '../predicate';
import type { ResourceKey } from '../resource-key';
import type { TenantParameter } from '../tenant-parameter';

/** What turns the text of a value into predicates. */
export interface SearchTypeContext {
  readonly definitions: Definitions;
  /** Of the tenant, those that cannot be searched by among them; undefined: it has none. */
  readonly tenantParameters?: readonly TenantParameter[] | undefined;
  readonly hasher: Hasher;
  readonly references: ReferenceResolver;
  keyOf(type: string, id: string): ResourceKey;
  /** Of dates that name none. */
  readonly zone: Zone;
  /** Milliseconds since 1970, for `ap`. */
  readonly now: number;
  /**
   * Criteria of the caller's grants for a type, in addition to those of the request; undefined: unrestricted. Throws
   * `forbidden` where the caller may find nothing of the type.
   */
  readonly restriction?: (type: string) => readonly Criterion[];
  /** Whether elements of the type are hidden from the caller, so that full-text searches of it are not allowed. */
  readonly hidesElements?: (type?: string) => boolean;
  /** Throws `forbidden` where not all resources of the type, with all their elements, may be found. */
  readonly requireAll?: (type: string, what: string) => void;
}

/** A search parameter as it was written: its definition, name and modifier. */
export interface WrittenParameter {
  readonly stored: StoredParameter;
  /** As in the request, modifier included; for messages. */
  readonly name: string;
  readonly modifier: string | undefined;
}

/** What a search parameter asks of values where it has a modifier. Adding one: a file in ../modifiers, and its line in the types. */
export interface Modifier {
  /** True: a resource must meet none of the alternatives. */
  readonly isNegated?: boolean;
  /** Where fewer alternatives than usual can be looked for in a moment. */
  readonly maxAlternatives?: number;
  /**
   * The predicates of one alternative, still escaped; a resource must meet one of them.
   * Throws invalidParameterValue, unsupportedModifier.
   */
  predicates(context: SearchTypeContext, parameter: WrittenParameter, value: string): Predicate[];
}

/** Stands among the modifiers of a type for the name of any resource type. */
export const ANY_TYPE = '[type]';

/** One kind of search parameter; its own `predicates` are those without a modifier. Adding one: a file, and its line in index.ts. */
export interface SearchType extends Modifier {
  /** By their names, in the order in which errors list them; beside `missing`, which all types have. */
  readonly modifiers: ReadonlyMap<string, Modifier>;
}
