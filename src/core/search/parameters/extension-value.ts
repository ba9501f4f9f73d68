import type { Definitions } from '../../fhir/definitions';
import { isJsonObject } from '../../fhir/json';
import type { PathValue } from '../../fhir/path';

/** Returns the value of an extension, for expressions that end in `.extension(url)`. */
export function extensionValue(definitions: Definitions, { value }: PathValue): PathValue | undefined {
  if (!isJsonObject(value)) return undefined;
  for (const name in value) {
    const inner = value[name];
    if (!name.startsWith('value') || inner === undefined) continue;
    const typeName = name.slice(5);
    const primitive = typeName.charAt(0).toLowerCase() + typeName.slice(1);
    const isPrimitive = definitions.structure(primitive)?.kind === 'primitive';
    const companion = value[`_${name}`];
    const element = isJsonObject(companion) ? companion : undefined;
    return { value: inner, type: isPrimitive ? primitive : typeName, system: undefined, element };
  }
  return undefined;
}
