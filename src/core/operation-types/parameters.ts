/**
 * The input of an operation, checked against its OperationDefinition before it runs: a Parameters resource, a bare
 * resource where exactly one parameter takes it, or a query (https://hl7.org/fhir/R4/operations.html#request).
 */
import type { Invocation } from '../api/operation';
import { FhirError, fhirError, type Issue, toIssue } from '../errors';
import { type Definitions, type OperationDefinition, type OperationParameter } from '../fhir/definitions';
import { isJsonObject, type JsonDocument, type JsonObject, type JsonValue } from '../fhir/json';
import { acceptsResource, checkValue, parseQueryValue } from './parameter-value';
import { choiceName } from '../../../packages/fhir-values/choice-name';

export interface InputValue {
  readonly name: string;
  /** FHIRPath of the value in the input. */
  readonly expression: string | undefined;
  /** The member with the value, which determines its type: `valueUri`, `resource`, `part`. */
  readonly member: string;
  /** Undefined for a parameter that has parts. */
  readonly value: JsonValue | undefined;
  /** Undefined for a parameter that has a value. */
  readonly parts: InputParameters | undefined;
}

/** Values by name, with the types of the definition; a value of another type reads as absent. */
export class InputParameters {
  /** `undeclared`: names of parameters that the definition does not have; `values` has their values, unchecked. */
  constructor(
    readonly values: readonly InputValue[],
    readonly undeclared: readonly string[] = [],
  ) {}

  first(name: string): InputValue | undefined {
    return this.values.find((value) => value.name === name);
  }

  text(name: string): string | undefined {
    const value = this.first(name)?.value;
    return typeof value === 'string' ? value : undefined;
  }

  texts(name: string): readonly string[] {
    const values = this.values.filter((value) => value.name === name).map(({ value }) => value);
    return values.filter((value) => typeof value === 'string');
  }

  flag(name: string): boolean | undefined {
    const value = this.first(name)?.value;
    return typeof value === 'boolean' ? value : undefined;
  }

  integer(name: string): number | undefined {
    const value = this.first(name)?.value;
    return typeof value === 'number' ? value : undefined;
  }

  object(name: string): JsonObject | undefined {
    const value = this.first(name)?.value;
    return isJsonObject(value) ? value : undefined;
  }
}

/** Parameters of every request, which an operation receives only if its definition names them. */
export const GENERAL_PARAMETERS: ReadonlySet<string> = new Set(['_format', '_pretty', '_']);

/** An invocation whose body has been parsed. */
export type ParsedInvocation = Omit<Invocation, 'input'> & { readonly input?: JsonDocument | undefined };

/**
 * Returns the checked input of an invocation. The parameter `validated` accepts any object, because the operation
 * reports its errors. Texts may be of another type of text. With
 * `takesOthers`, undeclared parameters are accepted.
 * Throws `operationChangesState` for GET on an operation that may change data, and `operationInputInvalid` with all
 * errors and their positions in the input.
 */
export function readInput(
  definition: OperationDefinition,
  definitions: Definitions,
  invocation: ParsedInvocation,
  { validated, takesOthers = false }: InputOptions = {},
): InputParameters {
  if (invocation.safe && definition.affectsState) {
    throw new FhirError(
      'operationChangesState',
      [toIssue('operationChangesState', { operation: definition.code })],
      'POST',
    );
  }
  const declared = definition.parameters.filter(({ use }) => use === 'in');
  const check = new InputCheck(definition.code, definitions, { validated, takesOthers });
  const values: InputValue[] = [];
  if (invocation.input !== undefined) values.push(...check.readBody(invocation.input.value, declared));
  check.readQuery(invocation.query ?? [], declared, values);
  check.checkCounts(values, declared, 'Parameters.parameter');
  if (check.issues.length > 0) throw new FhirError('operationInputInvalid', check.issues);
  return new InputParameters(values, check.undeclared);
}

interface InputOptions {
  readonly validated?: string | undefined;
  readonly takesOthers?: boolean;
}

/** Returns the errors in the elements of `Parameters.parameter`, in or out, by the declared parameters. */
export function checkParameters(
  operation: string,
  entries: readonly JsonValue[],
  declared: readonly OperationParameter[],
  definitions: Definitions,
): readonly Issue[] {
  const check = new InputCheck(operation, definitions);
  check.checkCounts(
    check.readEntries(entries, declared, 'Parameters.parameter'),
    declared,
    'Parameters.parameter',
  );
  return check.issues;
}

/** FHIR has no empty lists, but many clients send one for no parameters, and the meaning is clear. */
export function withoutEmptyList(input: JsonObject): JsonObject {
  const entries = input['parameter'];
  if (input['resourceType'] !== 'Parameters' || !Array.isArray(entries) || entries.length > 0) return input;
  const { parameter: _none, ...rest } = input;
  return rest;
}

/** Returns a Parameters resource without the resource of one parameter. */
export function withoutResourceOf(parameters: JsonObject, name: string): JsonObject {
  const entries = parameters['parameter'];
  if (!Array.isArray(entries)) return parameters;
  const others = entries.map((entry) => {
    if (!isJsonObject(entry) || entry['name'] !== name || entry['resource'] === undefined) return entry;
    const { resource: _judged, ...rest } = entry;
    // A parameter needs a value, a resource or parts (inv-1), so a placeholder is set.
    return { ...rest, valueBoolean: true };
  });
  return { ...parameters, parameter: others };
}

class InputCheck {
  readonly issues: Issue[] = [];
  readonly undeclared: string[] = [];
  private readonly validated: string | undefined;
  private readonly takesOthers: boolean;

  constructor(
    private readonly operation: string,
    private readonly definitions: Definitions,
    { validated, takesOthers = false }: InputOptions = {},
  ) {
    this.validated = validated;
    this.takesOthers = takesOthers;
  }

  readBody(body: JsonValue, declared: readonly OperationParameter[]): readonly InputValue[] {
    const resourceType = isJsonObject(body) ? body['resourceType'] : undefined;
    if (this.validated !== undefined && isJsonObject(body) && resourceType !== 'Parameters') {
      return [
        { name: this.validated, expression: undefined, member: 'resource', value: body, parts: undefined },
      ];
    }
    if (!isJsonObject(body) || typeof resourceType !== 'string') {
      throw fhirError('operationInputInvalid', {
        reason: `The input of $${this.operation} must be a Parameters resource`,
      });
    }
    if (resourceType === 'Parameters') return this.readParameters(body, declared);
    const takers = declared.filter(({ type }) => {
      return type !== undefined && acceptsResource(type, resourceType, this.definitions);
    });
    const [taker] = takers;
    if (taker === undefined || takers.length > 1) {
      const reason = `The input of $${this.operation} must be a Parameters resource, not a ${resourceType}`;
      throw fhirError('operationInputInvalid', { reason }, resourceType);
    }
    return [
      { name: taker.name, expression: resourceType, member: 'resource', value: body, parts: undefined },
    ];
  }

  readQuery(
    query: readonly (readonly [name: string, value: string])[],
    declared: readonly OperationParameter[],
    values: InputValue[],
  ): void {
    for (const [name, text] of query) {
      const parameter = declared.find((candidate) => candidate.name === name);
      if (parameter === undefined) {
        if (GENERAL_PARAMETERS.has(name)) continue;
        if (!this.takesOthers) this.add(this.unknown(name, declared));
        else values.push(this.undeclaredValue(name, FLAGS.get(text) ?? text));
      } else if (text !== '') {
        const checked = parseQueryValue(parameter.type ?? 'parameter with parts', text, this.definitions);
        if ('fault' in checked) this.add(`The parameter '${name}' is wrong: ${checked.fault}`);
        else values.push({ name, expression: undefined, ...checked, parts: undefined });
      }
    }
  }

  readEntries(
    entries: readonly JsonValue[],
    declared: readonly OperationParameter[],
    path: string,
  ): readonly InputValue[] {
    const values: InputValue[] = [];
    entries.forEach((entry, index) => {
      const expression = `${path}[${index}]`;
      const name = isJsonObject(entry) ? entry['name'] : undefined;
      if (!isJsonObject(entry) || typeof name !== 'string') {
        this.add('A parameter is an object with a name', `${expression}.name`);
        return;
      }
      const parameter = declared.find((candidate) => candidate.name === name);
      if (parameter === undefined) {
        if (!this.takesOthers) {
          this.add(this.unknown(name, declared), `${expression}.name`);
          return;
        }
        const member = Object.keys(entry).find((each) => each === 'resource' || each.startsWith('value'));
        const value = member === undefined ? undefined : entry[member];
        const other = this.undeclaredValue(name, Array.isArray(value) ? undefined : (value ?? undefined), {
          member,
          expression: `${expression}.${member ?? 'name'}`,
        });
        if (other.value !== undefined) values.push(other);
        return;
      }
      const stray = Object.keys(entry).find((member) => !isMemberOfParameter(member));
      if (stray !== undefined) this.add(`A parameter has no member '${stray}'`, `${expression}.${stray}`);
      const value = this.readEntry(parameter, entry, expression);
      if (value !== undefined) values.push(value);
    });
    return values;
  }

  checkCounts(values: readonly InputValue[], declared: readonly OperationParameter[], path: string): void {
    for (const { name, min, max } of declared) {
      const found = values.filter((value) => value.name === name);
      // A value of a wrong type was reported already; another issue for a missing value would confuse.
      if (found.length < min && this.issues.length === 0) {
        this.add(`The parameter '${name}' is required at least ${min === 1 ? 'once' : `${min} times`}`, path);
      }
      const surplus = found[max];
      if (surplus !== undefined) {
        const expression = surplus.expression ?? path;
        this.add(
          `The parameter '${name}' may be given at most ${max === 1 ? 'once' : `${max} times`}`,
          expression,
        );
      }
    }
  }

  private readParameters(body: JsonObject, declared: readonly OperationParameter[]): readonly InputValue[] {
    const entries = body['parameter'] ?? [];
    if (!Array.isArray(entries)) {
      this.add('The member parameter is a list', 'Parameters.parameter');
      return [];
    }
    return this.readEntries(entries, declared, 'Parameters.parameter');
  }

  private readEntry(
    parameter: OperationParameter,
    entry: JsonObject,
    expression: string,
  ): InputValue | undefined {
    const { name, parts } = parameter;
    if (parameter.type === undefined || parts.length > 0) {
      const part = entry['part'];
      if (!Array.isArray(part)) {
        this.add(`The parameter '${name}' must be given with parts`, expression);
        return undefined;
      }
      const path = `${expression}.part`;
      const values = this.readEntries(part, parts, path);
      this.checkCounts(values, parts, path);
      return { name, expression, member: 'part', value: undefined, parts: new InputParameters(values) };
    }
    const resource = entry['resource'];
    if (name === this.validated && isJsonObject(resource)) {
      const place = `${expression}.resource`;
      return { name, expression: place, member: 'resource', value: resource, parts: undefined };
    }
    const typed = asDeclaredText(parameter.type, entry);
    const checked = checkValue(parameter.type, typed, this.definitions);
    const place = checked.member === undefined ? expression : `${expression}.${checked.member}`;
    if (!('fault' in checked)) return { name, expression: place, ...checked, parts: undefined };
    this.add(`The parameter '${name}' is wrong: ${checked.fault}`, place);
    return undefined;
  }

  private undeclaredValue(
    name: string,
    value: JsonValue | undefined,
    { member = 'valueString', expression }: { readonly member?: string; readonly expression?: string } = {},
  ): InputValue {
    this.undeclared.push(name);
    return { name, expression, member, value, parts: undefined };
  }

  private unknown(name: string, declared: readonly OperationParameter[]): string {
    const names = [...new Set(declared.map((parameter) => parameter.name))].join(', ');
    const sentence = names === '' ? 'it has none' : `it has ${names}`;
    return `'${name}' is not a parameter of $${this.operation}; ${sentence}`;
  }

  private add(reason: string, expression?: string): void {
    this.issues.push(toIssue('operationInputInvalid', { reason }, expression));
  }
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const TEXT_MEMBERS = ['valueCode', 'valueUri', 'valueCanonical', 'valueUrl', 'valueString'];

/** Returns the parameter with its text under the declared type, if it has another type of text. */
function asDeclaredText(type: string, entry: JsonObject): JsonObject {
  const declared = choiceName('value', type);
  const member = TEXT_MEMBERS.find((each) => entry[each] !== undefined);
  if (member === undefined || member === declared || !TEXT_MEMBERS.includes(declared)) return entry;
  const { [member]: value = null, ...rest } = entry;
  return { ...rest, [declared]: value };
}

function isMemberOfParameter(member: string): boolean {
  return /^(id|extension|_?name|resource|part|_?value[A-Z][A-Za-z0-9]*)$/.test(member);
}
