import type { Invocation } from '../api';
import type { RequestContext } from '../context';
import { OPERATIONS } from '../operations';
import { findOperation } from '../operations/registry';
import type { Services } from '../services';
import type { Right } from './right';
import { permissionsOf } from './visibility';

const ANY_RIGHT: readonly Right[] = ['r', 's', 'c', 'u'];

/**
 * Whether an operation may be run at all; what it reads and writes is held to the same grants as any other reading and
 * writing. On a resource or a type it needs the scope for reading it, or for updating it where it may change data; one of
 * every type (`$validate`, `$meta`) on a type any scope for that. On terminology and other definitions, which it looks
 * for all over, it needs every resource of the type. Throws forbidden, operationUnknown, operationWrongLevel.
 */
export function requireInvocation(services: Services, context: RequestContext, invocation: Invocation): void {
  const permissions = permissionsOf(services, context);
  if (permissions === undefined) return;
  const { release } = context.space;
  const { definition } = findOperation(OPERATIONS, services.definitions(release), invocation);
  permissions.requireOperation(definition.code);
  const right = definition.affectsState ? 'u' : 'r';
  const isOfAll = definition.resources.includes('Resource');
  const { level, type } = invocation;
  if (isOfAll && (level === 'system' || type === undefined)) {
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
