import { FhirError, fhirError, type Issue } from '../../core/index';
import type { GatewayContext } from '../context';
import { toInput } from '../json-document';
import type { Change } from './change';
import { toEntry } from './change-entry';
import type { ChangeAnswer } from './run-alone';

/** A change and the response key of its field. */
export interface NamedChange {
  readonly key: string;
  readonly change: Change;
}

/** Levels that a Bundle adds around the resource of an entry. */
const LEVELS_AROUND = 3;

/**
 * Executes changes as one transaction of core: all or none. The results have the order of the changes. Throws
 * `Refusals`.
 * `isDryRun`: nothing is stored, and the results say what would have happened.
 * `isSingleWrite`: the transaction consists of one change that is sent by itself.
 */
export async function runTogether(
  { core, request, maxDepth }: GatewayContext,
  changes: readonly NamedChange[],
  { isDryRun, isSingleWrite }: { readonly isDryRun: boolean; readonly isSingleWrite: boolean },
): Promise<readonly ChangeAnswer[]> {
  const bundle = {
    resourceType: 'Bundle',
    type: 'transaction',
    entry: changes.map(({ change }) => toEntry(change)),
  };
  try {
    const input = await toInput(bundle, maxDepth + LEVELS_AROUND);
    const { entries } = await core.interactions.bundle(request, {
      input,
      types: ['transaction'],
      isDryRun,
      isSingleWrite,
    });
    return entries.map((answer) => {
      if (answer.kind === 'written' || answer.kind === 'found' || answer.kind === 'deleted') return answer;
      throw new Error(`a change was answered by '${answer.kind}'`);
    });
  } catch (error) {
    if (error instanceof FhirError) throw refusalsOf(error, changes);
    throw error;
  }
}

/** The reasons for which a transaction was refused, by field. Empty when no field is the cause. */
export class Refusals extends Error {
  constructor(
    readonly whole: FhirError,
    readonly byKey: ReadonlyMap<string, FhirError>,
  ) {
    super(whole.message);
  }

  /** Returns the error of one field. A field without its own error gets one that names the failed field. */
  of(key: string): FhirError {
    const own = this.byKey.get(key);
    if (own !== undefined) return own;
    const [culprit] = this.byKey;
    if (culprit === undefined) return this.whole;
    const [name, error] = culprit;
    const diagnostics = `Not done, because '${name}' failed and all mutations of the operation are one transaction: ${error.message}`;
    const code = error.issues[0]?.code ?? 'processing';
    return new FhirError(error.key, [{ severity: 'error', code, diagnostics }]);
  }
}

const IN_ENTRY = /^Bundle\.entry\[(\d+)\]\.?/;

function refusalsOf(error: FhirError, changes: readonly NamedChange[]): Refusals {
  const issues = new Map<string, Issue[]>();
  for (const issue of error.issues) {
    const named = changes[Number(IN_ENTRY.exec(issue.expression ?? '')?.[1] ?? NaN)];
    if (named === undefined) continue;
    issues.set(named.key, [...(issues.get(named.key) ?? []), inField(issue, named.change, changes)]);
  }
  // The order of the document, independent of the order in which a transaction executes.
  const byKey = new Map<string, FhirError>();
  for (const { key } of changes) {
    const own = issues.get(key);
    if (own !== undefined) byKey.set(key, new FhirError(error.key, own));
  }
  return new Refusals(error, byKey);
}

/**
 * Returns an issue of a Bundle entry as an issue of the field: a place in the resource becomes an expression, other
 * entries become field names.
 */
function inField(issue: Issue, change: Change, changes: readonly NamedChange[]): Issue {
  const { expression = '', diagnostics, ...rest } = issue;
  const below = expression.replace(IN_ENTRY, '');
  const place = below.startsWith('resource.')
    ? `${typeOf(change)}${below.slice('resource'.length)}`
    : undefined;
  const text = diagnostics.replace(/^Entry (\d+)\b/, (whole, index: string) => {
    const other = changes[Number(index)];
    return other === undefined ? whole : `'${other.key}'`;
  });
  return { ...rest, diagnostics: text, ...(place === undefined ? {} : { expression: place }) };
}

function typeOf(change: Change): string {
  return change.kind === 'create' ? change.type : change.target.type;
}

/** Throws `notSupported` for a urn in an operation without `@atomic`, where no other change can refer to it. */
export function requireNoUrn(change: Change): void {
  if (!('urn' in change) || change.urn === undefined) return;
  const reason =
    "'as' is allowed only in an operation with @atomic, where other mutations can refer to the resource";
  throw fhirError('notSupported', { reason });
}
