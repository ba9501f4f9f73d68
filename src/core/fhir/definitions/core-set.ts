/**
 * The shape of element 0 of definitions/<release>.json.gz, which scripts/build-definitions.mjs writes. Absent members
 * mean: min 0, max 1, false, none.
 */
export interface CoreSet {
  readonly release: string;
  readonly fhirVersion: string;
  /** Sorted by name; `number` is the position from 1. */
  readonly types: readonly CoreType[];
  /** Each distinct constraint once; types and elements refer to it by its index. */
  readonly constraints: readonly CoreConstraint[];
  readonly bindings: readonly CoreBinding[];
  /** By url: the value sets of required bindings, and the maximum value sets of other bindings. */
  readonly valueSets: Readonly<Record<string, CoreValueSet>>;
  /** Sorted by type and code; `number` is the position from 1. */
  readonly searchParameters: readonly CoreSearchParameter[];
  /** By resource type: the code of the date parameter that is its clinical sort date. */
  readonly sortDates: Readonly<Record<string, string>>;
  readonly operations: readonly CoreOperation[];
  readonly compartments: readonly CoreCompartment[];
}

export interface CoreType {
  readonly name: string;
  readonly number: number;
  readonly kind: 'primitive' | 'complex' | 'resource';
  readonly abstract?: boolean;
  readonly base?: string;
  /** Primitives only: their type in FHIRPath, such as `System.String`. */
  readonly system?: string;
  readonly regex?: string;
  /** Primitives only, own or inherited. */
  readonly maxLength?: number;
  readonly minValue?: number;
  readonly maxValue?: number;
  /** Indexes in `CoreSet.constraints`. */
  readonly constraints?: readonly number[];
  /** Index in `CoreSet.bindings`. */
  readonly binding?: number;
  readonly elements: readonly CoreElement[];
}

export interface CoreElement {
  /** Without the name of the type: `contact.name`, `value[x]`. */
  readonly path: string;
  readonly min?: number;
  readonly max?: number | '*';
  readonly types?: readonly (string | CoreElementType)[];
  /** `Observation.referenceRange` */
  readonly contentReference?: string;
  readonly constraints?: readonly number[];
  readonly binding?: number;
  readonly summary?: boolean;
  readonly modifier?: boolean;
}

export interface CoreElementType {
  readonly code: string;
  readonly targets?: readonly string[];
  /** True if references to the same type must form a strict hierarchy. */
  readonly hierarchy?: boolean;
  readonly constraints?: readonly number[];
}

export interface CoreConstraint {
  readonly key: string;
  readonly warning?: boolean;
  readonly human: string;
  readonly expression: string;
}

export interface CoreBinding {
  readonly valueSet: string;
  readonly strength: 'required' | 'extensible' | 'preferred';
  readonly max?: string;
}

export interface CoreValueSet {
  /** Version of the expansion that has `codes`. */
  readonly version?: string;
  readonly systems: readonly string[];
  /** The codes of each system; absent if they cannot all be listed. */
  readonly codes?: readonly (readonly string[])[];
  /** Instead of codes: all codes of the one system, or its units that can be converted into `unit`. */
  readonly whole?: { readonly unit?: string };
}

export interface CoreSearchParameter {
  readonly number: number;
  readonly ordinal: number;
  readonly type: string;
  readonly code: string;
  readonly kind: string;
  readonly url: string;
  readonly expression?: string;
  readonly targets?: readonly string[];
  readonly components?: readonly {
    readonly code: string;
    readonly kind: string;
    readonly url: string;
    readonly expression: string;
  }[];
  readonly multipleOr?: boolean;
  readonly multipleAnd?: boolean;
  readonly comparators?: readonly string[];
  readonly modifiers?: readonly string[];
}

export interface CoreOperation {
  readonly id: string;
  readonly code: string;
  readonly url: string;
  readonly kind: 'operation' | 'query';
  readonly system: boolean;
  readonly type: boolean;
  readonly instance: boolean;
  readonly resources: readonly string[];
  readonly affectsState: boolean;
  readonly parameters: readonly CoreOperationParameter[];
}

export interface CoreOperationParameter {
  readonly name: string;
  readonly use: 'in' | 'out';
  readonly min: number;
  readonly max: number | '*';
  readonly type?: string;
  readonly searchType?: string;
  readonly targets?: readonly string[];
  readonly parts?: readonly CoreOperationParameter[];
}

export interface CoreCompartment {
  readonly code: string;
  readonly url: string;
  readonly parameters: Readonly<Record<string, readonly string[]>>;
}
