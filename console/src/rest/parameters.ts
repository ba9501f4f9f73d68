/** The parameters of an operation: how they are asked for, and the Parameters resource that they make. */
import { choiceName } from '../../../packages/fhir-values/choice-name';
import {
  isArray,
  isObject,
  objectsOf,
  parseJson,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../api/json';

/** How a value is entered. */
export type InputKind = 'text' | 'number' | 'boolean' | 'resource' | 'complex' | 'parts';

export interface OperationParameter {
  readonly name: string;
  readonly type: string;
  readonly kind: InputKind;
  readonly isRequired: boolean;
  readonly repeats: boolean;
  readonly documentation: string;
}

export interface OperationDetails {
  readonly code: string;
  readonly title: string;
  readonly description: string;
  readonly isOnSystem: boolean;
  readonly isOnType: boolean;
  readonly isOnInstance: boolean;
  readonly parameters: readonly OperationParameter[];
}

const NUMBERS = ['integer', 'decimal', 'positiveInt', 'unsignedInt', 'integer64'];
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

function kindOf(type: string, hasParts: boolean, isResource: (type: string) => boolean): InputKind {
  if (hasParts || type === '') return 'parts';
  if (type === 'boolean') return 'boolean';
  if (NUMBERS.includes(type)) return 'number';
  if (/^[a-z]/.test(type)) return 'text';
  return isResource(type) ? 'resource' : 'complex';
}

/** What an OperationDefinition says. `isResource`: whether a type of the release is one of resources. */
export function readOperation(
  definition: JsonObject,
  isResource: (type: string) => boolean,
): OperationDetails {
  return {
    code: textOf(definition['code']) ?? '',
    title: textOf(definition['title']) ?? textOf(definition['name']) ?? '',
    description: textOf(definition['description']) ?? '',
    isOnSystem: definition['system'] === true,
    isOnType: definition['type'] === true,
    isOnInstance: definition['instance'] === true,
    parameters: objectsOf(definition['parameter'])
      .filter(({ use }) => use === 'in')
      .map((parameter) => {
        const type = textOf(parameter['type']) ?? '';
        return {
          name: textOf(parameter['name']) ?? '',
          type,
          kind: kindOf(type, objectsOf(parameter['part']).length > 0, isResource),
          isRequired: textOf(parameter['min']) !== '0',
          repeats: textOf(parameter['max']) !== '1',
          documentation: textOf(parameter['documentation']) ?? '',
        };
      }),
  };
}

/** Why a value is none of its parameter. */
export type ValueFault = 'missing' | 'number' | 'json';

export interface Entered {
  readonly name: string;
  readonly value: string;
}

export type Made =
  | { readonly resource: JsonObject }
  | { readonly faults: readonly { readonly name: string; readonly fault: ValueFault }[] };

function parseValue(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** One item of `parameter`; a text: why the value is none. */
function toItem({ name, type, kind }: OperationParameter, value: string): JsonObject | ValueFault {
  const member = choiceName('value', type);
  if (kind === 'text') return { name, [member]: value };
  if (kind === 'boolean') return { name, [member]: value === 'true' };
  // Digits stay as they are typed.
  if (kind === 'number') return NUMBER.test(value) ? { name, [member]: parseJson(value) } : 'number';
  const parsed = parseValue(value);
  if (kind === 'parts') return isArray(parsed) ? { name, part: parsed } : 'json';
  if (!isObject(parsed)) return 'json';
  return kind === 'resource' ? { name, resource: parsed } : { name, [member]: parsed };
}

/** The Parameters resource of what was entered; empty values are left out. */
export function toParameters(parameters: readonly OperationParameter[], entered: readonly Entered[]): Made {
  const given = entered.filter(({ value }) => value.trim() !== '');
  const missing = parameters
    .filter(({ name, isRequired }) => isRequired && !given.some((each) => each.name === name))
    .map(({ name }) => ({ name, fault: 'missing' as const }));
  const items = given.flatMap(({ name, value }) => {
    const parameter = parameters.find((each) => each.name === name);
    return parameter === undefined ? [] : [{ name, item: toItem(parameter, value.trim()) }];
  });
  const wrong = items.flatMap(({ name, item }) => (typeof item === 'string' ? [{ name, fault: item }] : []));
  const faults = [...missing, ...wrong];
  if (faults.length > 0) return { faults };
  return {
    resource: {
      resourceType: 'Parameters',
      parameter: items.flatMap(({ item }) => (typeof item === 'string' ? [] : [item])),
    },
  };
}
