/** What the parts of a FHIRPath Patch say, before it is known of what type it must be. */
import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import type { Access, TypeModel } from '../path/type-node';

/** Something that a patch says, and the place where it does. */
export interface Given<Value> {
  readonly value: Value;
  /** FHIRPath in the Parameters resource. */
  readonly expression: string;
}

/** A part with its content: `value[x]`, a resource, or parts of its own (fhirpatch.html, Anonymous Types). */
export type Content =
  | {
      readonly kind: 'value';
      /** The member that holds it, and so says its type. */
      readonly access: Access;
      /** Undefined for a primitive that has extensions only. */
      readonly value: JsonValue | undefined;
      /** Of a primitive: its id and extensions. */
      readonly element: JsonObject | undefined;
    }
  | { readonly kind: 'resource'; readonly resource: JsonObject }
  | { readonly kind: 'parts'; readonly parts: readonly JsonValue[] };

/** The content of a part, or what is wrong with it. */
export function contentOf(part: JsonObject, model: TypeModel): Content | string {
  const contents: Content[] = [];
  const { resource, part: parts } = part;
  if (isJsonObject(resource)) contents.push({ kind: 'resource', resource });
  if (Array.isArray(parts) && parts.length > 0) contents.push({ kind: 'parts', parts });
  for (const access of model.node('Parameters.parameter')?.accesses('value') ?? []) {
    const value = part[access.key];
    const companion = access.node.isPrimitive ? part[access.companionKey] : undefined;
    if (value === undefined && companion === undefined) continue;
    const element = isJsonObject(companion) ? companion : undefined;
    contents.push({ kind: 'value', access, value, element });
  }
  const [content] = contents;
  if (content === undefined) return 'it needs a value, a resource or parts';
  return contents.length > 1 ? 'it can have only one of a value, a resource and parts' : content;
}
