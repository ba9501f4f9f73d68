import { type Invocation, type InvocationResult, type OperationInfo } from '../api';
import { type Definitions } from '../fhir/definitions';
import { renderAnswer } from './answer';
import { type OperationEnvironment } from './environment';
import { OPERATIONS } from './index';
import { readInput } from './parameters';
import { findOperation, listOperations } from './registry';

/**
 * Runs the operation that is named: finds it, checks its input by its definition, and gives its result in the form
 * that the definition says. Throws `operationUnknown`, `operationWrongLevel`, `operationChangesState`,
 * `operationInputInvalid`, and what the operation itself throws.
 */
export async function invokeOperation(
  environment: OperationEnvironment,
  invocation: Invocation,
): Promise<InvocationResult> {
  const { definitions } = environment;
  const { definition, operation } = findOperation(OPERATIONS, definitions, invocation);
  const parameters = readInput(definition, definitions, invocation);
  const { level, type, id } = invocation;
  const answer = await operation.run(environment, { level, type, id, parameters });
  return { text: renderAnswer(definition, definitions, answer) };
}

/** The operations that can be run in a release. */
export function operationsOf(definitions: Definitions): readonly OperationInfo[] {
  return listOperations(OPERATIONS, definitions);
}
