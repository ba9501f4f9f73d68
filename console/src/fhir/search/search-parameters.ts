/** Search parameters of a type with what their SearchParameter resources say. */
import { isArray, objectsOf, textOf, type JsonObject } from '../../api/json';
import type { ListedParameter } from '../capabilities';
import { EXPRESSION_PARAMETERS } from '../../../../packages/fhir-values/search-name';

export interface SearchParameter extends ListedParameter {
  /** The types that a reference may lead to; empty: any, or not known. */
  readonly targets: readonly string[];
  /** Paths of the elements of this type that it searches, such as `Observation.value`. */
  readonly paths: readonly string[];
  /** The prefixes that a value may have; empty: not stated. */
  readonly comparators: readonly string[];
}

interface Details {
  readonly targets: readonly string[];
  readonly expression: string;
  readonly description: string;
  readonly comparators: readonly string[];
}

const textsOf = (object: JsonObject, name: string): readonly string[] => {
  const value = object[name];
  return isArray(value) ? value.flatMap((each) => textOf(each) ?? []) : [];
};

/**
 * The elements of `type` in a FHIRPath expression: of `(Observation.value as Quantity) | Patient.name` for Observation
 * `Observation.value`. Conditions and conversions are left out.
 */
export function pathsOf(expression: string, type: string): readonly string[] {
  const paths = expression.split('|').flatMap((branch) => {
    const [path] = /[A-Z][A-Za-z]*(?:\.[a-z][A-Za-z]*(?!\())*(?![A-Za-z(])/.exec(branch) ?? [];
    return path !== undefined && path.startsWith(`${type}.`) ? [path] : [];
  });
  return [...new Set(paths)];
}

/** FHIR describes a parameter of many types with one line for each: the line of this type, or the whole text. */
export function describeFor(type: string, description: string): string {
  const line = description.split(/\r?\n/).find((each) => each.trimStart().startsWith(`* [${type}](`));
  return (line ?? description).replace(/^\s*\* \[\w+\]\([^)]*\): /, '').trim();
}

function toDetails(resource: JsonObject): Details {
  return {
    targets: textsOf(resource, 'target').toSorted(),
    expression: textOf(resource['expression']) ?? '',
    description: textOf(resource['description']) ?? '',
    comparators: textsOf(resource, 'comparator'),
  };
}

/** Joins the parameters that a type has with the SearchParameter resources of a search; some may be missing there. */
export function joinDefinitions(
  type: string,
  listed: readonly ListedParameter[],
  bundle: JsonObject | undefined,
): readonly SearchParameter[] {
  const resources = objectsOf(bundle?.['entry']).flatMap(({ resource }) => objectsOf([resource ?? null]));
  const byUrl = new Map(resources.map((each) => [textOf(each['url']), each]));
  const byCode = new Map(resources.map((each) => [textOf(each['code']) ?? '', each]));
  return listed.map((parameter) => {
    const resource = byUrl.get(parameter.definition) ?? byCode.get(parameter.code);
    const details = resource === undefined ? undefined : toDetails(resource);
    return {
      ...parameter,
      documentation: parameter.documentation || describeFor(type, details?.description ?? ''),
      targets: details?.targets ?? [],
      paths: pathsOf(details?.expression ?? '', type),
      comparators: details?.comparators ?? [],
    };
  });
}

const MODIFIERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['string', ['exact', 'contains', 'text']],
  ['token', ['not', 'text', 'in', 'not-in', 'above', 'below', 'of-type']],
  ['reference', ['identifier']],
  ['uri', ['above', 'below', 'contains']],
]);

/** The modifiers that FHIR has for a type of parameter; the server refuses those that an element cannot have. */
export function modifiersOf({ type, code }: Pick<ListedParameter, 'type' | 'code'>): readonly string[] {
  if (EXPRESSION_PARAMETERS.has(code)) return [];
  if (code === '_id') return ['not'];
  return [...(MODIFIERS.get(type) ?? []), 'missing'];
}
