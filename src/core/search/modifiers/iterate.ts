import { fhirError } from '../../errors';

/**
 * True for an `_include` or `_revinclude` that also applies to included resources (search.html#include). `:recurse` is
 * the name of `:iterate` before R4. Throws unsupportedModifier for any other modifier.
 */
export function parseIterate(parameter: string, modifier: string | undefined): boolean {
  if (modifier === undefined) return false;
  if (modifier === 'iterate' || modifier === 'recurse') return true;
  const explanation = '; only iterate is supported';
  throw fhirError('unsupportedModifier', { modifier: modifier.slice(0, 80), parameter, explanation });
}
