import type { Definitions } from '../../fhir/definitions';
import type { ReferenceResolver } from '../../fhir/reference';
import type { Zone } from '../../../../packages/fhir-values/date';
import type { Hasher } from '../rows/hash';
import type { StoredParameter } from '../parameters/parameter';
import type { Criterion, Predicate } from '../predicate';
import type { ResourceKey } from '../rows/resource-key';
import type { TenantParameter } from '../parameters/tenant-parameter';

/** Input for turning the text of a value into predicates. */
export interface SearchTypeContext {
  readonly definitions: Definitions;
  /** Search parameters of the tenant, unsearchable ones included; undefined: there are none. */
  readonly tenantParameters?: readonly TenantParameter[] | undefined;
  readonly hasher: Hasher;
  readonly references: ReferenceResolver;
  keyOf(type: string, id: string): ResourceKey;
  /** The time zone of dates without one. */
  readonly zone: Zone;
  /** Milliseconds since 1970, for `ap`. */
  readonly now: number;
  /**
   * Criteria of the caller's grants for a type, in addition to those of the request; undefined: unrestricted. Throws
   * `forbidden` where the caller may find nothing of the type.
   */
  readonly restriction?: (type: string) => readonly Criterion[];
  /** True when elements of the type are hidden from the caller, so that full-text searches of it are not allowed. */
  readonly hidesElements?: (type?: string) => boolean;
  /** Paths of elements that full-text searches of whole resources leave out, such as `Endpoint.header`. */
  readonly secrets?: readonly string[];
  /** Throws `forbidden` where not all resources of the type, with all their elements, may be found. */
  readonly requireAll?: (type: string, what: string) => void;
}

/** A search parameter of a request: its definition, name and modifier. */
export interface WrittenParameter {
  readonly stored: StoredParameter;
  /** As in the request, modifier included; for messages. */
  readonly name: string;
  readonly modifier: string | undefined;
}

/** The meaning of a search parameter with a modifier. Adding one: a file in ../modifiers, and its line in the types. */
export interface Modifier {
  /** True: a resource must meet none of the alternatives. */
  readonly isNegated?: boolean;
  /** Limit where alternatives are more expensive than usual. */
  readonly maxAlternatives?: number;
  /**
   * Returns the predicates of one alternative, still escaped; a resource must meet one of them.
   * Throws invalidParameterValue, unsupportedModifier.
   */
  predicates(context: SearchTypeContext, parameter: WrittenParameter, value: string): Predicate[];
}

/** Key in the modifiers of a search type that stands for the name of any resource type. */
export const ANY_TYPE = '[type]';

/**
 * One kind of search parameter; its own `predicates` are those without a modifier. Adding one: a file, and its line in
 * index.ts.
 */
export interface SearchType extends Modifier {
  /** Modifiers by name, in the order of error messages; all types also have `missing`. */
  readonly modifiers: ReadonlyMap<string, Modifier>;
}
