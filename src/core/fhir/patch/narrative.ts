import { isJsonObject, type JsonDocument, type JsonObject } from '../json';
import { areIdenticalJson } from '../json/equality';

/**
 * Removes a `generated` narrative from a patched resource if the patch changed other content and left the narrative as
 * it was; it would contradict the elements. `before` and `after` are the resource before and after the patch. A change
 * of meta alone keeps the narrative.
 * https://hl7.org/fhir/R4/http.html#patch, https://hl7.org/fhir/R4/narrative.html
 */
export function dropGeneratedNarrative(before: JsonDocument, after: JsonDocument): JsonDocument {
  if (!isJsonObject(before.value) || !isJsonObject(after.value)) return after;
  const { text: narrative, ...rest } = after.value;
  const previous = before.value['text'];
  if (!isJsonObject(narrative) || narrative['status'] !== 'generated' || previous === undefined) return after;
  if (!areIdenticalJson(narrative, previous)) return after;
  if (areIdenticalJson(contentOf(before.value), contentOf(after.value))) return after;
  return { value: rest, marked: after.marked };
}

function contentOf(resource: JsonObject): JsonObject {
  const { text: _text, meta: _meta, ...content } = resource;
  return content;
}
