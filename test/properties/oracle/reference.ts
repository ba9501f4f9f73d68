/** References: the target of a text, inside a space whose addresses begin with its root. */
import { isObject, listOf, textOf, type Json, type JsonObject } from './json';

export interface Target {
  readonly type: string;
  readonly id: string;
  readonly version: string | undefined;
}

const LITERAL = /^(?:.*\/)?([A-Z][A-Za-z]+)\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/([A-Za-z0-9\-.]{1,64}))?$/;

/** The local resource that a reference names, relative or absolute under `root`; undefined for all others. */
export function targetOf(text: string, root: string): Target | undefined {
  const local = text.startsWith(`${root}/`) ? text.slice(root.length + 1) : text;
  if (local.includes(':')) return undefined;
  const match = LITERAL.exec(local);
  if (match === null || local.split('/').length % 2 !== 0) return undefined;
  const [, type = '', id = '', version] = match;
  return { type, id, version };
}

export const referenceText = (value: Json): string | undefined =>
  isObject(value) ? textOf(value['reference']) : textOf(value);

/** The contained resource that `#id` names. */
export function containedOf(text: string, container: JsonObject): JsonObject | undefined {
  return listOf(container['contained'])
    .filter(isObject)
    .find((resource) => `#${textOf(resource['id']) ?? ''}` === text);
}

/** The type that a reference is to: by its literal, of `#id` the contained resource's, else by Reference.type. */
export function localTypeOf(value: Json, container: JsonObject): string | undefined {
  const text = referenceText(value) ?? '';
  if (text.startsWith('#')) return textOf(containedOf(text, container)?.['resourceType']);
  return LITERAL.exec(text)?.[1] ?? (isObject(value) ? textOf(value['type']) : undefined);
}
