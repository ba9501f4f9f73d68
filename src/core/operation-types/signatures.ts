/** The signatures of operations: input parameters and result type. */
import type { OperationInfo } from '../api/operation';
import type { Definitions, OperationParameter } from '../fhir/definitions';
import { isBareResult } from './answer';
import type { Operation } from './operation';
import { type FoundOperation, infoOf, runnable } from './registry';

export interface OperationSignature extends OperationInfo {
  /** See `Operation.fieldCode`. */
  readonly fieldCode?: string;
  /** Parameters of the definition, in its order, and others that it takes. */
  readonly parameters: readonly OperationParameter[];
  /** The resource type of the result, or `Resource` for any type; undefined: Parameters. */
  readonly returns?: string;
  /** True: the result has pages, with a parameter `_cursor`. */
  readonly isPaged: boolean;
  /** See `PagedOperation.takesSearch`. */
  readonly takesSearch: boolean;
}

/** Returns the signatures of the operations that the release has, by code. */
export function operationSignatures(
  operations: readonly Operation[],
  definitions: Definitions,
): readonly OperationSignature[] {
  return runnable(operations, definitions)
    .map((found) => {
      const returns = returnedType(found, definitions);
      return {
        ...infoOf(found),
        parameters: [...found.definition.parameters, ...othersOf(found.operation)],
        ...(returns === undefined ? {} : { returns }),
        ...(found.operation.fieldCode === undefined ? {} : { fieldCode: found.operation.fieldCode }),
        isPaged: 'runPage' in found.operation,
        takesSearch: 'takesSearch' in found.operation && found.operation.takesSearch === true,
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

function othersOf(operation: Operation): readonly OperationParameter[] {
  return 'others' in operation ? (operation.others ?? []) : [];
}

function isBundled(operation: Operation): boolean {
  return 'runPage' in operation || 'runDocument' in operation;
}
