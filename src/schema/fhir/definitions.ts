import type { SchemaOperation } from './operations/definitions';

/**
 * The definitions from which the schema of a release is made. Core's definitions have this shape, because the schema
 * does not import core.
 */
export interface SchemaDefinitions {
  /** `4.0.1` */
  readonly fhirVersion: string;
  /** `r4` */
  readonly release: string;
  /** Names of the concrete resource types, sorted. */
  readonly resourceTypes: readonly string[];
  /** Structure of any type; undefined when it does not exist in the release. */
  structure(typeName: string): SchemaStructure | undefined;
  /** The operations that the server supports. */
  readonly operations: readonly SchemaOperation[];
  /** The search parameters of a resource type that the server supports. */
  searchParameters(type: string): readonly SchemaParameter[];
  /** Texts for people; undefined where a definition has none. */
  readonly descriptions: {
    /** Describes an element; the type itself where the path is empty. */
    element(typeName: string, path: string): string | undefined;
    operationParameter(operation: string, name: string): string | undefined;
  };
}

/**
 * The definitions of a release with the search parameters and named queries of one space. Everything else is the same
 * as in the release.
 */
export interface OwnDefinitions extends SchemaDefinitions {
  /** Resource types whose search parameters differ from the release. */
  readonly changed: ReadonlySet<string>;
  /** The first of several queries with the same code and type is used. */
  readonly queries: readonly SchemaQuery[];
}

/** A named query. */
export interface SchemaQuery {
  readonly code: string;
  /** Canonical url of its OperationDefinition. */
  readonly definition: string;
  /** Resource types that it searches. */
  readonly types: readonly string[];
  readonly inputs: readonly {
    readonly name: string;
    readonly isRequired: boolean;
    readonly repeats: boolean;
    /** The kind of search parameter that accepts the value, or else the FHIR type of the value. */
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
  /** Path without the name of the type: `contact.name`, `value[x]`. */
  readonly path: string;
  /** Last part of the path, without `[x]`. */
  readonly name: string;
  readonly isChoice: boolean;
  /** Infinity for `*`. */
  readonly max: number;
  /** Empty when `contentReference` defines the type. */
  readonly types: readonly { readonly code: string; readonly targets?: readonly string[] }[];
  /** `Bundle.link` */
  readonly contentReference?: string;
}

export interface SchemaParameter {
  readonly code: string;
  readonly description: string | undefined;
  readonly kind: string;
  /** Resource types that a reference parameter may point to; nearly all of them where any type is allowed. */
  readonly targets: readonly string[];
  /** True: its value is an expression with a grammar of its own, in which commas do not separate alternatives. */
  readonly isExpression: boolean;
  /** The kind of grouping by its values, or of numbers with statistics; absent: there is neither. */
  readonly groupKind?: 'token' | 'reference' | 'date' | 'number';
}
