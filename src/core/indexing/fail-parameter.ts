import type { Log, TenantSpace } from '../context';
import { EXCEEDED } from './exceeded-parameter';
import type { Database } from '../storage/connection/database';
import { failSearchParameter } from '../storage/indexing/search-parameters';

export interface FailureParts {
  readonly database: Database;
  readonly log: Log;
  /** Called when the parameters of a tenant have changed. */
  readonly parametersChanged: (tenant: string) => void;
}

/** Marks a parameter that exceeded its budget as failed. Any number of writes may call this at once. */
export async function failExceeded(
  { database, log, parametersChanged }: FailureParts,
  space: TenantSpace,
  number: number,
): Promise<void> {
  if (await failSearchParameter(database, space.number, number, EXCEEDED)) {
    const parameter = space.searchParameters?.list.find((one) => one.number === number);
    logFailure(log, space.tenant, parameter, EXCEEDED);
  }
  parametersChanged(space.tenant);
}

/** Logs one line for the operator. */
export function logFailure(
  log: Log,
  tenant: string,
  parameter: { readonly owner: string; readonly type: string; readonly code: string } | undefined,
  reason: string,
): void {
  const { owner, type, code } = parameter ?? {};
  log.error({ tenant, searchParameter: owner, type, code, reason }, 'a search parameter has failed');
}
