/** Makes the client, the account and the policy of the guided path. */
import {
  changeUser,
  createClientOf,
  listPolicies,
  putPolicy,
  readClient,
  type Client,
  type Invitation,
  type Policy,
  type User,
} from '../../../api/administration';
import { Failure } from '../../../api/failure';
import { get } from '../../../api/fhir';
import type { JsonObject } from '../../../api/json';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { createInvited } from '../people/invited-user';
import { bindAccount, newAccount, newApp, newProgram, type AccessDraft } from './access-draft';
import { patientPolicy, patientPolicyName } from './patient-policy';

/** What was made. Links and secrets are in it once. */
export interface GivenAccess {
  readonly client: Client;
  readonly secret?: string | undefined;
  readonly user?: User;
  /** The link of a new account; undefined: it could not be made. */
  readonly invitation?: Invitation | undefined;
  /** True: the account is new. */
  readonly isInvited?: boolean;
  readonly policy?: string;
}

/** What has been made before a step failed, so that another attempt does not make it again. */
export interface Made {
  client?: Client;
}

/** Registers the app where it is new, and binds the account to the patient. */
export async function giveToApp(
  tenant: string,
  draft: AccessDraft,
  { made, display, user }: { readonly made: Made; readonly display: string; readonly user: User | undefined },
): Promise<GivenAccess> {
  const client =
    draft.client === ''
      ? (made.client ?? (await createClientOf(tenant, newApp(draft))))
      : await readClient(tenant, draft.client);
  if (draft.client === '') made.client = client;
  if (user !== undefined)
    return { client, user: await changeUser(tenant, user.id, bindAccount(user, draft.patient)) };
  return {
    ...{ client, isInvited: true },
    ...(await createInvited(tenant, newAccount(draft, display), draft.email)),
  };
}

/** Stores the policy of the patient, and registers the program with it. */
export async function giveToProgram(tenant: string, draft: AccessDraft): Promise<GivenAccess> {
  const value = await readCompartment({ tenant, release: draft.release });
  const definition = patientPolicy(value, draft.patient, draft.canWrite ? 'cruds' : 'rs');
  const policy = await storePolicy(tenant, draft.patient, definition);
  const { secret, ...client } = await createClientOf(tenant, newProgram(draft, policy));
  return { client, secret: secret?.secret, policy };
}

/** What belongs to the record of a patient. Throws an error in words where the person may not read it in the tenant. */
async function readCompartment(space: Space): Promise<JsonObject> {
  try {
    return (await get(space, 'CompartmentDefinition/patient')).value;
  } catch (error) {
    if (error instanceof Failure && (error.status === 401 || error.status === 403))
      throw new Error(texts.administration.giveAccess.definitionNeeded, { cause: error });
    throw error;
  }
}

/** The name of a policy with this definition; one of another definition is left as it is. */
async function storePolicy(tenant: string, patient: string, definition: Policy): Promise<string> {
  const wanted = JSON.stringify(definition);
  const stored = new Map(
    (await listPolicies(tenant)).map(({ name, ...policy }) => [name, JSON.stringify(policy)]),
  );
  for (let number = 1; ; number += 1) {
    const name = patientPolicyName(patient, number);
    if (stored.get(name) === wanted) return name;
    if (stored.has(name)) continue;
    await putPolicy(tenant, name, { body: definition, tag: undefined });
    return name;
  }
}
