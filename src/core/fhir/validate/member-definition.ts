/** Derives the JSON members of the elements of a type. Source: https://hl7.org/fhir/R4/json.html */
import type { Definitions, ElementDefinition, ElementType, TypeStructure } from '../definitions';
import type { MemberName } from './member';
import { choiceName } from '../../../../packages/fhir-values/choice-name';

/** One JSON member with the kind of its value; a choice has one for each type. */
export type MemberDefinition = {
  readonly place: MemberName;
  readonly element: ElementDefinition;
  /** True if the values are in an array. */
  readonly isList: boolean;
} & (
  | { readonly kind: 'primitive' | 'companion'; readonly type: ElementType }
  | {
      readonly kind: 'object';
      /** The type or nested element that defines the members of the object: `HumanName`, `Patient.contact`. */
      readonly objectName: string;
      /** Undefined for a contentReference. */
      readonly type: ElementType | undefined;
    }
  | { readonly kind: 'resource'; readonly isContained: boolean }
  /** Inherited, but not allowed. */
  | { readonly kind: 'forbidden' }
);

/** Yields the members of an element; `bit` is the bit of all their places. */
export function* memberDefinitions(
  definitions: Definitions,
  structure: TypeStructure,
  element: ElementDefinition,
  bit: number,
): Generator<MemberDefinition> {
  const { name, isChoice, contentReference, max } = element;
  const isList = max > 1;
  if (contentReference !== undefined) {
    const place = { key: name, step: name, bit };
    yield { kind: 'object', place, element, isList, objectName: contentReference, type: undefined };
    return;
  }
  for (const type of element.types) {
    const place: MemberName = isChoice
      ? {
          key: choiceName(name, type.code),
          step: `${name}.ofType(${type.code})`,
          bit,
          choice: { name, type: type.code },
        }
      : { key: name, step: name, bit };
    const kind = structureOf(definitions, type.code).kind;
    if (max === 0) {
      yield { kind: 'forbidden', place, element, isList };
    } else if (kind === 'primitive') {
      yield { kind: 'primitive', place, element, isList, type };
      if (!isAttribute(structure, element)) {
        yield { kind: 'companion', place: { ...place, key: `_${place.key}` }, element, isList, type };
      }
    } else if (kind === 'resource') {
      yield { kind: 'resource', place, element, isList, isContained: element.path === 'contained' };
    } else {
      const isNested = structure.children(element.path).length > 0;
      const objectName = isNested ? `${structure.name}.${element.path}` : type.code;
      yield { kind: 'object', place, element, isList, objectName, type };
    }
  }
}

/** Throws if the release does not have the type. */
export function structureOf(definitions: Definitions, typeName: string): TypeStructure {
  const structure = definitions.structure(typeName);
  if (structure === undefined) throw new Error(`FHIR ${definitions.fhirVersion} has no type '${typeName}'`);
  return structure;
}

/** Splits an object name into its type and the path of a nested element: `Patient.contact` is `contact` of Patient. */
export function splitObjectName(name: string): [typeName: string, path: string] {
  const dot = name.indexOf('.');
  return dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)];
}

/**
 * True for the id of an element and the url of an extension. They are attributes in XML, so that they have no
 * extensions (https://hl7.org/fhir/R4/element.html, https://hl7.org/fhir/R4/extensibility.html#xml).
 */
function isAttribute(structure: TypeStructure, element: ElementDefinition): boolean {
  if (element.name === 'id') return structure.kind !== 'resource' || element.path !== 'id';
  return structure.name === 'Extension' && element.path === 'url';
}
