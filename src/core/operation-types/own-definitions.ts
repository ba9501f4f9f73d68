/**
 * OperationDefinitions of operations that FHIR itself does not define (definitions/operations/); stored among the base
 * resources. Those of the guides for Subscriptions and for bulk data have their urls.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { findDefinitionsFile, type OperationDefinition, type OperationParameter } from '../fhir/definitions';
import { parseStoredObject, type JsonObject } from '../fhir/json';
import { booleanMember, objectsMember, stringMember, stringsMember } from '../fhir/terminology/members';

const digest = createHash('sha256');
const resources: (JsonObject & { readonly id: string })[] = [];

export const reindexDefinition = load('andiron-reindex');
export const reindexStatusDefinition = load('andiron-reindex-status');
export const importDefinition = load('andiron-import');
export const codeSystemImportDefinition = load('andiron-code-system-import');
export const purgeDefinition = load('andiron-purge');
export const valueSetBatchDefinition = load('andiron-value-set-batch-validate-code');
export const codeSystemBatchDefinition = load('andiron-code-system-batch-validate-code');
export const subscriptionStatusDefinition = load('backport-subscription-status');
export const subscriptionEventsDefinition = load('backport-subscription-events');
export const subscriptionBindingTokenDefinition = load('backport-subscription-get-ws-binding-token');

/** `$export` of the system, of all Patients, and of a Group. */
export const EXPORT_DEFINITIONS: readonly OperationDefinition[] = [
  load('bulk-data-export'),
  load('bulk-data-patient-export'),
  load('bulk-data-group-export'),
];

/** Differs after each change: servers then reload the base resources. */
export const OWN_OPERATIONS_DIGEST = digest.digest('hex').slice(0, 12);

/** Returns the definitions as they are stored. */
export function ownOperationResources(): readonly (JsonObject & { readonly id: string })[] {
  return resources;
}

function load(id: string): OperationDefinition {
  const text = readFileSync(findDefinitionsFile(`operations/${id}.json`), 'utf8');
  digest.update(text);
  const resource = parseStoredObject(text);
  resources.push({ ...resource, id });
  return {
    ...{ id, kind: 'operation' },
    url: stringMember(resource, 'url') ?? '',
    code: stringMember(resource, 'code') ?? '',
    system: booleanMember(resource, 'system') ?? false,
    type: booleanMember(resource, 'type') ?? false,
    instance: booleanMember(resource, 'instance') ?? false,
    resources: stringsMember(resource, 'resource'),
    affectsState: booleanMember(resource, 'affectsState') ?? true,
    parameters: objectsMember(resource, 'parameter').map(toParameter),
  };
}

function toParameter(parameter: JsonObject): OperationParameter {
  const type = stringMember(parameter, 'type');
  return {
    name: stringMember(parameter, 'name') ?? '',
    use: stringMember(parameter, 'use') === 'out' ? 'out' : 'in',
    min: Number(parameter['min']),
    max: stringMember(parameter, 'max') === '*' ? Infinity : 1,
    ...(type === undefined ? {} : { type }),
    parts: objectsMember(parameter, 'part').map(toParameter),
  };
}
