/**
 * POST {root}/$validate, {root}/{type}/$validate and {root}/{type}/{id}/$validate; GET at the address of a resource
 *
 * In: resource (in Parameters or as the body itself; by default the stored resource of the address), mode, profile.
 * Result: an OperationOutcome with status 200, even if the resource is invalid. Nothing is stored.
 * https://hl7.org/fhir/R4/resource-operation-validate.html
 */
import type { Invocation } from '../api/operation';
import { fhirError, toIssue, type Issue } from '../errors';
import { toOutcomeResource } from '../outcome';
import { type ValidationReport, type ValidationMode } from '../operation-types/validation';
import { type OperationEnvironment } from '../operation-types/environment';
import { type UnreadOperation } from '../operation-types/operation';

const DEFINITION = 'http://hl7.org/fhir/OperationDefinition/Resource-validate';

export const resourceValidate: UnreadOperation = {
  definition: DEFINITION,
  // The type is that of the resource.
  alsoAt: ['system'],
  async runUnread(environment, invocation) {
    const { mode, issues } = await validate(environment, invocation);
    const all = [...(await compareWithStored(environment, invocation, mode)), ...(issues ?? [])];
    return { resource: toOutcomeResource(all.length > 0 ? all : [nothingFound(mode)]) };
  },
};

async function validate(
  environment: OperationEnvironment,
  invocation: Invocation,
): Promise<ValidationReport> {
  const task = { space: environment.context.space, operation: DEFINITION, invocation };
  const report = await environment.validateOperation(task);
  const { type, id } = invocation;
  if (report.issues !== undefined || report.mode === 'delete') return report;
  if (type === undefined || id === undefined) throw fhirError('operationWrongLevel');
  const { text } = await environment.read(type, id);
  return environment.validateOperation({ ...task, stored: text });
}

/** Returns the issues that an update or a deletion at the address would have. */
async function compareWithStored(
  environment: OperationEnvironment,
  { type, id }: Invocation,
  mode: ValidationMode | undefined,
): Promise<readonly Issue[]> {
  if (type === undefined || id === undefined || (mode !== 'update' && mode !== 'delete')) return [];
  const place = await environment.locate(type, id);
  if (place === 'own') return [];
  if (place === 'base' && mode === 'delete') return [toIssue('baseResourceReadOnly', { type, id })];
  const address = `${type}/${id}`;
  const diagnostics =
    place === 'base'
      ? `${address} belongs to the FHIR specification: an update would make one of your own`
      : mode === 'delete'
        ? `${address} does not exist: there is nothing to delete`
        : `${address} does not exist: an update would create it`;
  return [{ severity: 'warning', code: 'not-found', diagnostics }];
}

function nothingFound(mode: ValidationMode | undefined): Issue {
  const diagnostics = mode === 'delete' ? 'The resource could be deleted' : 'No faults were found';
  return { severity: 'information', code: 'informational', diagnostics };
}
