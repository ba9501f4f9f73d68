/** Parts of a FHIRPath Patch, before their required type is determined. */
import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import type { Access, TypeModel } from '../path/type-node';

/** A value of a patch, and its location. */
export interface PatchValue<Value> {
  readonly value: Value;
  /** FHIRPath in the Parameters resource. */
  readonly expression: string;
}

/** A part with its content: `value[x]`, a resource, or parts of its own (fhirpatch.html, Anonymous Types). */
export type Content =
  | {
      readonly kind: 'value';
      /** The member that holds the value and so determines its type. */
      readonly access: Access;
      /** Undefined for a primitive that has extensions only. */
      readonly value: JsonValue | undefined;
      /** The id and extensions of a primitive. */
      readonly element: JsonObject | undefined;
    }
  | { readonly kind: 'resource'; readonly resource: JsonObject }
  | { readonly kind: 'parts'; readonly parts: readonly JsonValue[] };

/** Returns the content of a part, or a text that says what is wrong with it. */
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
