import { type EntryAnswer, parseQueryText, type VersionGuard } from '../../core/index';
import type { GatewayContext } from '../context';
import { toInput } from '../json-document';
import type { Change, Creation, Deletion, Patching, Update } from './change';

/** The result of a change. */
export type ChangeAnswer = Extract<EntryAnswer, { kind: 'written' | 'found' | 'deleted' }>;

/** The result of a change; `isDryRun` when it was not stored. */
export interface PerformedChange {
  readonly answer: ChangeAnswer;
  readonly isDryRun: boolean;
}

/** Executes one change by itself. Throws the errors of core. */
export function runAlone(context: GatewayContext, change: Change): Promise<ChangeAnswer> {
  switch (change.kind) {
    case 'create':
      return create(context, change);
    case 'update':
      return update(context, change);
    case 'patch':
      return patch(context, change);
    case 'delete':
      return remove(context, change);
  }
}

async function create(
  { core, request, maxDepth }: GatewayContext,
  { type, resource, ifNoneExist }: Creation,
): Promise<ChangeAnswer> {
  const input = await toInput(resource, maxDepth);
  if (ifNoneExist === undefined)
    return { kind: 'written', result: await core.interactions.create(request, type, input) };
  const result = await core.interactions.createIfNoneExist(
    request,
    type,
    input,
    core.interactions.parseIfNoneExist(request, type, ifNoneExist),
  );
  return result.created ? { kind: 'written', result } : { kind: 'found', version: result.version };
}

async function update(
  { core, request, maxDepth }: GatewayContext,
  { target: { type, id, criteria }, resource, ifMatch }: Update,
): Promise<ChangeAnswer> {
  const input = await toInput(resource, maxDepth);
  const guard = toGuard(ifMatch);
  const result =
    criteria === undefined
      ? await core.interactions.update(request, { type, id, input, guard })
      : await core.interactions.updateWhere(request, {
          type,
          criteria: parseQueryText(criteria),
          input,
          guard,
        });
  return { kind: 'written', result };
}

async function patch(
  { core, request, maxDepth }: GatewayContext,
  { target: { type, id, criteria }, patch: operations, ifMatch }: Patching,
): Promise<ChangeAnswer> {
  const input = await toInput(operations, maxDepth);
  const guard = toGuard(ifMatch);
  const result =
    criteria === undefined
      ? await core.interactions.patch(request, { type, id, patch: input, guard })
      : await core.interactions.patchWhere(request, {
          type,
          criteria: parseQueryText(criteria),
          patch: input,
          guard,
        });
  return { kind: 'written', result };
}

async function remove(
  { core, request }: GatewayContext,
  { target: { type, id, criteria }, ifMatch }: Deletion,
): Promise<ChangeAnswer> {
  const guard = toGuard(ifMatch);
  if (criteria !== undefined) {
    const versions = await core.interactions.deleteWhere(request, type, parseQueryText(criteria), guard);
    return { kind: 'deleted', type, versions };
  }
  const { version } = await core.interactions.delete(request, type, id, guard);
  return { kind: 'deleted', type, id, versions: version === undefined ? [] : [version] };
}

function toGuard(ifMatch: readonly string[] | undefined): VersionGuard | undefined {
  return ifMatch === undefined ? undefined : { ifMatch };
}
