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
