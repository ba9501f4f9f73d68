/** Resources inside of others: contained ones, entries of Bundles, parameters. Each is found by its JSON object. */
import { isJsonObject, type JsonObject, type JsonValue } from '../core/index';

interface InnerPosition {
  readonly container: JsonObject;
  /** The id of a contained resource, else `entry[2].resource`. */
  readonly path: string;
}

const places = new WeakMap<JsonObject, InnerPosition>();
/** Returns the key of an outermost resource. */
const keys = new WeakMap<JsonObject, () => string>();
/** The resource that contains a reference to `#…`, by the reference object. */
const containers = new WeakMap<JsonObject, JsonObject>();

/** Matches a text that begins with `#` (references.html#contained). */
const INNER_REFERENCE = /"(?:#|\\u0023)/;
const TYPE_MEMBER = '"resourceType"';

/**
 * Notes where the resources and references inside of a parsed resource are. Cost: nothing for a resource without
 * either, else a visit of each value.
 *
 * @param text of the resource
 * @param key returns its `_key`
 */
export function noteInner(resource: JsonObject, text: string, key: () => string): void {
  keys.set(resource, key);
  if (text.indexOf(TYPE_MEMBER, text.indexOf(TYPE_MEMBER) + 1) > 0) notePlaces(resource);
  if (INNER_REFERENCE.test(text)) noteReferences(resource, resource);
}

function notePlaces(container: JsonObject): void {
  for (const [path, resource] of innerOf(container)) {
    places.set(resource, { container, path });
    notePlaces(resource);
  }
}

/** Returns the resources directly inside of one, with their paths. */
function innerOf(container: JsonObject): readonly (readonly [path: string, resource: JsonObject])[] {
  const found: (readonly [string, JsonObject])[] = [];
  const steps: (string | number)[] = [];
  const ids = new Set<string>();
  const visit = (value: JsonValue, step: string | number): void => {
    if (typeof value !== 'object' || value === null) return;
    steps.push(step);
    if (Array.isArray(value)) value.forEach(visit);
    else if (isJsonObject(value)) {
      if (typeof value.resourceType === 'string') found.push([pathOf(value), value]);
      else for (const name in value) visit(value[name] ?? null, name);
    }
    steps.pop();
  };
  const pathOf = ({ id }: JsonObject): string => {
    // The second of two contained resources with one id is named by its place.
    if (steps[0] === 'contained' && typeof id === 'string' && !ids.has(id)) {
      ids.add(id);
      return id;
    }
    return steps.map((step, index) => stepText(step, index)).join('');
  };
  for (const name in container) visit(container[name] ?? null, name);
  return found;
}

function stepText(step: string | number, index: number): string {
  if (typeof step === 'number') return `[${step}]`;
  return index === 0 ? step : `.${step}`;
}

function noteReferences(value: JsonValue, container: JsonObject): void {
  if (Array.isArray(value)) {
    for (const element of value) noteReferences(element, container);
    return;
  }
  if (!isJsonObject(value)) return;
  if (typeof value.reference === 'string' && value.reference.startsWith('#'))
    containers.set(value, container);
  for (const [name, member] of Object.entries(value)) {
    // A contained resource resolves references in its container; any other inner resource, such as a Bundle entry, in
    // itself.
    if (name !== 'contained' && isJsonObject(member) && typeof member.resourceType === 'string')
      noteReferences(member, member);
    else noteReferences(member, container);
  }
}

/** Returns the resource of `#id`, or the container itself for `#`. Undefined when it does not exist. */
export function findInner(reference: JsonObject): JsonObject | undefined {
  const container = containers.get(reference);
  if (container === undefined || typeof reference.reference !== 'string') return undefined;
  const id = reference.reference.slice(1);
  if (id === '') return container;
  const contained = Array.isArray(container.contained) ? container.contained : [];
  return contained.filter(isJsonObject).find((resource) => resource.id === id);
}

/** Returns the `_key` of a resource that was noted: `MedicationRequest/7#med1`, `Bundle/1#entry[2].resource`. */
export function keyOf(resource: JsonObject): string {
  const place = places.get(resource);
  if (place !== undefined) return `${keyOf(place.container)}#${place.path}`;
  const key = keys.get(resource);
  if (key === undefined) throw new Error('a resource was not noted');
  return key();
}

/** Returns the resource of a key inside of another one, by the parts of its key; undefined if it does not exist. */
export function innerAt(resource: JsonObject, paths: readonly string[]): JsonObject | undefined {
  let at: JsonObject | undefined = resource;
  for (const wanted of paths) {
    if (at === undefined) return undefined;
    at = innerOf(at).find(([path]) => path === wanted)?.[1];
  }
  return at;
}
