import { getArgumentValues, getDirectiveValues, type GraphQLResolveInfo } from 'graphql';
import { collectFields } from 'graphql/execution/collectFields';
import { type EntryAnswer, FhirError, fhirError } from '../../core/index';
import { atomicDirective } from '../../schema/atomic';
import type { GatewayContext } from '../context';
import { ChangeMaker, type FieldArguments } from './change';
import { clearLoaders } from './clear-loaders';
import { type PerformedChange, runAlone } from './run-alone';
import { type NamedChange, Refusals, requireNoUrn, runTogether } from './run-together';

/**
 * Executes the change of one mutation field. Under `@atomic` the first resolved field executes the changes of all
 * fields as one transaction, and each field gets its own result.
 * Throws the error of its change; under `@atomic` all fields throw when one is refused.
 */
export async function perform(
  context: GatewayContext,
  info: GraphQLResolveInfo,
  { make }: ChangeMaker,
  given: FieldArguments,
): Promise<PerformedChange> {
  const key = String(info.path.key);
  const performed = await performField(context, info, make, given);
  reportIssues(context, [key], performed.answer);
  return performed;
}

/** Adds the warnings of a write to the extensions of the response. */
export function reportIssues(
  { issues }: Pick<GatewayContext, 'issues'>,
  path: readonly (string | number)[],
  answer: EntryAnswer,
): void {
  if (answer.kind !== 'written') return;
  for (const issue of answer.result.warnings) issues.push({ path, ...issue });
}

async function performField(
  context: GatewayContext,
  info: GraphQLResolveInfo,
  make: ChangeMaker['make'],
  given: FieldArguments,
): Promise<PerformedChange> {
  const key = String(info.path.key);
  if (isAtomic(info)) return performTogether(context, info, key);
  const change = make(given);
  requireNoUrn(change);
  clearLoaders(context);
  countChange(context);
  if (!change.isDryRun) return { answer: await runAlone(context, change), isDryRun: false };
  return answerOf(runAll(context, [{ key, change }], { isDryRun: true, isSingleWrite: true }), key);
}

/** Requests that have made a change. */
const changing = new WeakSet<GatewayContext>();

/** Charges each change after the first; the request itself was charged for the first one. */
function countChange(context: GatewayContext): void {
  if (changing.has(context)) context.core.access.charge(context.request, 1);
  else changing.add(context);
}

function isAtomic({ operation, variableValues }: GraphQLResolveInfo): boolean {
  return getDirectiveValues(atomicDirective, operation, variableValues) !== undefined;
}

/** Results by the response keys of the fields. */
type Answers = ReadonlyMap<string, PerformedChange>;

/** The result of the `@atomic` operation of a request; a request executes one operation. */
const operations = new WeakMap<GatewayContext, Promise<Answers>>();

function performTogether(
  context: GatewayContext,
  info: GraphQLResolveInfo,
  key: string,
): Promise<PerformedChange> {
  let answers = operations.get(context);
  if (answers === undefined) operations.set(context, (answers = runOperation(context, info)));
  return answerOf(answers, key);
}

async function answerOf(answers: Promise<Answers>, key: string): Promise<PerformedChange> {
  try {
    const answer = (await answers).get(key);
    if (answer === undefined) throw new Error('a mutation of an operation has no result');
    return answer;
  } catch (error) {
    throw error instanceof Refusals ? error.of(key) : error;
  }
}

/** Throws `Refusals`. */
async function runOperation(context: GatewayContext, info: GraphQLResolveInfo): Promise<Answers> {
  const changes = collectChanges(info);
  const isDryRun = changes.some(({ change }) => change.isDryRun);
  const other = changes.find(({ change }) => change.isDryRun !== isDryRun);
  if (other !== undefined) {
    const reason = "All mutations of an operation with @atomic must have 'dryRun', or none";
    throw refusalOf(other.key, fhirError('invalidValue', { reason }));
  }
  return runAll(context, changes, { isDryRun, isSingleWrite: false });
}

async function runAll(
  context: GatewayContext,
  changes: readonly NamedChange[],
  how: Parameters<typeof runTogether>[2],
): Promise<Answers> {
  const answers = await runTogether(context, changes, how);
  const performed = new Map<string, PerformedChange>();
  answers.forEach((answer, place) => {
    const named = changes[place];
    if (named !== undefined) performed.set(named.key, { answer, isDryRun: how.isDryRun });
  });
  return performed;
}

/** Returns the changes of the root fields, in the order of the document. */
function collectChanges({
  schema,
  operation,
  fragments,
  variableValues,
  parentType,
}: GraphQLResolveInfo): readonly NamedChange[] {
  const collected = collectFields(schema, fragments, variableValues, parentType, operation.selectionSet);
  const changes: NamedChange[] = [];
  for (const [key, [node]] of collected) {
    const field = node === undefined ? undefined : parentType.getFields()[node.name.value];
    // `__typename` exists in every type.
    if (node === undefined || field === undefined) continue;
    try {
      const maker = field.extensions['toChange'];
      if (!(maker instanceof ChangeMaker))
        throw new Error('atomicRule has accepted a field that changes nothing');
      changes.push({ key, change: maker.make(getArgumentValues(field, node, variableValues)) });
    } catch (error) {
      throw error instanceof FhirError ? refusalOf(key, error) : error;
    }
  }
  return changes;
}

function refusalOf(key: string, error: FhirError): Refusals {
  return new Refusals(error, new Map([[key, error]]));
}
