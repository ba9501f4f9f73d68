/** Fills what a resource must have, so that tests can begin with the elements that they are about. */
import type { Definitions, ElementDefinition } from '../../src/core/fhir/definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/fhir/json';
import { SAMPLES } from '../properties/every-parameter/made-values';

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Returns the resource with a value for each required element that it lacks; references have a display alone. */
export function withRequired(definitions: Definitions, type: string, resource: JsonObject): JsonObject {
  return filled(definitions, resource, type, '');
}

function filled(definitions: Definitions, value: JsonObject, typeName: string, parent: string): JsonObject {
  const copy = { ...value };
  for (const element of definitions.structure(typeName)?.children(parent) ?? []) {
    const [type] = element.types;
    const names = element.isChoice
      ? element.types.map(({ code }) => element.name + capital(code))
      : [element.name];
    const present = names.find((name) => copy[name] !== undefined);
    const inner = (each: JsonValue): JsonValue =>
      isJsonObject(each) ? filled(definitions, each, typeName, element.path) : each;
    if (present !== undefined) {
      const found = copy[present];
      if (found === undefined || definitions.structure(typeName)?.children(element.path).length === 0)
        continue;
      copy[present] = Array.isArray(found) ? found.map(inner) : inner(found);
    } else if (element.min > 0 && type !== undefined) {
      const isNested = (definitions.structure(typeName)?.children(element.path) ?? []).length > 0;
      const sample = isNested ? inner({}) : sampleOf(definitions, element, type.code);
      copy[names[0] ?? element.name] = element.max > 1 ? [sample] : sample;
    }
  }
  return copy;
}

function sampleOf(definitions: Definitions, { binding }: ElementDefinition, type: string): JsonValue {
  if (type === 'Reference') return { display: 'Made for a test' };
  if (type === 'Attachment') return { url: 'http://made.example/url' };
  const [code] =
    (type === 'code' && binding !== undefined ? definitions.codeList(binding)?.codes : undefined) ?? [];
  const sample = code ?? SAMPLES[type];
  if (sample === undefined) throw new Error(`there is no sample of ${type}`);
  return sample;
}
