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

/** Levels of a Bundle around the resource of an entry. */
const LEVELS_AROUND = 3;

/**
 * Does changes as one transaction of core's: all or none. The answers are in their order. `isDryRun`: none, and the answers
 * say what would have happened; `isSingleWrite`: to one change that is sent by itself. Throws `Refusals`.
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
    const { entries } = await core.bundle(request, {
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

/** Why a transaction was refused, by the fields that are at fault: none where it was no field's. */
export class Refusals extends Error {
  constructor(
    readonly whole: FhirError,
    readonly byKey: ReadonlyMap<string, FhirError>,
  ) {
    super(whole.message);
  }

  /** The error of one field; of a field that is not at fault, that it was not done because of another. */
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
  // In the order of the document, whatever the order is in which a transaction works.
  const byKey = new Map<string, FhirError>();
  for (const { key } of changes) {
    const own = issues.get(key);
    if (own !== undefined) byKey.set(key, new FhirError(error.key, own));
  }
  return new Refusals(error, byKey);
}

/** What is said of an entry of the Bundle, said of the field: its places are in the resource, others are its fields. */
function inField(issue: Issue, change: Change, changes: readonly NamedChange[]): Issue {
  const { expression = '', diagnostics, ...rest } = issue;
  const below = expression.replace(IN_ENTRY, '');
  const place = below.startsWith('resource.')
    ? `${typeOf(change)}${below.slice('resource'.length)}`
    : undefined;
  const said = diagnostics.replace(/^Entry (\d+)\b/, (whole, index: string) => {
    const other = changes[Number(index)];
    return other === undefined ? whole : `'${other.key}'`;
  });
  return { ...rest, diagnostics: said, ...(place === undefined ? {} : { expression: place }) };
}

function typeOf(change: Change): string {
  return change.kind === 'create' ? change.type : change.target.type;
}

/** Throws `notSupported` for a urn that nobody could refer to. */
export function requireNoUrn(change: Change): void {
  if (!('urn' in change) || change.urn === undefined) return;
  const reason =
    "'as' names a resource for the other mutations of an operation with @atomic, which this one has not";
  throw fhirError('notSupported', { reason });
}
