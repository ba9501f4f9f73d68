/** The values that paths take and return. */
import type { JsonObject, JsonValue } from '../json';
import type { Meter } from './allowance';
import type { SystemType } from './syntax';
import { SYSTEM_NODES, type Access, type TypeModel, type TypeNode } from './type-node';

/** One value of a path. */
export interface PathValue {
  /** As in the resource (decimals may be marked); null for a primitive that has extensions only. */
  readonly value: JsonValue;
  /**
   * FHIR name of its type: `Quantity`, `code`, `Patient`; `BackboneElement` for nested elements. Computed values have
   * the name of a FHIR primitive too (`boolean`, `string`, `integer` …).
   */
  readonly type: string;
  /** The code system of a `code` with a required binding. */
  readonly system: string | undefined;
  /** The object with the `id` and `extension` of a primitive. */
  readonly element: JsonObject | undefined;
}

export class PathNode implements PathValue {
  readonly type: string;
  /** The object that has the value as an element; undefined for a root and for computed values. */
  owner: JsonObject | undefined = undefined;
  /** The owner's member that holds the value. */
  access: Access | undefined = undefined;
  /** Index in a list; -1 if it is not in a list. */
  index = -1;

  constructor(
    readonly value: JsonValue,
    readonly node: TypeNode,
    readonly element: JsonObject | undefined = undefined,
    readonly system: string | undefined = undefined,
  ) {
    this.type = node.valueType;
  }

  /** Sets where the value is; returns the node. */
  at(owner: JsonObject | undefined, access: Access | undefined, index: number): this {
    this.owner = owner;
    this.access = access;
    this.index = index;
    return this;
  }
}

export type PathNodes = readonly PathNode[];

export const EMPTY: PathNodes = Object.freeze([]);
export const TRUE: PathNodes = Object.freeze([new PathNode(true, SYSTEM_NODES.Boolean)]);
export const FALSE: PathNodes = Object.freeze([new PathNode(false, SYSTEM_NODES.Boolean)]);

/** Undefined is FHIRPath's empty collection. */
export function toBoolean(value: boolean | undefined): PathNodes {
  return value === undefined ? EMPTY : value ? TRUE : FALSE;
}

export function makeValue(value: JsonValue, type: SystemType): PathNode {
  return new PathNode(value, SYSTEM_NODES[type]);
}

/** Returns a collection of one computed value. */
export function single(value: JsonValue, type: SystemType): PathNodes {
  return [new PathNode(value, SYSTEM_NODES[type])];
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the object whose members are the elements below a value: for a primitive, the one with its extensions. */
export function sourceOf(node: PathNode): JsonObject | undefined {
  if (node.node.isPrimitive) return node.element;
  return isObject(node.value) ? node.value : undefined;
}

/** The list to which `collect` appends values, and its tools to make them. */
export interface Collector {
  readonly model: TypeModel;
  readonly meter: Meter;
  readonly found: PathNode[];
}

/** Appends the values of `access` in `source`. Skips values of a shape that the type cannot have. */
export function collect(source: JsonObject, access: Access, { model, meter, found }: Collector): void {
  const value = source[access.key];
  if (access.node.isPrimitive) {
    const companion = source[access.companionKey];
    if (value === undefined && companion === undefined) return;
    if (Array.isArray(value) || Array.isArray(companion)) {
      const values = Array.isArray(value) ? value : [];
      const companions = Array.isArray(companion) ? companion : [];
      const length = Math.max(values.length, companions.length);
      for (let index = 0; index < length; index++) {
        meter.spend(1);
        const node = primitiveNode(values[index], companions[index], access);
        if (node) found.push(node.at(source, access, index));
      }
    } else {
      meter.spend(1);
      const node = primitiveNode(value, companion, access);
      if (node) found.push(node.at(source, access, -1));
    }
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      meter.spend(1);
      const child = value[index];
      if (isObject(child))
        found.push(new PathNode(child, nodeOf(child, access, model)).at(source, access, index));
    }
  } else if (value !== undefined) {
    meter.spend(1);
    if (isObject(value)) found.push(new PathNode(value, nodeOf(value, access, model)).at(source, access, -1));
    // A member of a computed value, which is not in a resource.
    else if (typeof value === 'string' && access.node.namespace === 'System')
      found.push(new PathNode(value, access.node));
  }
}

/** True if `collect` would append a value. */
export function hasAny(source: JsonObject, access: Access): boolean {
  const value = source[access.key];
  if (access.node.isPrimitive) return hasPrimitive(value, source[access.companionKey]);
  const isText = access.node.namespace === 'System';
  if (!Array.isArray(value)) return isObject(value) || (isText && typeof value === 'string');
  return value.some((member) => isObject(member) || (isText && typeof member === 'string'));
}

function hasPrimitive(value: JsonValue | undefined, companion: JsonValue | undefined): boolean {
  if (!Array.isArray(value) && !Array.isArray(companion)) {
    if (value === undefined || value === null) return isObject(companion);
    return typeof value !== 'object';
  }
  const values = Array.isArray(value) ? value : [];
  const companions = Array.isArray(companion) ? companion : [];
  for (let index = Math.max(values.length, companions.length) - 1; index >= 0; index--)
    if (hasPrimitive(values[index], companions[index])) return true;
  return false;
}

/** Undefined if the element has neither a value nor extensions. */
function primitiveNode(
  value: JsonValue | undefined,
  companion: JsonValue | undefined,
  access: Access,
): PathNode | undefined {
  const element = isObject(companion) ? companion : undefined;
  if (value === undefined || value === null) return element && new PathNode(null, access.node, element);
  if (typeof value === 'object') return undefined;
  return new PathNode(value, access.node, element, systemOf(access, value));
}

function systemOf({ codeSystem }: Access, value: JsonValue): string | undefined {
  if (codeSystem === undefined || typeof codeSystem === 'string') return codeSystem;
  return typeof value === 'string' ? codeSystem.get(value) : undefined;
}

/** Returns the type of an object at `access`; a resource has its own. */
export function nodeOf(value: JsonObject, access: Access, model: TypeModel): TypeNode {
  return access.isResource ? (model.resourceNode(value['resourceType']) ?? access.node) : access.node;
}
