/**
 * POST {root}/ValueSet/$batch-validate-code and {root}/CodeSystem/$batch-validate-code
 *
 * In: validation (repeated): Parameters, as $validate-code of the same type takes them; beside them all of its parameters, for
 * those that lack them.
 * Result: validation for each, in their order: Parameters, or an OperationOutcome for one that fails.
 * https://build.fhir.org/ig/HL7/fhir-tx-ecosystem-ig/
 */
import type { Invocation } from '../api/operation';
import { turns } from '../concurrency/turns';
import { FhirError, fhirError } from '../errors';
import { type OperationDefinition } from '../fhir/definitions';
import { isJsonObject, type JsonDocument, type JsonObject, type JsonValue } from '../fhir/json';
import { toOutcomeResource } from '../outcome';
import { toResource } from '../operation-types/answer';
import { type OperationEnvironment } from '../operation-types/environment';
import { type ReadOperation, type UnreadOperation } from '../operation-types/operation';
import { codeSystemBatchDefinition, valueSetBatchDefinition } from '../operation-types/own-definitions';
import { InputParameters } from '../operation-types/parameters';
import { toDocument } from '../preparation/resource-input';
import { readingOnce, terminologyOf } from '../terminology/terminology-source';
import { checkInput } from './check-input';
import { TX_RESOURCE, withRequestResources } from './request-resources';
import { codeSystemValidateCode } from './code-system-validate-code';
import { valueSetValidateCode } from './value-set-validate-code';

/** HL7's validator sends 300 at once. */
const MAX_VALIDATIONS = 1_000;

const VALIDATION = 'validation';

export const valueSetBatchValidateCode = batchOf(valueSetBatchDefinition, valueSetValidateCode, [
  ...['url', 'valueSet', 'valueSetVersion'],
]);

export const codeSystemBatchValidateCode = batchOf(codeSystemBatchDefinition, codeSystemValidateCode, [
  ...['url', 'codeSystem', 'version'],
]);

/** An operation, and its parameters that together name a resource. */
interface Single {
  readonly operation: ReadOperation;
  readonly definition: OperationDefinition;
  readonly naming: readonly string[];
}

function batchOf(
  own: OperationDefinition,
  operation: ReadOperation,
  naming: readonly string[],
): UnreadOperation {
  return {
    definition: own.url,
    own,
    async runUnread(environment, invocation) {
      const definition = environment.definitions.operations.get(operation.definition);
      if (definition === undefined) throw new Error(`the release has no ${operation.definition}`);
      return { parameters: await runAll(environment, invocation, { operation, definition, naming }) };
    },
  };
}

/** Cost: that of $validate-code for each; value sets and code systems are read once. */
async function runAll(
  environment: OperationEnvironment,
  invocation: Invocation,
  single: Single,
): Promise<readonly JsonObject[]> {
  const { input } = invocation;
  const document = input === undefined ? undefined : toDocument(input, environment.limits);
  const { validations, rest } = split(document);
  const of = { ...invocation, input: rest };
  const { parameters: common } = await checkInput(environment, single.definition, of, true);
  requireNumber(validations);
  const shared = withRequestResources(
    { ...environment, terminology: readingOnce(terminologyOf(environment)) },
    common,
  );
  const answers: JsonObject[] = [];
  for (const validation of validations) {
    if (Date.now() > environment.context.deadline) throw fhirError('timeout');
    await turns.take();
    const resource = await runOne(shared, { ...of, query: [] }, { single, common, validation });
    answers.push({ name: VALIDATION, resource });
  }
  return answers;
}

function requireNumber(validations: readonly JsonObject[]): void {
  const expression = 'Parameters.parameter';
  if (validations.length > MAX_VALIDATIONS) {
    const reason = `There are ${validations.length} validations; at most ${MAX_VALIDATIONS} may be sent at once`;
    throw fhirError('tooCostly', { reason }, expression);
  }
  if (validations.length > 0) return;
  const reason = `The parameter '${VALIDATION}' is required at least once`;
  throw fhirError('operationInputInvalid', { reason }, expression);
}

/** Returns the validations, and the input without them; input of another form has none. */
function split(document: JsonDocument | undefined): {
  readonly validations: readonly JsonObject[];
  readonly rest: JsonDocument | undefined;
} {
  const body = document?.value;
  const entries = isJsonObject(body) ? body['parameter'] : undefined;
  if (document === undefined || !isJsonObject(body) || !Array.isArray(entries))
    return { validations: [], rest: document };
  const isValidation = (entry: JsonValue): entry is JsonObject =>
    isJsonObject(entry) && entry['name'] === VALIDATION;
  const others = entries.filter((entry) => !isValidation(entry));
  const { parameter: _all, ...head } = body;
  return {
    validations: entries.filter(isValidation),
    rest: { ...document, value: others.length === 0 ? head : { ...head, parameter: others } },
  };
}

/** Returns the answer of one validation; what is wrong with it alone is an OperationOutcome. */
async function runOne(
  environment: OperationEnvironment,
  invocation: Invocation,
  {
    single,
    common,
    validation,
  }: { readonly single: Single; readonly common: InputParameters; readonly validation: JsonObject },
): Promise<JsonObject> {
  try {
    const { resource } = validation;
    if (!isJsonObject(resource) || resource['resourceType'] !== 'Parameters') {
      const reason = `The parameter '${VALIDATION}' must be given as a resource of type Parameters`;
      throw fhirError('operationInputInvalid', { reason });
    }
    const of = { ...invocation, input: { value: resource, marked: true } };
    const input = await checkInput(environment, single.definition, of, true);
    const parameters = completed(input.parameters, common, single.naming);
    const answer = toResource(await single.operation.run(environment, { ...input, parameters }));
    if (answer === undefined) throw new Error('a validation answered with a text');
    return answer;
  } catch (error) {
    // A server that cannot answer now must not say so as if it were the fault of the validation.
    if (!(error instanceof FhirError) || error.status >= 500) throw error;
    return toOutcomeResource(error.issues);
  }
}

/** Returns the parameters of a validation with the common ones that it lacks. One that names a resource uses no other. */
function completed(
  own: InputParameters,
  common: InputParameters,
  naming: readonly string[],
): InputParameters {
  const names = new Set(own.values.map(({ name }) => name));
  if (naming.some((name) => names.has(name))) for (const name of naming) names.add(name);
  // The environment has them.
  names.add(TX_RESOURCE);
  const more = common.values.filter(({ name }) => !names.has(name));
  return new InputParameters([...own.values, ...more], [...own.undeclared, ...common.undeclared]);
}
