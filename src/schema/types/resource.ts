/** A resource as the source of GraphQL fields. Its type is generated for each release (schema/fhir). */
import { GraphQLScalarType } from 'graphql';
import type { Json } from '../json';

/** An object whose members are made on demand. */
export abstract class LazyObject {
  /** Returns a member by its name in FHIR's JSON; undefined when it does not exist. */
  abstract member(name: string): unknown;
}

/** The source of a `Resource`. Its text is parsed only when a member needs it. */
export abstract class ResourceSource extends LazyObject {
  /** Unique in the tenant and release; see the description of the interface Node. */
  abstract readonly key: string;
  abstract readonly resourceType: string;
  /** Undefined for a resource that is not stored: the result of an operation. */
  abstract readonly id: string | undefined;
  /** True for a version that is stored by itself, so that others can refer to it. */
  abstract readonly isStored: boolean;
  /** The whole resource as JSON text, identical to the response of REST. */
  abstract readonly text: string;
}

/** Returns the value of a member; undefined when it does not exist. */
export function memberOf(source: unknown, name: string): unknown {
  if (source instanceof LazyObject) return source.member(name);
  if (typeof source !== 'object' || source === null || !Object.hasOwn(source, name)) return undefined;
  return (source as Readonly<Record<string, Json>>)[name];
}

/** Placeholder for the interface of all resource types of one release; `graft` replaces it. */
export const Resource = new GraphQLScalarType<ResourceSource, unknown>({ name: 'Resource' });
export type Resource = ResourceSource;
