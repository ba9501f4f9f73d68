/** The searches by one parameter that find a resource, from the values that the resource has. */
import type { Definitions, SearchParameterDefinition } from '../../../src/core/fhir/definitions';
import { isJsonObject, type JsonObject } from '../../../src/core/fhir/json';
import { compilePath, type PathValue } from '../../../src/core/fhir/path';
import { extensionValue } from '../../../src/core/search/parameters/extension-value';
import { searchValueOf, type SearchValue } from './search-value';

/** The values of an expression. */
type Values = (resource: JsonObject) => readonly PathValue[];

export function compileSearches(
  definitions: Definitions,
  parameter: SearchParameterDefinition,
): (resource: JsonObject) => SearchValue[] {
  const { expression, kind, type } = parameter;
  if (expression === undefined) return () => [];
  if (kind === 'composite') return compileComposite(definitions, parameter, expression);
  const valuesOf = compilePath(expression, { definitions, rootType: type });
  return (resource) =>
    opened(definitions, valuesOf(resource)).flatMap((found) =>
      isJsonObject(found.value) && typeof found.value['resourceType'] === 'string'
        ? addressOfEntry(resource, found.value)
        : (searchValueOf(kind, found) ?? []),
    );
}

/** A resource of a Bundle is found by the address of its entry. */
function addressOfEntry({ entry }: JsonObject, inside: JsonObject): SearchValue[] {
  const item = Array.isArray(entry)
    ? entry.find((one) => isJsonObject(one) && one['resource'] === inside)
    : undefined;
  const fullUrl = isJsonObject(item) ? item['fullUrl'] : undefined;
  return typeof fullUrl === 'string' ? [{ modifier: '', text: fullUrl }] : [];
}

function opened(definitions: Definitions, values: readonly PathValue[]): PathValue[] {
  return values.flatMap((found) =>
    found.type === 'Extension' ? (extensionValue(definitions, found) ?? []) : [found],
  );
}

const OF_RESOURCE = '%resource.';

function compileComposite(
  definitions: Definitions,
  { components, type }: SearchParameterDefinition,
  expression: string,
): (resource: JsonObject) => SearchValue[] {
  const branches = expression.split('|').map((branch) => branch.trim());
  const compiled = branches.map((branch) => ({
    elementsOf: compilePath(branch, { definitions, rootType: type }),
    parts: components.map(
      (
        component,
      ): {
        kind: typeof component.kind;
        valuesOf: (element: JsonObject, resource: JsonObject) => readonly PathValue[];
      } => {
        const { kind, code } = component;
        if (component.expression.startsWith(OF_RESOURCE)) {
          const ofResource = component.expression.slice(OF_RESOURCE.length);
          const path: Values = compilePath(ofResource, { definitions, rootType: type });
          return { kind, valuesOf: (_element, resource) => path(resource) };
        }
        const path: Values = compilePath(component.expression, { definitions, rootType: branch });
        // DocumentReference's `relationship` has the expressions of its two components exchanged.
        const own = definitions.searchParameters(type).get(code)?.expression;
        const other: Values =
          own?.startsWith(`${branch}.`) === true
            ? compilePath(own.slice(branch.length + 1), { definitions, rootType: branch })
            : () => [];
        return { kind, valuesOf: (element) => [...path(element), ...other(element)] };
      },
    ),
  }));
  return (resource) =>
    compiled.flatMap(({ elementsOf, parts }) =>
      elementsOf(resource).flatMap(({ value }) => {
        if (!isJsonObject(value)) return [];
        const texts = parts.map(({ kind, valuesOf }) =>
          opened(definitions, valuesOf(value, resource))
            .filter(({ type: valueType }) => (valueType === 'Reference') === (kind === 'reference'))
            .map((found) => searchValueOf(kind, found))
            .find((one) => one !== undefined && one.modifier === ''),
        );
        return texts.some((one) => one === undefined)
          ? []
          : [{ modifier: '', text: texts.map((one) => one?.text ?? '').join('$') }];
      }),
    );
}
