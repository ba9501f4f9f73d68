/** A resource as the gateway shows it. Its type is generated for each release (schema/fhir). */
import { GraphQLScalarType } from 'graphql';
import type { Json } from '../json';

/** An object of which the members are made when they are asked for. */
export abstract class LazyObject {
  /** By the names of FHIR's JSON; undefined where there is no such member. */
  abstract member(name: string): unknown;
}

/** What a `Resource` is made of. Its text is parsed only when a member of it is asked for. */
export abstract class ResourceSource extends LazyObject {
  abstract readonly resourceType: string;
  /** Absent on what is not stored: the result of an operation. */
  abstract readonly id: string | undefined;
  /** True for a version that is stored in its own right, which others can refer to. */
  abstract readonly isStored: boolean;
  /** The whole resource as JSON text, exactly as REST answers it. */
  abstract readonly text: string;
}

/** The value of a member; undefined where there is none. */
export function memberOf(source: unknown, name: string): unknown {
  if (source instanceof LazyObject) return source.member(name);
  if (typeof source !== 'object' || source === null || !Object.hasOwn(source, name)) return undefined;
  return (source as Readonly<Record<string, Json>>)[name];
}

/** Stands for the interface of all resource types of one release, which `graft` puts in its place. */
export const Resource = new GraphQLScalarType<ResourceSource, unknown>({ name: 'Resource' });
export type Resource = ResourceSource;
