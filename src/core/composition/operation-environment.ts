import type { RequestContext } from '../context';
import { loadDefinitions } from '../fhir/definitions';
import type { Release } from '../fhir/release';
import type { Validator } from '../fhir/validate';
import type { CodeSystemCache } from '../cache/code-system-cache';
import type { OperationEnvironment, OperationLimits, OperationStorage } from '../operation-types/environment';
import type { Preparer } from '../preparation/preparer';

/** The services of a thread for its operations. */
export interface OperationParts {
  readonly preparer: Pick<Preparer, 'inspect' | 'validateOperation'>;
  readonly codeSystems: CodeSystemCache;
  readonly limits: OperationLimits;
  validator(release: Release): Validator;
}

/** Creates the environment of one request's operations. */
export function createOperationEnvironment(
  { preparer, codeSystems, limits, validator }: OperationParts,
  context: RequestContext,
  storage: OperationStorage,
): OperationEnvironment {
  const { space } = context;
  return {
    ...storage,
    codeSystems,
    context,
    definitions: loadDefinitions(space.release),
    limits,
    validator: validator(space.release),
    findInInput: (input) => preparer.inspect(space, input),
    validateOperation: (task) => preparer.validateOperation(task),
  };
}
