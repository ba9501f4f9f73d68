import { coversScope } from './scope-cover';
import type { Caller } from '../api/access';
import { fhirError } from '../errors';

/** Throws forbidden unless the caller is the author of a Subscription. */
export function requireAuthor(caller: Caller, author: Caller, id: string): void {
  if (isAuthor(caller, author)) return;
  const reason = `Only the author of Subscription/${id} may receive its notifications`;
  throw fhirError('forbidden', { reason });
}

/** Throws forbidden where an author, with the rights of this moment, may do more than the caller may. */
export function requireScopesOf({ access }: Caller, author: Caller, id: string): void {
  if (hasScopesOf({ access }, author)) return;
  const reason = `Subscription/${id} was written with scopes that this access does not have`;
  throw fhirError('forbidden', { reason });
}

/** True if the caller may know, and keep, the secrets of a Subscription: its author, with all scopes of that request. */
export function mayKnowSecrets(caller: Caller, author: Caller): boolean {
  return isAuthor(caller, author) && hasScopesOf(caller, author);
}

/** A client is not enough: it acts for several users. Without access control, every caller is unrestricted. */
function isAuthor({ actor, access }: Caller, author: Caller): boolean {
  if (access === undefined) return true;
  const of = author.access;
  return (
    of !== undefined &&
    actor === author.actor &&
    (['client', 'user', 'patient', 'issuer'] as const).every((name) => access[name] === of[name])
  );
}

function hasScopesOf({ access }: Pick<Caller, 'access'>, author: Caller): boolean {
  const scopes = author.access?.scopes ?? [];
  return access === undefined || scopes.every((scope) => coversScope(access.scopes, scope));
}
