/** The result of an operation in its response form (https://hl7.org/fhir/R4/operations.html#response). */
import { type Definitions, type OperationDefinition } from '../fhir/definitions';
import { isJsonObject, type JsonObject, stringifyJson } from '../fhir/json';
import { type OperationAnswer } from './operation';
import { isResourceParameter } from './parameter-value';

/** True: the result is a bare resource, from a single out parameter `return`, 1..1, of a resource type. */
export function isBareResult(definition: OperationDefinition, definitions: Definitions): boolean {
  const [parameter, ...others] = definition.parameters.filter(({ use }) => use === 'out');
  if (parameter?.type === undefined || others.length > 0) return false;
  const { name, min, max, type } = parameter;
  return name === 'return' && min === 1 && max === 1 && isResourceParameter(type, definitions);
}

/** Returns the resource of an answer, for validation; undefined for an answer that is a text. */
export function toResource(answer: OperationAnswer): JsonObject | undefined {
  if ('resource' in answer) return answer.resource;
  if (!('parameters' in answer)) return undefined;
  const parameters: JsonObject = { resourceType: 'Parameters' };
  if (answer.parameters.length > 0) parameters['parameter'] = [...answer.parameters];
  return parameters;
}

/** Returns the JSON text of the bare resource, or of the Parameters resource. */
export function renderAnswer(
  definition: OperationDefinition,
  definitions: Definitions,
  answer: OperationAnswer,
): string {
  const isBare = isBareResult(definition, definitions);
  if ('parameters' in answer) {
    const [first] = answer.parameters;
    const single = first?.['resource'];
    return stringifyJson(isBare && isJsonObject(single) ? single : (toResource(answer) ?? {}), true);
  }
  const text =
    'resource' in answer
      ? stringifyJson(answer.resource, true)
      : 'text' in answer
        ? answer.text
        : answer.cachedText;
  if ('resource' in answer) answer.cacheText?.(text);
  if (isBare) return text;
  return `{"resourceType":"Parameters","parameter":[{"name":"return","resource":${text}}]}`;
}
