import type {
  Definitions,
  SearchParameterComponent,
  SearchParameterDefinition,
} from '../../fhir/definitions';
import { valueTypesOf } from './value-types';

/**
 * Returns the expression of a component. Where that expression cannot give values of the parameter that the component
 * names, the parameter's own expression is used: DocumentReference's `relationship` has its two expressions exchanged.
 */
export function componentExpression(
  definitions: Definitions,
  { code, kind, expression }: SearchParameterComponent,
  elementPath: string,
  type: string,
): string {
  const types = valueTypesOf(definitions, [`${elementPath}.${expression}`]);
  const isSound = types.length === 0 || types.includes('Reference') === (kind === 'reference');
  const own = definitions.searchParameters(type).get(code)?.expression;
  const prefix = `${elementPath}.`;
  return isSound || own?.startsWith(prefix) !== true ? expression : own.slice(prefix.length);
}

/** Returns the elements that the components of a composite are evaluated on. */
export function elementPaths({ expression = '' }: SearchParameterDefinition): readonly string[] {
  return expression.split('|').map((branch) => branch.trim());
}

const cachedTypes = new WeakMap<SearchParameterComponent, readonly string[] | undefined>();

/**
 * Returns the FHIR types that the values of a component of a composite can have; undefined: its paths do not say.
 * Cost: some microseconds the first time, then a lookup.
 */
export function componentTypes(
  definitions: Definitions,
  parameter: SearchParameterDefinition,
  component: SearchParameterComponent,
): readonly string[] | undefined {
  if (!cachedTypes.has(component)) cachedTypes.set(component, decide(definitions, parameter, component));
  return cachedTypes.get(component);
}

const PLAIN = /^\w+(\.\w+)*$/;

function decide(
  definitions: Definitions,
  parameter: SearchParameterDefinition,
  component: SearchParameterComponent,
): readonly string[] | undefined {
  const types = new Set<string>();
  for (const element of elementPaths(parameter)) {
    const path = `${element}.${componentExpression(definitions, component, element, parameter.type)}`;
    const found = PLAIN.test(path) ? valueTypesOf(definitions, [path]) : [];
    if (found.length === 0) return undefined;
    for (const type of found) types.add(type);
  }
  return [...types];
}
