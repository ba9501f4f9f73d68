import type { RequestContext } from '../context';
import { loadDefinitions } from '../fhir/definitions';
import type { Release } from '../fhir/release';
import type { Validator } from '../fhir/validate';
import type { CodeSystemCache } from '../terminology/code-system-cache';
import type { OperationEnvironment, OperationLimits, OperationStorage } from '../operations/environment';
import type { Preparer } from '../preparation/preparer';

/** What a thread has for the operations that run in it. */
export interface OperationParts {
  readonly preparer: Pick<Preparer, 'inspect' | 'judge'>;
  readonly codeSystems: CodeSystemCache;
  readonly limits: OperationLimits;
  validator(release: Release): Validator;
}

/** What the operations of one request work with. */
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
    judge: (task) => preparer.judge(task),
  };
}
