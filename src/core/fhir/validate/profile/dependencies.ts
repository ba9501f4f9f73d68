/** Finds the StructureDefinitions that another one needs. */
import { isJsonObject, type JsonObject } from '../../json';
import { objectsOf, textOf, textsOf } from './element';

/**
 * Returns the canonical urls, as written, that a StructureDefinition names: profiles on the types of its elements
 * (including extensions), profiles on the targets of its references, and its base if it has no snapshot yet. Urls of
 * base types (`…/StructureDefinition/Patient`) are included.
 */
export function dependenciesOf(structureDefinition: JsonObject): readonly string[] {
  const { baseDefinition, snapshot, differential } = structureDefinition;
  const urls = new Set<string>();
  const base = textOf(baseDefinition);
  if (base !== undefined && !isJsonObject(snapshot)) urls.add(base);
  const elements = isJsonObject(snapshot) ? snapshot : differential;
  for (const element of isJsonObject(elements) ? objectsOf(elements['element']) : []) {
    for (const type of objectsOf(element['type'])) {
      for (const url of textsOf(type['profile'])) urls.add(url);
      for (const url of textsOf(type['targetProfile'])) urls.add(url);
    }
  }
  return [...urls];
}
