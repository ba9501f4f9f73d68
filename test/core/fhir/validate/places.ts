/** Every place of a resource where invariants are asked, found by the definitions alone. */
import type { Definitions, ElementDefinition, TypeStructure } from '../../../../src/core/fhir/definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/core/fhir/json';
import { textOf } from '../path/examples';

export interface Place {
  /** Type and path of the element, as compileInvariants takes them. */
  readonly typeName: string;
  readonly path: string;
  /** The type of the value of a choice. */
  readonly choice: string | undefined;
  readonly value: JsonValue;
  /** The id and extensions of a primitive. */
  readonly element: JsonObject | undefined;
  readonly resource: JsonObject;
  readonly rootResource: JsonObject;
}

/** The places of a resource and of all resources in it. An element and its type are two places of one value. */
export function* placesOf(
  definitions: Definitions,
  resource: JsonObject,
  rootResource = resource,
): Generator<Place> {
  const type = definitions.structure(textOf(resource['resourceType']));
  if (type) yield* placesOfObject(definitions, type, '', resource, resource, rootResource);
}

function* placesOfObject(
  definitions: Definitions,
  type: TypeStructure,
  path: string,
  object: JsonObject,
  resource: JsonObject,
  rootResource: JsonObject,
): Generator<Place> {
  const surroundings = { resource, rootResource };
  const typeName = type.name;
  if (path === '')
    yield { typeName, path, choice: undefined, value: object, element: undefined, ...surroundings };
  for (const element of type.children(path)) {
    for (const { key, code } of membersOf(element)) {
      if (!(key in object) && !(`_${key}` in object)) continue;
      const values = listOf(object[key]);
      const companions = listOf(object[`_${key}`]);
      for (let index = 0; index < Math.max(values.length, companions.length); index++) {
        const value = values[index] ?? null;
        const companion = companions[index];
        const choice = element.isChoice ? code : undefined;
        const own = isJsonObject(companion) ? companion : undefined;
        yield { typeName, path: element.path, choice, value, element: own, ...surroundings };
        if (!isJsonObject(value)) continue;
        if (code === 'Resource') {
          yield* placesOf(definitions, value, element.path === 'contained' ? rootResource : value);
          continue;
        }
        const [below, belowPath] = contentOf(definitions, type, element, code);
        if (below) yield* placesOfObject(definitions, below, belowPath, value, resource, rootResource);
      }
    }
  }
}

/** Returns the definition of the elements of an element: in itself, at the path that it refers to, or in its type. */
export function contentOf(
  definitions: Definitions,
  type: TypeStructure,
  { contentReference, path }: ElementDefinition,
  code: string,
): [type: TypeStructure | undefined, path: string] {
  if (contentReference !== undefined) {
    const dot = contentReference.indexOf('.');
    return [definitions.structure(contentReference.slice(0, dot)), contentReference.slice(dot + 1)];
  }
  if (type.children(path).length > 0) return [type, path];
  const structure = definitions.structure(code);
  return [structure?.kind === 'primitive' ? undefined : structure, ''];
}

interface Member {
  readonly key: string;
  readonly code: string;
}

const members = new WeakMap<ElementDefinition, readonly Member[]>();

/** The JSON members by which an element stands, with the type of each. */
export function membersOf(element: ElementDefinition): readonly Member[] {
  let known = members.get(element);
  if (!known) {
    const { name, isChoice, types } = element;
    known = isChoice
      ? types.map(({ code }) => ({ key: name + code.charAt(0).toUpperCase() + code.slice(1), code }))
      : [{ key: name, code: types[0]?.code ?? '' }];
    members.set(element, known);
  }
  return known;
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
