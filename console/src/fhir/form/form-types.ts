/** The parts of a form: what fields, types and slices a StructureDefinition has. */
import type { JsonObject, JsonValue } from '../../api/json';

/** The elements of one StructureDefinition, by their ids: `Patient.identifier:mrn.system`. */
export interface FormDefinition {
  /** Id of the element of the whole. */
  readonly root: string;
  readonly elements: ReadonlyMap<string, JsonObject>;
  /** Ids of the children of an element, and of its slices, in their order. */
  readonly children: ReadonlyMap<string, readonly string[]>;
  readonly slices: ReadonlyMap<string, readonly string[]>;
}

export interface FormBinding {
  readonly strength: string;
  readonly valueSet: string;
}

/** A type that an element can have, with the member that holds it. */
export interface FieldType {
  /** `Quantity`; of elements that are defined in place `BackboneElement` or `Element`. */
  readonly code: string;
  /** `valueQuantity` */
  readonly member: string;
  /** Urls of profiles of the type: its value is formed by one of them. */
  readonly profiles: readonly string[];
  /** Types that a reference may lead to, and urls of profiles; none: all. */
  readonly targets: readonly string[];
}

export interface FormField {
  /** Id of its element. */
  readonly id: string;
  /** Without the type: `value`. */
  readonly name: string;
  readonly label: string;
  readonly short: string;
  readonly isRequired: boolean;
  readonly isMustSupport: boolean;
  readonly isSummary: boolean;
  /** Most values; Infinity: any number. */
  readonly most: number;
  /** In JSON it is a list, even where a profile allows one value only. */
  readonly isList: boolean;
  readonly types: readonly FieldType[];
  /** Types of a choice that the profile does not allow; a record may have a value of one. */
  readonly forbidden: readonly FieldType[];
  readonly binding: FormBinding | undefined;
  /** The only value that it may have, or what its value must contain. */
  readonly fixed: JsonValue | undefined;
  readonly pattern: JsonValue | undefined;
  readonly slices: readonly FormSlice[];
}

/** Some of the values of an element, which a profile names. */
export interface FormSlice {
  /** Id of its element. */
  readonly id: string;
  readonly name: string;
  readonly short: string;
  readonly isRequired: boolean;
  readonly isMustSupport: boolean;
}

/** Where the children of a value are defined. */
export interface FormPlace {
  readonly definition: FormDefinition;
  /** Id of the element. */
  readonly id: string;
}
