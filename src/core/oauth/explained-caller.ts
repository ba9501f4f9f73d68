/** The access that a client, or a person by a client, would have now: as that of a token with all its scopes. */
import type { AccessQuestion } from '../api/access-explanation';
import type { Access, TenantSpace } from '../context';
import { fhirError } from '../errors';
import { coversRelease } from '../fhir/release';
import { PATIENT } from '../fhir/type-names';
import type { PersonPatients, PersonSource } from '../authorization/person-patients';
import { ownScopes } from '../authorization/scope';
import type { StoredClient } from '../storage/accounts/client-applications';
import type { StoredUser } from '../storage/accounts/user-accounts';
import type { Clients } from './clients';
import { CONSOLE } from './console-client';
import { toCaller } from './to-caller';
import type { Users } from './users';

/** Stands for a grant that a person would give. */
const GRANT = 'explained';

export interface ExplainedCallerParts {
  readonly clients: Pick<Clients, 'list'>;
  readonly users: Pick<Users, 'list'>;
  readonly people: Pick<PersonPatients, 'of'>;
  readonly source: Pick<PersonSource, 'find'>;
}

export interface ExplainedCaller {
  readonly access: Access;
  /** The client and the person in words. */
  readonly who: string;
  /** Why no request of it is admitted at all. */
  readonly fault?: string | undefined;
}

/** Undefined: the question is about nobody. Throws `invalidValue` for a client or account that does not exist, or is not certain. */
export async function explainedCaller(
  parts: ExplainedCallerParts,
  space: TenantSpace,
  { client: clientName, user: userName, patient }: Pick<AccessQuestion, 'client' | 'user' | 'patient'>,
): Promise<ExplainedCaller | undefined> {
  const { clients, users, people } = parts;
  if (clientName === undefined && userName === undefined) return undefined;
  const client = only(await clients.list(space), clientName ?? CONSOLE, 'client', ({ id, name }) => [
    id,
    name,
  ]);
  if (userName === undefined) {
    const { access } = toCaller(client, { client: client.id, scopes: ownScopes(client.scopes) });
    return { access: known(access), who: nameOf(client), fault: faultOf(client) };
  }
  const user = only(await users.list(space), userName, 'account', ({ id, name }) => [id, name]);
  const isOfRelease = coversRelease(user.release, space.release);
  const person = isOfRelease ? (user.fhirUser ?? undefined) : undefined;
  const found = await people.of(space, person);
  if (patient !== undefined && (await parts.source.find(space, PATIENT, patient)) === undefined)
    throw fhirError('invalidValue', { reason: `Patient/${patient.slice(0, 64)} does not exist` });
  const chosen = patient ?? (isOfRelease ? ownPatientOf(user, found?.ids) : undefined);
  const grant = {
    ...{ client: client.id, scopes: client.scopes, grant: GRANT },
    ...(person === undefined ? {} : { user: person }),
    ...(chosen === undefined ? {} : { patient: chosen }),
  };
  const { id, isAdministrator, isAuditor } = user;
  const holder = { account: id, isAdministrator, isAuditor };
  const { access } = toCaller(client, grant, { holder, patients: found });
  const who = `${user.display} (${person ?? 'without a person of these data'}) with ${nameOf(client)}`;
  return { access: known(access), who, fault: faultOf(client, user) };
}

/** The Patient in context as at a sign-in (consent.ts): of the account, the person itself, or the only one of the person. */
function ownPatientOf(
  { patient, fhirUser }: StoredUser,
  reached: readonly string[] = [],
): string | undefined {
  const [type, id] = (fhirUser ?? '').split('/');
  const [own, ...others] = type === PATIENT && id !== undefined ? [id] : reached;
  return patient ?? (others.length === 0 ? own : undefined);
}

function faultOf(client: StoredClient, user?: StoredUser): string | undefined {
  if (client.isDisabled) return 'The client is disabled: every request of it is refused';
  return user?.isDisabled === true ? 'The account is disabled: the person cannot sign in' : undefined;
}

function nameOf({ name, id }: StoredClient): string {
  return name === id ? name : `${name} (${id})`;
}

function known(access: Access | undefined): Access {
  if (access === undefined) throw new Error('a client has no access');
  return access;
}

/** The one of the id, or else the only one of the name. */
function only<Item extends { readonly id: string }>(
  all: readonly Item[],
  wanted: string,
  kind: 'client' | 'account',
  namesOf: (item: Item) => readonly string[],
): Item {
  const refuse = (reason: string): never => {
    throw fhirError('invalidValue', { reason });
  };
  const shown = wanted.slice(0, 80);
  const ofId = all.find(({ id }) => id === wanted);
  if (ofId !== undefined) return ofId;
  const fold = (text: string): string => text.normalize('NFC').toLowerCase();
  const [first, second] = all.filter((item) => namesOf(item).some((name) => fold(name) === fold(wanted)));
  if (second !== undefined) return refuse(`Several ${kind}s have the name '${shown}': give the id of one`);
  return first ?? refuse(`The ${kind} '${shown}' does not exist`);
}
