/**
 * The work of $validate (https://hl7.org/fhir/R4/resource-operation-validate.html). It runs in the main thread and,
 * for large bodies, in the worker thread, and includes parsing the input.
 */
import {
  VALIDATION_MODES,
  type ValidationMode,
  type ValidationTask,
  type ValidationReport,
} from '../operation-types/validation';
import type { Invocation } from '../api/operation';
import type { TenantSpace } from '../context';
import { errorOf, fhirError, type FhirError, type ErrorKey, type Issue } from '../errors';
import { loadDefinitions } from '../fhir/definitions';
import { isJsonObject, type JsonDocument } from '../fhir/json';
import { checkResource } from '../fhir/resource';
import {
  readInput,
  withoutEmptyList,
  withoutResourceOf,
  type InputParameters,
} from '../operation-types/parameters';
import { auditEventTagIssues } from './audit-event-tag';
import { findInContent, levelOf } from './content';
import { namedQueryIssues, referenceFault, type PreparationTools } from './prepare';
import { SEARCH_PARAMETER } from '../fhir/type-names';
import { checkTenantParameter } from '../search/parameters/tenant-parameter-check';
import { refusalOf, toIssues } from './refusal';
import { subscriptionIssues } from '../fhir/subscription/prepare-subscription';

/** The parameter with the resource to validate, which may be invalid. */
const RESOURCE_PARAMETER = 'resource';

/**
 * Validates a resource. Throws errors in the request; errors in the resource are the result. `document`: the parsed
 * input; `stored`: the parsed stored resource of the task. Cost: that of a validation with warnings; for create and
 * update also that of the index rows, which are discarded.
 */
export async function validateInput(
  tools: PreparationTools,
  task: ValidationTask,
  document: JsonDocument | undefined,
  stored: JsonDocument | undefined,
): Promise<ValidationReport> {
  const { space, invocation } = task;
  const definitions = loadDefinitions(space.release);
  const definition = definitions.operations.get(task.operation);
  if (definition === undefined) throw fhirError('operationUnknown', { operation: invocation.code });
  const parsed = { ...invocation, input: document };
  const parameters = readInput(definition, definitions, parsed, { validated: RESOURCE_PARAMETER });
  await checkWrapper(tools, space, document);
  const mode = readMode(parameters, invocation);
  const profile = parameters.text('profile');
  if (mode === 'profile' && profile === undefined)
    throw wrongInput("The mode 'profile' needs the parameter 'profile'");
  if (mode === 'delete') return { mode, issues: undefined };
  const sent = parameters.object(RESOURCE_PARAMETER);
  const validated = sent === undefined || document === undefined ? stored : { ...document, value: sent };
  if (validated === undefined) {
    if (invocation.level !== 'instance')
      throw wrongInput(
        `The parameter '${RESOURCE_PARAMETER}' is required, unless the address names a resource`,
      );
    return { mode, issues: undefined };
  }
  const requested = profile === undefined ? [] : [profile];
  return { mode, issues: await findIssues(tools, task, { document: validated, mode, requested }) };
}

/** Validates the Parameters resource around the resource like any other input. */
async function checkWrapper(
  tools: PreparationTools,
  space: TenantSpace,
  document: JsonDocument | undefined,
): Promise<void> {
  const body = document?.value;
  if (!isJsonObject(body) || body['resourceType'] !== 'Parameters') return;
  const wrapper = withoutResourceOf(withoutEmptyList(body), RESOURCE_PARAMETER);
  const refusal = refusalOf(await findInContent(tools, space, wrapper, levelOf(space)));
  if (refusal !== undefined) throw refusal;
}

function isMode(text: string): text is ValidationMode {
  return VALIDATION_MODES.some((mode) => mode === text);
}

function readMode(parameters: InputParameters, { level }: Invocation): ValidationMode | undefined {
  const mode = parameters.text('mode');
  if (mode === undefined) return undefined;
  const place = parameters.first('mode')?.expression;
  if (!isMode(mode)) throw wrongInput(`The parameter 'mode' is one of ${VALIDATION_MODES.join(', ')}`, place);
  if ((mode === 'update' || mode === 'delete') && level !== 'instance')
    throw wrongInput(`The mode '${mode}' is allowed only at the address of a resource`, place);
  return mode;
}

function wrongInput(reason: string, expression = 'Parameters.parameter'): FhirError {
  return fhirError('operationInputInvalid', { reason }, expression);
}

async function findIssues(
  tools: PreparationTools,
  { space, invocation }: ValidationTask,
  {
    document,
    mode,
    requested,
  }: {
    readonly document: JsonDocument;
    readonly mode: ValidationMode | undefined;
    readonly requested: readonly string[];
  },
): Promise<readonly Issue[]> {
  const resource = document.value;
  // Both sources allow only objects.
  if (!isJsonObject(resource)) throw wrongInput('A resource is a JSON object');
  const findings = await findInContent(tools, space, resource, {
    isFull: true,
    wantsWarnings: true,
    profiles: { requested, everyExtension: true },
  });
  const issues = toIssues(findings);
  const resourceType = resource['resourceType'];
  const releaseTypes = tools.releaseTypes(space);
  // A missing type is already reported.
  if (typeof resourceType !== 'string' || !releaseTypes.has(resourceType)) return issues;
  const isWrite = mode === 'create' || mode === 'update';
  const { type = resourceType, id } = invocation;
  const idMode = mode === 'update' && id !== undefined ? { id } : 'assigned';
  const misplaced = errorOf(() => checkResource(document, { type, releaseTypes, idMode }));
  if (misplaced !== undefined && (isWrite || misplaced.key !== WRITE_ONLY)) issues.push(...misplaced.issues);
  if (!isWrite) return issues;
  issues.push(...(referenceFault(tools, space, resource)?.issues ?? []));
  if (type === SEARCH_PARAMETER) {
    const definitions = loadDefinitions(space.release);
    const checked = checkTenantParameter(definitions, id ?? '', resource, space.searchParameters);
    issues.push(...checked.issues, ...checked.warnings);
  }
  issues.push(
    ...namedQueryIssues(tools, space, type, resource),
    ...subscriptionIssues(space.release, type, resource),
    ...auditEventTagIssues(type, resource),
  );
  if (issues.some(({ severity }) => severity === 'error')) return issues;
  const costly = errorOf(() => tools.extract(space, type, resource));
  return [...issues, ...(costly?.issues ?? [])];
}

/** A resource that is marked as incomplete may be valid; it only cannot be stored. */
const WRITE_ONLY: ErrorKey = 'subsetted';
