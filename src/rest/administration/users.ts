/** Administration of the users who sign in to a tenant. */
import type { TenantAdministration, User, UserChanges } from '../../core';
import type { AddressBook } from '../responses/address';
import type { USER_ROUTES } from './routes';
import type { Value } from './schema-kinds';
import type * as schemas from './schemas';
import { found, toInstant, type HandlersOf } from './serve-routes';

export function userHandlers(
  { users }: TenantAdministration,
  addresses: AddressBook,
): HandlersOf<typeof USER_ROUTES> {
  return {
    listUsers: async ({ params: { tenant } }) => {
      const list = await users.list(tenant);
      return { status: 200, answer: { users: list.map(toAnswer) } };
    },
    createUser: async ({ params: { tenant }, body }) => {
      const made = await users.create(tenant, toChanges(body));
      return { status: 201, answer: toAnswer(made) };
    },
    getUser: async ({ params: { tenant, user } }) => {
      return { status: 200, answer: toAnswer(found(await users.find(tenant, user))) };
    },
    changeUser: async ({ params: { tenant, user }, body }) => {
      const changed = await users.change(tenant, user, toChanges(body));
      return { status: 200, answer: toAnswer(found(changed)) };
    },
    deleteUser: async ({ params: { tenant, user } }) => {
      found(await users.remove(tenant, user));
      return { status: 200, answer: { removed: user } };
    },
    removeSecondFactor: async ({ params: { tenant, user } }) => {
      found(await users.removeSecondFactor(tenant, user));
      return { status: 200, answer: { removed: user } };
    },
    inviteUser: async ({ params: { tenant, user }, body: { email }, request }) => {
      const base = addresses.base(request);
      const { expires, ...made } = found(await users.invite(tenant, { id: user, base, email }));
      return { status: 201, answer: { ...made, expires: toInstant(expires) } };
    },
  };
}

function toChanges(body: Value<typeof schemas.UserChanges>): UserChanges {
  const { disabled, administrator, auditor, ...others } = body;
  return { ...others, isDisabled: disabled, isAdministrator: administrator, isAuditor: auditor };
}

function toAnswer(user: User): Value<typeof schemas.User> {
  const { id, name, display, created, isDisabled, release, fhirUser, patient, invited } = user;
  return {
    ...{ id, name, display, created: toInstant(created), disabled: isDisabled, release, fhirUser, patient },
    ...{ administrator: user.isAdministrator, auditor: user.isAuditor },
    secondFactor: user.hasSecondFactor,
    ...(invited === null ? {} : { invited: toInstant(invited) }),
  };
}
