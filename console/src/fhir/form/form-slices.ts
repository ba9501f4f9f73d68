/** Which slice of a profile a value belongs to: by what the slice fixes, by its type, or by what it refers to. */
import { isArray, isObject, objectsOf, textOf, type JsonObject, type JsonValue } from '../../api/json';
import { childrenOf, fieldOf, fits, templateOf } from './form-definition';
import type { FieldType, FormDefinition, FormField, FormSlice } from './form-types';
import { parseReference } from '../reference';

/** The slice that a value belongs to; undefined: to none, or it cannot be told. */
export function sliceFor(
  definition: FormDefinition,
  field: FormField,
  value: JsonValue,
): FormSlice | undefined {
  const marked = field.slices.find(({ id }) => {
    const mark = markOf(definition, id);
    return mark !== undefined && fits(value, mark);
  });
  if (marked !== undefined) return marked;
  const paths = typePathsOf(definition, field);
  if (paths.length === 0) return undefined;
  const [only, ...more] = field.slices.filter(
    ({ id }) =>
      markOf(definition, id) === undefined &&
      paths.every((path) => hasTypeOf(definition, { id, of: field.id }, value, path)),
  );
  return more.length === 0 ? only : undefined;
}

/** What tells a slice apart: its fixed values, or the url of the profile of an extension. */
export function markOf(definition: FormDefinition, id: string): JsonValue | undefined {
  const [type] = fieldOf(definition, id).types;
  const [profile] = type?.profiles ?? [];
  if (type?.code === 'Extension' && profile !== undefined) return { url: profile.replace(/\|.*$/, '') };
  return templateOf(definition, id);
}

/** Where a discriminator looks at the type of a value, or at what it refers to. */
interface TypePath {
  readonly steps: readonly string[];
  readonly isResolved: boolean;
}

const STEPS = /^[A-Za-z]+(\.[A-Za-z]+)*$/;

/** The paths of discriminators by type or profile; those that are more than names tell nothing here. */
function typePathsOf({ elements }: FormDefinition, { id }: FormField): readonly TypePath[] {
  const slicing = elements.get(id)?.['slicing'];
  const discriminators = isObject(slicing) ? objectsOf(slicing['discriminator']) : [];
  return discriminators
    .filter(({ type }) => type === 'type' || type === 'profile')
    .flatMap(({ path }): TypePath[] => {
      const whole = (textOf(path) ?? '').replace(/^\$this\.?/, '');
      const place = whole.replace(/\.?resolve\(\)$/, '');
      if (place !== '' && !STEPS.test(place)) return [];
      return [{ steps: place === '' ? [] : place.split('.'), isResolved: whole !== place }];
    });
}

/** The element below another one with this name: `value` is `value[x]`. */
function childNamed(definition: FormDefinition, id: string, name: string): string | undefined {
  return childrenOf(definition, id).find((child) => fieldOf(definition, child).name === name);
}

const memberIn = (types: readonly FieldType[], value: JsonObject): FieldType | undefined =>
  types.find(({ member }) => value[member] !== undefined);

/** Whether a value has, at a path, a type that the slice `id` of the element `of` allows there. */
function hasTypeOf(
  definition: FormDefinition,
  { id, of }: { readonly id: string; readonly of: string },
  value: JsonValue,
  { steps, isResolved }: TypePath,
): boolean {
  let [inSlice, inElement]: (string | undefined)[] = [id, of];
  let now: JsonValue | undefined = value;
  let found: string | undefined;
  for (const step of steps) {
    inSlice = inSlice && childNamed(definition, inSlice, step);
    inElement = inElement && (childNamed(definition, inElement, step) ?? inSlice);
    if (inSlice === undefined || inElement === undefined || !isObject(now)) return false;
    const type = memberIn(
      [...fieldOf(definition, inElement).types, ...fieldOf(definition, inSlice).types],
      now,
    );
    const inside: JsonValue | undefined = type === undefined ? undefined : now[type.member];
    now = isArray(inside) ? inside[0] : inside;
    found = type?.code;
  }
  if (inSlice === undefined) return false;
  const allowed = fieldOf(definition, inSlice).types;
  if (isResolved) {
    const target = isObject(now) ? targetOf(now) : undefined;
    return target !== undefined && allowed.some(({ targets }) => targets.includes(target));
  }
  const type = isObject(now) ? (textOf(now['resourceType']) ?? found) : found;
  return type !== undefined && allowed.some(({ code }) => code === type);
}

/** The type of the record that a reference names. */
function targetOf(reference: JsonObject): string | undefined {
  const target = parseReference(textOf(reference['reference']) ?? '', '');
  return textOf(reference['type']) ?? (target.kind === 'record' ? target.type : undefined);
}
