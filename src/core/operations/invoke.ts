import type { Invocation, InvocationResult, OperationInfo } from '../api/operation';
import type { SearchPage } from '../api/search';
import { turns } from '../concurrency/turns';
import { fhirError } from '../errors';
import { type Definitions, type OperationDefinition } from '../fhir/definitions';
import { type JsonObject } from '../fhir/json';
import { type Finding, type Validator } from '../fhir/validate';
import { toDocument } from '../preparation/resource-input';
import { refusalOf } from '../preparation/refusal';
import { renderAnswer, toResource } from '../operation-types/answer';
import { type OperationEnvironment } from '../operation-types/environment';
import { OPERATIONS } from './index';
import {
  type OperationAnswer,
  type OperationInput,
  type PagedOperation,
  type ReadOperation,
  type UnreadOperation,
} from '../operation-types/operation';
import { GENERAL_PARAMETERS, readInput } from '../operation-types/parameters';
import { findOperation, listOperations } from '../operation-types/registry';

/**
 * Runs an operation: finds it, checks its input against its definition and the types in it, and returns the result in
 * the form of the definition. Throws `operationUnknown`, `operationWrongLevel`, `operationChangesState`,
 * `operationInputInvalid`, `invalidResource` and `ruleViolated` for input, the errors of the operation itself, and
 * `internal` when its result is not valid FHIR.
 */
export async function invokeOperation(
  environment: OperationEnvironment,
  invocation: Invocation,
): Promise<InvocationResult> {
  const found = findOperation(OPERATIONS, environment.definitions, invocation);
  const { operation, definition } = found;
  if ('runPage' in operation) return { page: await runPage(environment, operation, definition, invocation) };
  if ('runDocument' in operation)
    return operation.runDocument(environment, await checkInput(environment, definition, invocation));
  const answer = await run(environment, operation, definition, invocation);
  await turns.take();
  requireValidAnswer(environment, definition, answer);
  return { text: renderAnswer(definition, environment.definitions, answer) };
}

/** Parameter of page links, for every operation with pages. */
const CURSOR = '_cursor';

async function runPage(
  environment: OperationEnvironment,
  operation: PagedOperation,
  definition: OperationDefinition,
  invocation: Invocation,
): Promise<SearchPage> {
  const { query = [] } = invocation;
  const cursors = query.filter(([name, value]) => name === CURSOR && value !== '');
  if (cursors.length > 1) throw fhirError('invalidCursor');
  const declared = new Set(definition.parameters.flatMap(({ name, use }) => (use === 'in' ? [name] : [])));
  const isOfSearch = ([name]: readonly [string, string]): boolean =>
    operation.takesSearch === true && !declared.has(name) && !GENERAL_PARAMETERS.has(name);
  const others = query.filter(([name]) => name !== CURSOR);
  const own = others.filter((parameter) => !isOfSearch(parameter));
  const input = await checkInput(environment, definition, { ...invocation, query: own });
  return operation.runPage(environment, input, {
    cursor: cursors[0]?.[1],
    search: others.filter(isOfSearch),
  });
}

async function run(
  environment: OperationEnvironment,
  operation: ReadOperation | UnreadOperation,
  definition: OperationDefinition,
  invocation: Invocation,
): Promise<OperationAnswer> {
  if ('runUnread' in operation) return operation.runUnread(environment, invocation);
  const { takesOthers } = operation;
  return operation.run(environment, await checkInput(environment, definition, invocation, takesOthers));
}

async function checkInput(
  environment: OperationEnvironment,
  definition: OperationDefinition,
  invocation: Invocation,
  takesOthers = false,
): Promise<OperationInput> {
  const { level, type, id, input } = invocation;
  const document = input === undefined ? undefined : toDocument(input, environment.limits);
  const parameters = readInput(
    definition,
    environment.definitions,
    { ...invocation, input: document },
    { takesOthers },
  );
  // Input in a query has already been checked as a whole.
  if (document !== undefined) {
    const refusal = refusalOf(await environment.findInInput(document));
    if (refusal !== undefined) throw refusal;
  }
  return { level, type, id, isSafe: invocation.safe, languages: invocation.languages, parameters };
}

/**
 * Refuses answers that are not valid FHIR and logs the error, because it is the server's. Checks the structure only:
 * some ms for an expansion of 10,000 codes, twice that where an error is found.
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
    'the result of an operation is not valid FHIR',
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

/** Returns the operations that are available in a release. */
export function operationsOf(definitions: Definitions): readonly OperationInfo[] {
  return listOperations(OPERATIONS, definitions);
}
