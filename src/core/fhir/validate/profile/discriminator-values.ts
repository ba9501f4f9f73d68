/** Evaluates a discriminator's path on an element of a resource. */
import { isJsonObject, type JsonObject } from '../../json';
import type { TypedValue } from './check';
import type { DiscriminatorStep } from './discriminator-path';
import { objectsOf } from './element';
import type { ProfileRun } from './profile-run';
import type { Shapes, ShapeMember } from './shape';

export interface DiscriminatorValues {
  readonly values: readonly TypedValue[];
  /** Types of reference targets that are not available; nothing else is available of these targets. */
  readonly absentTypes: readonly string[];
  /** True if the path may lead to more values, in resources that are not available. */
  readonly isUncertain: boolean;
}

/** Cost: a few object lookups for each step. */
export function findDiscriminatorValues(
  start: TypedValue,
  steps: readonly DiscriminatorStep[],
  shapes: Shapes,
  at: ProfileRun,
): DiscriminatorValues {
  let place: DiscriminatorValues = { values: [start], absentTypes: [], isUncertain: false };
  for (const step of steps) place = stepInto(place, step, shapes, at);
  return place;
}

function stepInto(
  place: DiscriminatorValues,
  step: DiscriminatorStep,
  shapes: Shapes,
  at: ProfileRun,
): DiscriminatorValues {
  const { values, isUncertain } = place;
  // The elements of a resource that is not available cannot be read.
  const isParentUncertain = isUncertain || place.absentTypes.length > 0;
  switch (step.kind) {
    case 'member':
      return {
        values: values.flatMap((value) => valuesOf(value, step.name, shapes)),
        absentTypes: [],
        isUncertain: isParentUncertain,
      };
    case 'extension':
      return {
        values: values
          .flatMap((value) => valuesOf(value, 'extension', shapes))
          .filter(({ value }) => isJsonObject(value) && value['url'] === step.url),
        absentTypes: [],
        isUncertain: isParentUncertain,
      };
    case 'ofType': {
      const isOfType = (name: string): boolean => shapes.definitions.conformsTo(name, step.typeName);
      return {
        values: values.filter(({ shape }) => isOfType(shape.structure.name)),
        absentTypes: place.absentTypes.filter(isOfType),
        isUncertain,
      };
    }
    case 'resolve':
      return resolveAll(values, isParentUncertain, shapes, at);
  }
}

function resolveAll(
  values: readonly TypedValue[],
  isParentUncertain: boolean,
  shapes: Shapes,
  at: ProfileRun,
): DiscriminatorValues {
  const found: TypedValue[] = [];
  const absentTypes: string[] = [];
  let isUncertain = isParentUncertain;
  for (const { value } of values) {
    const target = at.resolve(value, shapes.definitions);
    const shape = target?.resource && shapes.ofResource(target.resource);
    if (target?.resource && shape) {
      const enter: TypedValue['enter'] = (run, check) => run.inTarget(target, check);
      found.push({ value: target.resource, companion: undefined, shape, enter });
    } else if (target?.type !== undefined) absentTypes.push(target.type);
    else isUncertain = true;
  }
  return { values: found, absentTypes, isUncertain };
}

function valuesOf({ value, companion, shape }: TypedValue, name: string, shapes: Shapes): TypedValue[] {
  const source = isJsonObject(value) ? value : companion;
  const element = source && shape.element(name);
  if (!element) return [];
  return element.members.flatMap((member) => readMember(source, member, shapes));
}

/** Returns the values of one JSON member; values of a shape that the type cannot have are skipped. */
export function readMember(source: JsonObject, member: ShapeMember, shapes: Shapes): TypedValue[] {
  const { shape } = member;
  const value = source[member.key];
  if (!member.isPrimitive) {
    const objects = isJsonObject(value) ? [value] : objectsOf(value);
    return objects.map((object) => {
      const found = { value: object, companion: undefined, shape: shapes.ofValue(object, member) };
      if (!member.isResource) return found;
      return { ...found, enter: (at, check) => at.inResource(object, member.key, source, check) };
    });
  }
  const companion = source[member.companionKey];
  if (!Array.isArray(value) && !Array.isArray(companion)) {
    const object = isJsonObject(companion) ? companion : undefined;
    return value === undefined && !object ? [] : [{ value, companion: object, shape }];
  }
  const values = Array.isArray(value) ? value : [];
  const companions = Array.isArray(companion) ? companion : [];
  const found: TypedValue[] = [];
  for (let index = 0; index < Math.max(values.length, companions.length); index++) {
    const object = companions[index];
    const element = values[index] ?? undefined;
    const isObject = isJsonObject(object);
    if (element !== undefined || isObject)
      found.push({ value: element, companion: isObject ? object : undefined, shape });
  }
  return found;
}

export function typeNameOf({ shape }: TypedValue): string {
  return shape.structure.name;
}
