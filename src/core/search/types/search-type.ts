import type { Definitions } from '../../fhir/definitions';
import type { ReferenceResolver } from '../../fhir/reference';
import type { Zone } from '../../fhir/time-zone';
import type { Hasher } from '../hash';
import type { StoredParameter } from '../parameter';
import type { Criterion, Predicate } from '../predicate';
import type { ResourceKey } from '../resource-key';

/** What turns the text of a value into predicates. */
export interface SearchTypeContext {
  readonly definitions: Definitions;
  readonly hasher: Hasher;
  readonly references: ReferenceResolver;
  keyOf(type: string, id: string): ResourceKey;
  /** Of dates that name none. */
  readonly zone: Zone;
  /** Milliseconds since 1970, for `ap`. */
  readonly now: number;
  /**
   * What whoever asks may find of a type, beside what is asked; undefined: everything. Throws `forbidden` where that is
   * nothing.
   */
  readonly restriction?: (type: string) => readonly Criterion[];
  /** Whether elements of the type are hidden from whoever asks, so that texts of all of it cannot be asked for. */
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

/** One kind of search parameter. Adding one: a file, and its line in index.ts. */
export interface SearchType {
  /**
   * Modifiers that can be used with this type, beside `missing`, which all have; `:[type]` of references is checked by
   * the type itself.
   */
  readonly modifiers: readonly string[];
  /** Those of them that turn the criterion round: a resource must meet none of the alternatives. */
  readonly negations?: readonly string[];
  /**
   * The predicates of one alternative, still escaped; a resource must meet one of them.
   * Throws invalidParameterValue, unsupportedModifier.
   */
  predicates(context: SearchTypeContext, parameter: WrittenParameter, value: string): Predicate[];
}
