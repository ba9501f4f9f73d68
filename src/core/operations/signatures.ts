/** What is known of an operation before it runs: its input, and what it answers with. */
import type { OperationInfo } from '../api/operation';
import type { Definitions, OperationParameter } from '../fhir/definitions';
import { isBareResult } from './answer';
import { OPERATIONS } from './index';
import type { Operation } from './operation';
import { type FoundOperation, infoOf, runnable } from './registry';

export interface OperationSignature extends OperationInfo {
  /** Those of the definition, in its order. */
  readonly parameters: readonly OperationParameter[];
  /** The resource type that it answers with, or `Resource` where that may be any; undefined: Parameters. */
  readonly returns?: string;
  /** True: page by page, by a parameter `_cursor`. */
  readonly isPaged: boolean;
}

/** Of all operations that can be run, by code. */
export function operationSignatures(definitions: Definitions): readonly OperationSignature[] {
  return runnable(OPERATIONS, definitions)
    .map((found) => {
      const returns = returnedType(found, definitions);
      return {
        ...infoOf(found),
        parameters: found.definition.parameters,
        ...(returns === undefined ? {} : { returns }),
        isPaged: 'runPage' in found.operation,
      };
    })
    .sort((a, b) => (a.code + a.definition < b.code + b.definition ? -1 : 1));
}

function returnedType(
  { operation, definition }: FoundOperation,
  definitions: Definitions,
): string | undefined {
  if (isBundled(operation)) return 'Bundle';
  if (!isBareResult(definition, definitions)) return undefined;
  const type = definition.parameters.find(({ use }) => use === 'out')?.type;
  return type === 'Any' ? 'Resource' : type;
}

function isBundled(operation: Operation): boolean {
  return 'runPage' in operation || 'runDocument' in operation;
}
