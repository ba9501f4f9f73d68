import type { Invocation } from '../api/operation';
import type { RequestContext } from '../context';
import type { Operation } from '../operation-types/operation';
import { findOperation } from '../operation-types/registry';
import type { SearchServices } from '../ports';
import type { Right } from './right';
import { permissionsOf } from './visibility';

const ANY_RIGHT: readonly Right[] = ['r', 's', 'c', 'u'];

/**
 * Authorizes an operation as a whole; its reads and writes are authorized separately, as all others. On a resource or
 * type it needs the scope to read it, or to update it where the operation may change data. An operation for every type
 * (`$validate`, `$meta`) needs any scope for the type, and one that describes the server (`$versions`) any scope. An operation on terminology or other definitions needs access to
 * all resources of the type, because it searches all of them. `operations`: all that there are. Throws forbidden, operationUnknown, operationWrongLevel.
 */
export function requireInvocation(
  services: SearchServices,
  context: RequestContext,
  { operations, invocation }: { readonly operations: readonly Operation[]; readonly invocation: Invocation },
): void {
  const permissions = permissionsOf(services, context);
  if (permissions === undefined) return;
  const { release } = context.space;
  const { definition, operation } = findOperation(operations, services.definitions(release), invocation);
  permissions.requireOperation(definition.code);
  const right = definition.affectsState ? 'u' : 'r';
  const isOfAll = definition.resources.includes('Resource');
  const { level, type } = invocation;
  if (operation.isOfServer === true || (isOfAll && (level === 'system' || type === undefined))) {
    permissions.requireAnything();
    return;
  }
  if (isOfAll && level === 'type' && type !== undefined) {
    if (!ANY_RIGHT.some((each) => permissions.allows(type, each))) throw permissions.missing(type, right);
    return;
  }
  for (const each of type === undefined ? definition.resources : [type]) {
    if (!isOfAll && services.isConformanceType(release, each))
      permissions.requireAll(each, right, `The operation $${definition.code}`);
    else permissions.require(each, right);
  }
}
