import type { Caller } from '../api/access';
import type { Access } from '../context';
import type { OwnPatients } from '../authorization/person-patients';
import { ADMINISTRATION } from '../authorization/scope';
import { coversScope } from '../authorization/scope-cover';
import type { StoredClient } from '../storage/accounts/client-applications';
import type { GrantHolder } from '../storage/accounts/user-grants';
import type { Grant } from './access-tokens';

/** The user of a client. */
interface TokenUser {
  readonly holder?: GrantHolder | undefined;
  /** Those of a RelatedPerson or Person. */
  readonly patients?: OwnPatients | undefined;
}

/** Returns the caller of a verified token or secret. Scopes that the client has lost are removed. */
export function toCaller(
  client: StoredClient,
  { scopes, user, patient, grant, issuer }: Grant & Pick<Access, 'issuer'>,
  { holder, patients }: TokenUser = {},
): Caller {
  const held = scopes.filter((scope) => coversScope(client.scopes, scope));
  // Rights of the client itself do not extend to its users; theirs are those of their account.
  const rights = grant === undefined ? client : held.includes(ADMINISTRATION) ? holder : undefined;
  const access: Access = {
    client: client.id,
    ...(user === undefined ? {} : { user }),
    ...(patients === undefined ? {} : { userPatients: patients.ids }),
    ...(patient === undefined ? {} : { patient }),
    ...(issuer === undefined ? {} : { issuer }),
    ...(grant === undefined ? {} : { grant }),
    ...(holder === undefined ? {} : { account: holder.account }),
    scopes: held,
    policies: client.policies,
    isAdministrator: rights?.isAdministrator === true,
    // Administrators can make themselves auditors; they see the record of their tenant without it.
    isAuditor: rights?.isAuditor === true || rights?.isAdministrator === true,
  };
  return { actor: client.id, access };
}
