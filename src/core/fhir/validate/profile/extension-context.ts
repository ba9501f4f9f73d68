/** The elements at which an extension may be used (https://hl7.org/fhir/R4/defining-extensions.html#context). */
import type { Definitions } from '../../definitions';
import type { ExtensionContext } from './tree';

/** The element that has an extension, or the resource or extension itself. */
export interface ExtendedElement {
  /** Its type: `Patient`, `HumanName`, `string`, `BackboneElement`. */
  readonly type: string;
  /** Its paths, from its resource and from each type on the way: `Patient.name.family`, `HumanName.family`. */
  readonly paths: readonly string[];
  /** The url of the extension, if it is one. */
  readonly url: string | undefined;
}

/**
 * True if one of the contexts has the place, or if that cannot be said: contexts that are FHIRPath or name a profile are
 * not evaluated.
 */
export function isAllowedAt(
  contexts: readonly ExtensionContext[],
  place: ExtendedElement,
  definitions: Definitions,
): boolean {
  return contexts.length === 0 || contexts.some((context) => fits(context, place, definitions));
}

function fits(
  { type, expression }: ExtensionContext,
  { type: typeOfPlace, paths, url }: ExtendedElement,
  definitions: Definitions,
): boolean {
  if (type === 'fhirpath') return true;
  if (type === 'extension') return url === expression.replace(/#.*$/, '');
  // In R4, Element stands for resources too.
  if (expression === 'Element' || expression.includes(':')) return true;
  return paths.includes(expression) || definitions.conformsTo(typeOfPlace, expression);
}

/** An element of another one. */
interface ElementBelow {
  readonly name: string;
  readonly type: string;
  readonly isChoice: boolean;
  /** The path of its definition, for an element with elements of its own: `Questionnaire.item`, also of an item in an item. */
  readonly definedAt: string | undefined;
}

/** Returns the place of an element of another one; a choice is written with `[x]` and without. */
export function placeBelow({ type, paths }: ExtendedElement, element: ElementBelow): ExtendedElement {
  const names = element.isChoice ? [`${element.name}[x]`, element.name] : [element.name];
  // A type of its own begins a path of its own: `HumanName.family`.
  const starts = paths.includes(type) ? paths : [...paths, type];
  const { definedAt } = element;
  const below = starts.flatMap((start) => names.map((name) => `${start}.${name}`));
  return { type: element.type, paths: definedAt === undefined ? below : [definedAt], url: undefined };
}
