/** What a server's capability statement says about resource types. */
import { isArray, objectsOf, textOf, type JsonObject } from '../api/json';

/** A search parameter of a type, as the capability statement lists it. */
export interface ListedParameter {
  readonly code: string;
  /** `string`, `token`, `date` and so on. */
  readonly type: string;
  readonly documentation: string;
  /** Canonical url of its SearchParameter; '' where it has none. */
  readonly definition: string;
}

/** An operation, as the capability statement lists it. */
export interface ListedOperation {
  /** Without its `$`. */
  readonly name: string;
  /** Canonical url of its OperationDefinition. */
  readonly definition: string;
}

export interface TypeCapability {
  readonly type: string;
  /** Those of the type and of its records. */
  readonly operations: readonly ListedOperation[];
  readonly parameters: readonly ListedParameter[];
  /** Codes such as `create`. */
  readonly interactions: readonly string[];
  /** Values of `_include` and `_revinclude`. */
  readonly includes: readonly string[];
  readonly reverseIncludes: readonly string[];
}

/** The types of a release by their names. */
export type Capabilities = ReadonlyMap<string, TypeCapability>;

const textsOf = (object: JsonObject, name: string): readonly string[] => {
  const value = object[name];
  return isArray(value) ? value.flatMap((each) => textOf(each) ?? []) : [];
};

function toListed(parameter: JsonObject): ListedParameter {
  return {
    code: textOf(parameter['name']) ?? '',
    type: textOf(parameter['type']) ?? 'string',
    documentation: textOf(parameter['documentation']) ?? '',
    definition: textOf(parameter['definition']) ?? '',
  };
}

function operationsIn(object: JsonObject | undefined): readonly ListedOperation[] {
  return objectsOf(object?.['operation']).map(({ name, definition }) => ({
    name: textOf(name) ?? '',
    definition: textOf(definition) ?? '',
  }));
}

/** The operations of the whole server. */
export function readSystemOperations(statement: JsonObject): readonly ListedOperation[] {
  return operationsIn(objectsOf(statement['rest'])[0]);
}

/** The types that a CapabilityStatement lists, in its order. */
export function readCapabilities(statement: JsonObject): Capabilities {
  const [rest] = objectsOf(statement['rest']);
  return new Map(
    objectsOf(rest?.['resource']).map((resource) => {
      const type = textOf(resource['type']) ?? '';
      const capability: TypeCapability = {
        type,
        operations: operationsIn(resource),
        parameters: objectsOf(resource['searchParam']).map(toListed),
        interactions: objectsOf(resource['interaction']).map(({ code }) => textOf(code) ?? ''),
        includes: textsOf(resource, 'searchInclude'),
        reverseIncludes: textsOf(resource, 'searchRevInclude'),
      };
      return [type, capability];
    }),
  );
}

/** The pairs of type and reference parameter that refer to a type, from its values of `_revinclude`. */
export function referrersOf(capability: TypeCapability): ReadonlyMap<string, readonly string[]> {
  const referrers = new Map<string, string[]>();
  for (const value of capability.reverseIncludes) {
    const [type = '', parameter] = value.split(':');
    if (parameter === undefined || parameter === '*') continue;
    referrers.set(type, [...(referrers.get(type) ?? []), parameter]);
  }
  return referrers;
}
