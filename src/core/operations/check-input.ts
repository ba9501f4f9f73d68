import type { Invocation } from '../api/operation';
import { type OperationDefinition } from '../fhir/definitions';
import { type JsonDocument } from '../fhir/json';
import { toDocument } from '../preparation/resource-input';
import { refusalOf } from '../preparation/refusal';
import { type OperationEnvironment } from '../operation-types/environment';
import { type OperationInput } from '../operation-types/operation';
import { readInput } from '../operation-types/parameters';

/**
 * Returns the input of an invocation, checked against the definition and validated. With `takesOthers`, undeclared
 * parameters are accepted. Throws `invalidJson`, `operationChangesState`, `operationInputInvalid`, `invalidResource` and
 * `ruleViolated`.
 */
export async function checkInput(
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
  if (document !== undefined) await requireValid(environment, document);
  return { level, type, id, isSafe: invocation.safe, languages: invocation.languages, parameters };
}

async function requireValid(environment: OperationEnvironment, document: JsonDocument): Promise<void> {
  const refusal = refusalOf(await environment.findInInput(document));
  if (refusal !== undefined) throw refusal;
}
