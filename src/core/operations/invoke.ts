import { type Invocation, type InvocationResult, type OperationInfo } from '../api';
import { fhirError } from '../errors';
import { type Definitions, type OperationDefinition } from '../fhir/definitions';
import { type JsonObject } from '../fhir/json';
import { type Finding, type Validator } from '../fhir/validate';
import { toDocument } from '../preparation/preparer';
import { refusalOf } from '../preparation/refusal';
import { renderAnswer, toResource } from './answer';
import { type OperationEnvironment } from './environment';
import { OPERATIONS } from './index';
import { type OperationAnswer } from './operation';
import { readInput } from './parameters';
import { findOperation, listOperations, type FoundOperation } from './registry';

/**
 * Runs the operation that is named: finds it, checks its input by its definition and those of its types, and gives its
 * result in the form that the definition says. Throws `operationUnknown`, `operationWrongLevel`,
 * `operationChangesState`, `operationInputInvalid`, `invalidResource` and `ruleViolated` for input, and what the
 * operation itself throws; `internal` when its result is not FHIR.
 */
export async function invokeOperation(
  environment: OperationEnvironment,
  invocation: Invocation,
): Promise<InvocationResult> {
  const found = findOperation(OPERATIONS, environment.definitions, invocation);
  const answer = await run(environment, found, invocation);
  requireValidAnswer(environment, found.definition, answer);
  return { text: renderAnswer(found.definition, environment.definitions, answer) };
}

async function run(
  environment: OperationEnvironment,
  { definition, operation }: FoundOperation,
  invocation: Invocation,
): Promise<OperationAnswer> {
  if ('runUnread' in operation) return operation.runUnread(environment, invocation);
  const { level, type, id, input } = invocation;
  const document = input === undefined ? undefined : toDocument(input, environment.limits);
  const parameters = readInput(definition, environment.definitions, { ...invocation, input: document });
  // What is asked for in a query has been checked as a whole.
  if (document !== undefined) {
    const refusal = refusalOf(await environment.findInInput(document));
    if (refusal !== undefined) throw refusal;
  }
  return operation.run(environment, { level, type, id, parameters });
}

/**
 * What is not FHIR is not sent: that is our fault, and the log has to tell where. Structure alone, some ms for an
 * expansion of 10,000 codes; twice that where a fault is found.
 */
function requireValidAnswer(
  { validator, context }: OperationEnvironment,
  { url }: OperationDefinition,
  answer: OperationAnswer,
): void {
  const resource = toResource(answer);
  if (resource === undefined) return;
  const faults = faultsOf(validator, resource);
  if (faults.length === 0) return;
  const source = 'madeFrom' in answer ? answer.madeFrom : undefined;
  const given = new Set((source === undefined ? [] : faultsOf(validator, source)).map(placeOf));
  const fault = faults.find((each) => !given.has(placeOf(each)));
  if (fault === undefined) return;
  const { rule, expression } = fault;
  const { requestId } = context;
  context.log.error(
    { operation: url, rule, expression, requestId },
    'the answer of an operation is not FHIR',
  );
  throw fhirError('internal', { requestId });
}

function faultsOf(validator: Validator, resource: JsonObject): readonly Finding[] {
  const { findings } = validator.validate(resource, { isFull: false });
  return findings.filter(({ severity }) => severity === 'error');
}

function placeOf({ rule, expression }: Finding): string {
  return `${rule} ${expression}`;
}

/** The operations that can be run in a release. */
export function operationsOf(definitions: Definitions): readonly OperationInfo[] {
  return listOperations(OPERATIONS, definitions);
}
