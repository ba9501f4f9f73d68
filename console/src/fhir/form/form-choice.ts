/** What the slices of a profile say about the types of an element with a choice of types, such as `value[x]`. */
import { isObject, objectsOf, textOf, type JsonObject } from '../../api/json';
import type { FieldType, FormDefinition } from './form-types';

export interface ChoiceTypes {
  readonly allowed: readonly FieldType[];
  readonly forbidden: readonly FieldType[];
  /** A slice by type must be there. */
  readonly isRequired: boolean;
}

/** Whether the slices of an element are told apart by the type of the value itself. */
function isSlicedByType({ slicing }: JsonObject): boolean {
  if (!isObject(slicing)) return true;
  return objectsOf(slicing['discriminator']).every(({ type, path }) => type === 'type' && path === '$this');
}

const codesOf = (element: JsonObject): readonly string[] =>
  objectsOf(element['type']).flatMap(({ code }) => textOf(code) ?? []);

/** Id of the slice that defines the values of one type; undefined: the element itself defines them. */
export function sliceOfType(
  { elements, slices }: FormDefinition,
  id: string,
  { code, member }: FieldType,
): string | undefined {
  const whole = elements.get(id) ?? {};
  if (!isSlicedByType(whole)) return undefined;
  const own = slices.get(id) ?? [];
  const named = own.find(
    (slice) => elements.get(slice)?.['sliceName'] === member || slice === `${id}:${member}`,
  );
  if (named !== undefined) return named;
  const all = codesOf(whole).length;
  return own.find((slice) => {
    const codes = codesOf(elements.get(slice) ?? {});
    return codes.length < all && codes.includes(code);
  });
}

/** Splits the types of a choice: a slice may forbid its type, or be the one that must be there. */
export function choiceTypesOf(
  definition: FormDefinition,
  id: string,
  types: readonly FieldType[],
): ChoiceTypes {
  const { elements } = definition;
  const whole = elements.get(id) ?? {};
  const isClosed = isObject(whole['slicing']) && whole['slicing']['rules'] === 'closed';
  const sliced = types.map((type) => {
    const slice = sliceOfType(definition, id, type);
    return { type, element: slice === undefined ? undefined : elements.get(slice) };
  });
  const required = sliced.filter(({ element }) => Number(textOf(element?.['min']) ?? 0) > 0);
  const isRequired = required.length > 0 && textOf(whole['max']) === '1';
  const allowed = (isRequired ? required : sliced).flatMap(({ type, element }) =>
    element?.['max'] === '0' || (isClosed && element === undefined) ? [] : [type],
  );
  return { allowed, forbidden: types.filter((type) => !allowed.includes(type)), isRequired };
}
