import { coversScope } from '../authorization/scope-cover';
import type { Caller } from '../api/access';
import { fhirError } from '../errors';

/**
 * Throws forbidden unless the caller is the author of a Subscription. A client is not enough: it acts for several users.
 * Without access control, every caller is unrestricted.
 */
export function requireAuthor(caller: Caller, author: Caller, id: string): void {
  const { access } = caller;
  if (access === undefined) return;
  const of = author.access;
  const isSame =
    of !== undefined &&
    caller.actor === author.actor &&
    (['client', 'user', 'patient', 'issuer'] as const).every((name) => access[name] === of[name]);
  if (isSame) return;
  const reason = `Only the author of Subscription/${id} may receive its notifications`;
  throw fhirError('forbidden', { reason });
}

/** Throws forbidden where an author, with the rights of this moment, may do more than the caller may. */
export function requireScopesOf({ access }: Caller, author: Caller, id: string): void {
  const scopes = author.access?.scopes ?? [];
  if (access === undefined || scopes.every((scope) => coversScope(access.scopes, scope))) return;
  const reason = `Subscription/${id} was written with scopes that this access does not have`;
  throw fhirError('forbidden', { reason });
}
