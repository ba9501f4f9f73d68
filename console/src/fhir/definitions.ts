/** Reads the StructureDefinitions of the server. */
import { Failure } from '../api/failure';
import { get } from '../api/fhir';
import { isObject, objectsOf, textOf } from '../api/json';
import type { Space } from '../place';
import { parseDefinition, type TypeDefinition } from './parse-definition';

export type { ElementInfo, TypeDefinition } from './parse-definition';

/** The definition of a type; undefined where the caller may not read it or the server has none. */
export async function readDefinition(space: Space, type: string): Promise<TypeDefinition | undefined> {
  try {
    const { value } = await get(space, `StructureDefinition/${type}?_elements=snapshot`);
    return parseDefinition(value);
  } catch (error) {
    if (error instanceof Failure && error.status >= 400 && error.status < 500) return undefined;
    throw error;
  }
}

/** The title of the definition with this address; undefined: the tenant has none. */
export async function readExtensionTitle(space: Space, url: string): Promise<string | undefined> {
  try {
    const query = `url=${encodeURIComponent(url)}&_elements=title&_count=1`;
    const { value } = await get(space, `StructureDefinition?${query}`);
    const [entry] = objectsOf(value['entry']);
    const found = isObject(entry?.['resource']) ? entry['resource'] : {};
    return textOf(found['title']) ?? textOf(found['name']);
  } catch (error) {
    if (error instanceof Failure && error.status >= 400 && error.status < 500) return undefined;
    throw error;
  }
}
