import { fhirError } from '../../errors';

/**
 * Whether an `_include` or `_revinclude` is applied to what was included, too (search.html#include). `:recurse` is the name
 * that `:iterate` had before R4. Throws unsupportedModifier for any other.
 */
export function parseIterate(parameter: string, modifier: string | undefined): boolean {
  if (modifier === undefined) return false;
  if (modifier === 'iterate' || modifier === 'recurse') return true;
  const known = '; known is iterate';
  throw fhirError('unsupportedModifier', { modifier: modifier.slice(0, 80), parameter, known });
}
