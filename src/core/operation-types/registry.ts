/** Finds the operation of an address. */
import type { OperationInfo, OperationLevel } from '../api/operation';
import { fhirError } from '../errors';
import { closestName } from '../../../packages/fhir-values/closest-name';
import { type Definitions, type OperationDefinition } from '../fhir/definitions';
import { type Operation } from './operation';

export interface FoundOperation {
  readonly definition: OperationDefinition;
  readonly operation: Operation;
}

export interface OperationAddress {
  readonly level: OperationLevel;
  readonly type?: string;
  readonly code: string;
}

/**
 * Returns the operation of this code at this level and type. Throws `operationUnknown` when the release has no
 * operation of this code, `operationWrongLevel` when it is defined for other levels or types.
 */
export function findOperation(
  operations: readonly Operation[],
  definitions: Definitions,
  address: OperationAddress,
): FoundOperation {
  const available = runnable(operations, definitions);
  const candidates = available.filter(({ definition }) => definition.code === address.code);
  if (candidates.length === 0) throw unknownOperation(address.code, available);
  const found = candidates.find((candidate) => isOfferedAt(candidate, definitions, address));
  if (found !== undefined) return found;
  throw fhirError('operationWrongLevel', {
    operation: address.code,
    level: describeLevel(address.level, `the type ${address.type ?? ''}`),
    allowed: candidates.flatMap(describeLevels).join(', '),
  });
}

function unknownOperation(code: string, available: readonly FoundOperation[]): Error {
  const meant = closestName(
    code,
    available.map(({ definition }) => definition.code),
  );
  const explanation = meant === undefined ? '' : `; did you mean $${meant}?`;
  return fhirError('operationUnknown', { operation: code, explanation });
}

/** Returns the available operations of the release, by code, as the CapabilityStatement lists them. */
export function listOperations(
  operations: readonly Operation[],
  definitions: Definitions,
): readonly OperationInfo[] {
  return runnable(operations, definitions)
    .map(infoOf)
    .sort((a, b) => (a.code + a.definition < b.code + b.definition ? -1 : 1));
}

export function infoOf(found: FoundOperation): OperationInfo {
  const { code, url, resources, affectsState } = found.definition;
  const storesOnRequest = found.operation.storesOnRequest === true;
  return { code, definition: url, levels: levelsOf(found), types: resources, affectsState, storesOnRequest };
}

/** Returns each operation with its definition, where the release has it. */
export function runnable(
  operations: readonly Operation[],
  definitions: Definitions,
): readonly FoundOperation[] {
  return operations.flatMap((operation) => {
    const definition = operation.own ?? definitions.operations.get(operation.definition);
    return definition === undefined ? [] : [{ definition, operation }];
  });
}

function isOfferedAt(
  candidate: FoundOperation,
  definitions: Definitions,
  address: OperationAddress,
): boolean {
  if (!levelsOf(candidate).includes(address.level)) return false;
  if (address.level === 'system') return true;
  const { type } = address;
  return (
    type !== undefined &&
    candidate.definition.resources.some((ancestor) => definitions.conformsTo(type, ancestor))
  );
}

function levelsOf({ definition, operation }: FoundOperation): readonly OperationLevel[] {
  const { alsoAt = [] } = operation;
  return (['system', 'type', 'instance'] as const).filter(
    (level) => definition[level] || alsoAt.includes(level),
  );
}

function describeLevels({ definition, operation }: FoundOperation): readonly string[] {
  const isForAll = definition.resources.includes('Resource');
  const types = isForAll ? 'any type' : `the type ${definition.resources.join(' or ')}`;
  return levelsOf({ definition, operation }).map((level) => describeLevel(level, types));
}

function describeLevel(level: OperationLevel, type: string): string {
  if (level === 'system') return 'at system level';
  return level === 'type' ? `on ${type}` : `on one resource of ${type}`;
}
