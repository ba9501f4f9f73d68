/** Finds the values of an element: it follows a path, opens arrays, and leaves out elements with extensions only. */
import { hasValue, isObject, listOf, membersOf, type Json, type JsonObject } from './json';
import type { Parameter, Path } from './parameters';
import { localTypeOf } from './reference';

export interface Element {
  readonly type: string;
  readonly system: string | undefined;
  readonly value: Json;
}

/** The values at a path, such as `component.code` or `telecom[system=email]`; '' is the object itself. */
export function followPath(from: JsonObject, steps: string): Json[] {
  if (steps === '') return [from];
  return steps.split('.').reduce<Json[]>(
    (values, step) => {
      const [, name = '', filter, wanted] = /^(\w+)(?:\[(\w+)=(\w+)\])?$/.exec(step) ?? [];
      const found = membersOf(values, name);
      return filter === undefined
        ? found
        : found.filter((value) => isObject(value) && value[filter] === wanted);
    },
    [from],
  );
}

/** Patient?deceased is a boolean that each patient has: whether there is a death that is not false. */
function deceasedOf(patient: JsonObject): boolean {
  return (
    patient['deceasedBoolean'] === true ||
    listOf(patient['deceasedDateTime']).some(hasValue) ||
    patient['_deceasedDateTime'] !== undefined
  );
}

function elementsAt(from: JsonObject, { steps, type, system }: Path): Element[] {
  if (type === 'deceased') return [{ type: 'boolean', system: undefined, value: deceasedOf(from) }];
  return followPath(from, steps)
    .filter(hasValue)
    .map((value) => ({ type, system, value }));
}

/** The elements of a parameter, in a resource or, for a component of a pair, in the element of the pair. */
export function elementsOf(from: JsonObject, parameter: Parameter): readonly Element[] {
  const cached = found.get(from) ?? new Map<Parameter, readonly Element[]>();
  const elements = cached.get(parameter) ?? findElements(from, parameter);
  found.set(from, cached.set(parameter, elements));
  return elements;
}

/** Cached results: resources do not change. */
const found = new WeakMap<JsonObject, Map<Parameter, readonly Element[]>>();

function findElements(from: JsonObject, { paths, onlyTarget }: Parameter): Element[] {
  const elements = paths.flatMap((path) => elementsAt(from, path));
  if (onlyTarget === undefined) return elements;
  return elements.filter(({ value }) => localTypeOf(value, from) === onlyTarget);
}
