import { parseScope } from './scope';

/**
 * True if the scopes `held` include `requested`: the same scope, or a resource scope that covers it
 * (`system/*.cruds` covers `system/Patient.rs?active=true`). A scope with conditions covers one with the same and more.
 * Cost: parsed scopes are cached.
 */
export function coversScope(held: readonly string[], requested: string): boolean {
  if (held.includes(requested)) return true;
  const wanted = parseScope(requested);
  if (wanted === undefined) return false;
  return held.some((text) => {
    const scope = parseScope(text);
    if (scope === undefined || scope.context !== wanted.context) return false;
    const isNarrower = scope.criteria.every(([name, value]) =>
      wanted.criteria.some((criterion) => criterion[0] === name && criterion[1] === value),
    );
    if (!isNarrower) return false;
    const hasType = scope.type === '*' || scope.type === wanted.type;
    return hasType && [...wanted.rights].every((right) => scope.rights.has(right));
  });
}
