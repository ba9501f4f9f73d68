/** The rows of composite parameters. */
import type {
  Definitions,
  SearchParameterComponent,
  SearchParameterDefinition,
} from '../../fhir/definitions';
import { isJsonObject } from '../../fhir/json';
import type { PathAllowance } from '../../fhir/path';
import { componentExpression, elementPaths } from '../parameters/component-types';
import { isComponentKind } from '../parameters/parameter';
import { compileParameterPath } from '../parameters/parameter-path';
import { compositeOrders } from '../sort/composite-order';
import { addCompositeRows, addOrderedRows, type CompositeComponent } from './composite';
import type { Rule } from './rule';

/**
 * Compiles the rule of a composite. Its components are evaluated on each element that its own expression gives. Each
 * branch of that expression is a plain path (`Observation.component`), which determines the type of its elements.
 */
export function compileComposite(
  definitions: Definitions,
  parameter: SearchParameterDefinition,
  allowance: PathAllowance,
): Rule {
  const compiledBranches = elementPaths(parameter).map((branch) => ({
    elementsOf: compileParameterPath(definitions, parameter, branch, { allowance }),
    components: parameter.components.flatMap((component) =>
      isComponentKind(component.kind)
        ? [
            {
              kind: component.kind,
              valuesOf: compileComponent(definitions, {
                parameter,
                component,
                elementPath: branch,
                allowance,
              }),
            },
          ]
        : [],
    ),
  }));
  const order = compositeOrders(definitions, parameter.type).find(
    ({ composite, isPartial }) => composite === parameter.number && isPartial,
  );
  const sortedValues =
    order?.sorted.expression === undefined
      ? undefined
      : compileParameterPath(definitions, order.sorted, order.sorted.expression);
  return (resource, settings, rows) => {
    const before = rows.size;
    for (const { elementsOf, components } of compiledBranches) {
      for (const { value } of elementsOf(resource)) {
        if (isJsonObject(value))
          addCompositeRows({ value, resource }, { components, parameter: parameter.number, settings, rows });
      }
    }
    const isPresent = rows.size > before;
    if (sortedValues !== undefined && !isPresent)
      for (const { components } of compiledBranches)
        addOrderedRows({ value: resource, resource }, sortedValues(resource), {
          components,
          parameter: parameter.number,
          settings,
          rows,
        });
    return isPresent;
  };
}

const OF_RESOURCE = '%resource.';

function compileComponent(
  definitions: Definitions,
  {
    parameter,
    component,
    elementPath,
    allowance,
  }: {
    readonly parameter: SearchParameterDefinition;
    readonly component: SearchParameterComponent;
    readonly elementPath: string;
    readonly allowance: PathAllowance;
  },
): CompositeComponent['valuesOf'] {
  if (component.expression.startsWith(OF_RESOURCE)) {
    const ofResource = component.expression.slice(OF_RESOURCE.length);
    const valuesOf = compileParameterPath(definitions, parameter, ofResource, { allowance });
    return ({ resource }) => valuesOf(resource);
  }
  const expression = componentExpression(definitions, component, elementPath, parameter.type);
  const valuesOf = compileParameterPath(definitions, parameter, expression, {
    rootType: elementPath,
    allowance,
  });
  return ({ value }) => valuesOf(value);
}
