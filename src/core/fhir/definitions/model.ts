/** The definitions of a release, in the form that core reads. All of it is immutable. */
import type { Release } from '../release';

export interface Definitions {
  readonly release: Release;
  /** The definitions of the release alone, if these have search parameters of a tenant too. */
  readonly ofRelease?: Definitions;
  /** `4.0.1` */
  readonly fhirVersion: string;
  /** Names of the concrete resource types, sorted. */
  readonly resourceTypes: readonly string[];
  /** True for a concrete resource type of this release. Cost: one lookup. */
  isResourceType(name: string): boolean;
  /** Fixed number, from 1, of any type (resource, complex, primitive, abstract); undefined if there is no such type. */
  typeNumber(name: string): number | undefined;
  typeName(number: number): string | undefined;
  /** Structure of any type; undefined if the release has no such type. Built on first use, then cached. */
  structure(typeName: string): TypeStructure | undefined;
  /** True when `typeName` is `ancestor` or specialises it (`Age` is a `Quantity`, `code` is a `string`). */
  conformsTo(typeName: string, ancestor: string): boolean;
  /** Search parameters of a concrete resource type by code, in order of their ordinals; empty for other names. */
  searchParameters(typeName: string): ReadonlyMap<string, SearchParameterDefinition>;
  /** By the fixed parameter number. */
  searchParameter(number: number): SearchParameterDefinition | undefined;
  /** All search parameters of all types that the release has; element i has the number i + 1. */
  readonly allSearchParameters: readonly SearchParameterDefinition[];
  /** Date parameter whose single value is the clinical sort date of the type; undefined if the type has none. */
  sortDateParameter(typeName: string): SearchParameterDefinition | undefined;
  /** By canonical url. */
  readonly operations: ReadonlyMap<string, OperationDefinition>;
  /** By code: `Patient`, `Encounter` … */
  readonly compartments: ReadonlyMap<string, CompartmentDefinition>;
  /** Code systems of a value set that a `code` is bound to (required); undefined if unknown. */
  codeSystem(valueSet: string): CodeSystemOfBinding | undefined;
  /**
   * All codes of the value set of a required binding of a base type, or of a maximum value set, by its url with or
   * without `|version`. Undefined for other value sets, and if its codes cannot all be listed (media types, languages,
   * units …). Built on first use, then cached.
   */
  codeList(valueSet: string): CodeList | undefined;
  /** The code system that such a value set without a list includes as a whole; undefined if there is none. */
  wholeSystem(valueSet: string): WholeSystem | undefined;
}

/** A value set that includes all codes of a system with too many codes to list. */
export interface WholeSystem {
  /** `urn:ietf:bcp:13` (media types), `urn:ietf:bcp:47` (language tags), `http://unitsofmeasure.org`. */
  readonly system: string;
  /** Only the units that can be converted into this one: `m`, `a`. */
  readonly unit?: string;
}

/** The complete content of a value set. */
export interface CodeList {
  /** True if any of its systems has this code. Cost: one lookup. */
  has(code: string): boolean;
  hasCoding(system: string, code: string): boolean;
  /** In the order of the value set. */
  readonly systems: ReadonlySet<string>;
  /** In the order of the value set, each once; some value sets have thousands. */
  readonly codes: ReadonlySet<string>;
}

/** The code system, or the system of each code if the value set has codes of several systems. */
export type CodeSystemOfBinding = string | ReadonlyMap<string, string>;

export interface TypeStructure {
  readonly name: string;
  readonly number: number;
  readonly kind: 'primitive' | 'complex' | 'resource';
  readonly isAbstract: boolean;
  /** The type that this one specialises; undefined for Element and Resource. */
  readonly base?: string;
  /** Primitives only: the FHIRPath type of the value, such as `System.String` (fhirpath.html#types). */
  readonly systemType?: string;
  /** Primitives only: the regular expression of the specification, not anchored. */
  readonly regex?: string;
  /** Primitives only: maximum length in characters, least and greatest value; own or inherited. */
  readonly maxLength?: number;
  readonly minValue?: number;
  readonly maxValue?: number;
  /**
   * Constraints on every value of the type, inherited ones included (`ele-1`, `dom-2`, `obs-6`); elements do not repeat
   * them.
   */
  readonly constraints: readonly ConstraintDefinition[];
  /** Binding of the type as a whole: Age, Distance and Duration limit their units. */
  readonly valueSetBinding?: ValueSetBinding;
  /** Own and inherited elements in the order of the specification, nested ones included. */
  readonly elements: readonly ElementDefinition[];
  /** By path without the type's name: `contact.name`, `value[x]`. */
  element(path: string): ElementDefinition | undefined;
  /** The elements directly below `path` (`''` for the type itself); contentReference is not followed. */
  children(path: string): readonly ElementDefinition[];
}

export interface ElementDefinition {
  /** Without the name of the type; choices end in `[x]`. */
  readonly path: string;
  /** Last part of the path, without `[x]`. */
  readonly name: string;
  readonly isChoice: boolean;
  readonly min: number;
  /** Infinity for `*`. */
  readonly max: number;
  /** Empty if `contentReference` determines the type. */
  readonly types: readonly ElementType[];
  /** Path, with the type's name, of the element that defines the content: `Bundle.link`. */
  readonly contentReference?: string;
  /** Value set url, without version, of a required binding. */
  readonly binding?: string;
  /** For a `code` whose binding determines it: the system of its codes. */
  readonly codeSystem?: CodeSystemOfBinding;
  /** Any binding stronger than `example`. */
  readonly valueSetBinding?: ValueSetBinding;
  /** Constraints on the element beyond those of its types. */
  readonly constraints: readonly ConstraintDefinition[];
  readonly isSummary: boolean;
  readonly isModifier: boolean;
}

/** https://hl7.org/fhir/R4/terminologies.html#strength */
export interface ValueSetBinding {
  /** Canonical url as written: `http://hl7.org/fhir/ValueSet/administrative-gender|4.0.1`. */
  readonly valueSet: string;
  readonly strength: 'required' | 'extensible' | 'preferred';
  /** Codes outside an extensible or preferred value set must at least be in this one. */
  readonly maxValueSet?: string;
}

/** https://hl7.org/fhir/R4/elementdefinition.html#ElementDefinition.constraint */
export interface ConstraintDefinition {
  /** `pat-1`; unique within a type only. */
  readonly key: string;
  readonly severity: 'error' | 'warning';
  /** Human description of the constraint. */
  readonly human: string;
  /** FHIRPath. */
  readonly expression: string;
}

export interface ElementType {
  /** `Quantity`, `code`, `BackboneElement`, `Resource` … */
  readonly code: string;
  /** Resource types (or urls of profiles) that a Reference or canonical may point to; undefined: any. */
  readonly targets?: readonly string[];
  /** True if references to resources of the same type must form a strict hierarchy (references.html#circular). */
  readonly isHierarchy?: boolean;
  /**
   * Constraints of the profile that the specification gives for the type here: SimpleQuantity for a Quantity
   * (`sqty-1`).
   */
  readonly constraints?: readonly ConstraintDefinition[];
}

export type SearchParameterKind =
  | 'number'
  | 'date'
  | 'string'
  | 'token'
  | 'reference'
  | 'composite'
  | 'quantity'
  | 'uri'
  | 'special';

/** A search parameter as it applies to one concrete resource type. */
export interface SearchParameterDefinition {
  /**
   * Fixed number of this pair of type and parameter, from 1: within the release, or for a tenant's parameter within its
   * space.
   */
  readonly number: number;
  /**
   * Position among the parameters of the type, from 0 (bit of the presence bitmap); those of tenants may leave gaps.
   */
  readonly ordinal: number;
  readonly type: string;
  readonly code: string;
  readonly kind: SearchParameterKind;
  readonly url: string;
  /** FHIRPath, only the branches for this type; undefined for those that the server computes (`_text`, `_has` …). */
  readonly expression?: string;
  /** Resource types that a reference parameter may point to. */
  readonly targets: readonly string[];
  /** Components of a composite, in order; empty otherwise. */
  readonly components: readonly SearchParameterComponent[];
  readonly multipleOr: boolean;
  readonly multipleAnd: boolean;
  readonly comparators: readonly string[];
  readonly modifiers: readonly string[];
  /** True for a parameter of a tenant: its expressions come from a client. */
  readonly isForeign?: boolean;
}

export interface SearchParameterComponent {
  /** Code of the parameter that the component refers to. */
  readonly code: string;
  readonly kind: SearchParameterKind;
  /** Canonical url of that parameter. */
  readonly url: string;
  /** FHIRPath, evaluated on each value of the composite's own expression (`%resource` is the resource). */
  readonly expression: string;
}

export interface OperationDefinition {
  readonly id: string;
  /** Without the leading `$`. */
  readonly code: string;
  readonly url: string;
  readonly kind: 'operation' | 'query';
  readonly system: boolean;
  readonly type: boolean;
  readonly instance: boolean;
  /** Resource types it is defined for; `Resource` means all. */
  readonly resources: readonly string[];
  /** R4 has no value: taken from the same operation of R4B; true if there is none either. */
  readonly affectsState: boolean;
  readonly parameters: readonly OperationParameter[];
}

export interface OperationParameter {
  readonly name: string;
  readonly use: 'in' | 'out';
  readonly min: number;
  /** Infinity for `*`. */
  readonly max: number;
  /** A data type, a resource type, `Any`; undefined if it has parts. */
  readonly type?: string;
  readonly searchType?: string;
  readonly targets?: readonly string[];
  readonly parts: readonly OperationParameter[];
}

export interface CompartmentDefinition {
  readonly code: string;
  readonly url: string;
  /** By resource type: the codes of the parameters that put a resource into the compartment. */
  readonly parameters: ReadonlyMap<string, readonly string[]>;
}

/** One conformance resource of the specification, to be stored in the base space. */
export interface BaseResource {
  readonly type: string;
  readonly id: string;
  readonly text: string;
}
