/** The result of an operation as it is sent (https://hl7.org/fhir/R4/operations.html#response). */
import { type Definitions, type OperationDefinition } from '../fhir/definitions';
import { isJsonObject, type JsonObject, stringifyJson } from '../fhir/json';
import { type OperationAnswer } from './operation';
import { isResourceParameter } from './parameter-value';

/** True when the result is the resource itself: one out parameter, called `return`, 1..1, of a resource type. */
export function isBareResult(definition: OperationDefinition, definitions: Definitions): boolean {
  const [parameter, ...others] = definition.parameters.filter(({ use }) => use === 'out');
  if (parameter?.type === undefined || others.length > 0) return false;
  const { name, min, max, type } = parameter;
  return name === 'return' && min === 1 && max === 1 && isResourceParameter(type, definitions);
}

/** JSON text of the bare resource, or of the Parameters resource. */
export function renderAnswer(
  definition: OperationDefinition,
  definitions: Definitions,
  answer: OperationAnswer,
): string {
  const isBare = isBareResult(definition, definitions);
  if ('resourceText' in answer) {
    if (isBare) return answer.resourceText;
    return `{"resourceType":"Parameters","parameter":[{"name":"return","resource":${answer.resourceText}}]}`;
  }
  const [first] = answer.parameters;
  if (isBare && isJsonObject(first?.['resource'])) return stringifyJson(first['resource'], true);
  const parameters: JsonObject = { resourceType: 'Parameters' };
  if (answer.parameters.length > 0) parameters['parameter'] = [...answer.parameters];
  return stringifyJson(parameters, true);
}
