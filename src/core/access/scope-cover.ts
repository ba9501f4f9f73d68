import { parseScope } from './scope';

/**
 * Whether somebody who has `held` may have `asked`: that very scope, or one about resources that takes in all of it
 * (`system/*.cruds` takes in `system/Patient.rs?active=true`). Cost: parsed scopes are remembered.
 */
export function coversScope(held: readonly string[], asked: string): boolean {
  if (held.includes(asked)) return true;
  const wanted = parseScope(asked);
  if (wanted === undefined) return false;
  return held.some((text) => {
    const scope = parseScope(text);
    if (scope === undefined || scope.context !== wanted.context || scope.criteria.length > 0) return false;
    const hasType = scope.type === '*' || scope.type === wanted.type;
    return hasType && [...wanted.rights].every((right) => scope.rights.has(right));
  });
}
