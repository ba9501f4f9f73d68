import { isJsonObject, type JsonDocument, type JsonObject } from '../json';
import { areIdenticalJson } from '../json/equality';

/**
 * What a patch made, without its narrative where that was `generated` from content that the patch changed and left as
 * it was: it would tell the reader something else than the elements do. `before` and `after` are the resource before
 * and after the patch. A change of meta alone leaves the narrative true.
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
