import type { SchemaOperation } from './operations/definitions';

/** What the schema of a release is made from; core's definitions have this shape, and the schema knows no core. */
export interface SchemaDefinitions {
  /** `4.0.1` */
  readonly fhirVersion: string;
  /** `r4` */
  readonly release: string;
  /** Names of the concrete resource types, sorted. */
  readonly resourceTypes: readonly string[];
  /** Structure of any type; undefined when the release has no such type. */
  structure(typeName: string): SchemaStructure | undefined;
  /** The operations that can be run. */
  readonly operations: readonly SchemaOperation[];
  /** The search parameters of a resource type that work. */
  searchParameters(type: string): readonly SchemaParameter[];
}

/** Those of a release with the search parameters and named queries of one space: all else is as it is in the release. */
export interface OwnDefinitions extends SchemaDefinitions {
  /** Resource types whose search parameters are not those of the release. */
  readonly changed: ReadonlySet<string>;
  /** Of several of one code and type the first counts. */
  readonly queries: readonly SchemaQuery[];
}

/** A search that has a name of its own. */
export interface SchemaQuery {
  readonly code: string;
  /** Canonical url of its OperationDefinition. */
  readonly definition: string;
  /** Resource types that it can be asked of. */
  readonly types: readonly string[];
  readonly inputs: readonly {
    readonly name: string;
    readonly isRequired: boolean;
    readonly repeats: boolean;
    /** What kind of search parameter takes the value, or else the FHIR type of the value. */
    readonly kind: string | undefined;
  }[];
}

export interface SchemaStructure {
  readonly name: string;
  readonly kind: 'primitive' | 'complex' | 'resource';
  readonly isAbstract: boolean;
  /** The elements directly below `path` (`''` for the type itself). */
  children(path: string): readonly SchemaElement[];
}

export interface SchemaElement {
  /** Without the name of the type: `contact.name`, `value[x]`. */
  readonly path: string;
  /** Last part of the path, without `[x]`. */
  readonly name: string;
  readonly isChoice: boolean;
  /** Infinity for `*`. */
  readonly max: number;
  /** Empty when `contentReference` says the type. */
  readonly types: readonly { readonly code: string; readonly targets?: readonly string[] }[];
  /** `Bundle.link` */
  readonly contentReference?: string;
}

export interface SchemaParameter {
  readonly code: string;
  readonly kind: string;
  /** Resource types that a reference parameter may point to; nearly all of them where it may point to any. */
  readonly targets: readonly string[];
  /** True: its value is an expression with a grammar of its own, in which commas do not part alternatives. */
  readonly isExpression: boolean;
  /** As what resources can be counted by its values; absent: they cannot. */
  readonly groupKind?: 'token' | 'reference' | 'date';
}
