/**
 * The JSON of administration as TypeBox schemas, from which the checks of requests, the types of handlers and the components
 * of the OpenAPI document (openapi.ts) are made. A schema with an `$id` is a component.
 */
import { Type } from '@sinclair/typebox';
import { ID_TOKEN_ALGORITHMS } from '../../core';
import {
  object,
  optional,
  text,
  flag,
  count,
  listOf,
  texts,
  textOrNull,
  oneOf,
  mapOf,
  instant,
  releaseScope,
} from './schema-kinds';

export const TENANT_STATUSES = ['active', 'disabled', 'importing', 'deleting'] as const;

export const Removed = object({ removed: text('Its id or name') }, { $id: 'Removed' });

const DISPLAY = text('Name for people');
const TENANT = {
  name: Type.String({
    description: 'Part of all addresses; it never changes',
    pattern: '^[a-z0-9-]{1,63}$',
    expects: '1 to 63 of a-z 0-9 -',
  }),
  display: DISPLAY,
  status: oneOf(TENANT_STATUSES, 'Only active tenants are served'),
  created: instant(),
};
export const Tenant = object(TENANT, { $id: 'Tenant' });
export const TenantList = object(
  {
    tenants: listOf(Tenant),
    next: Type.Optional(text('There are more: the value of after for the next request')),
  },
  { $id: 'TenantList' },
);
export const NewTenant = object(
  {
    name: TENANT.name,
    ...optional({
      display: DISPLAY,
      settings: mapOf(text(), 'Its settings, of which time-zone can be set only here'),
    }),
  },
  { $id: 'NewTenant' },
);
export const TenantChanges = object(
  optional({
    settings: mapOf(
      Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      "Values by the names of settings; null: the server's default",
    ),
    status: oneOf(['active', 'disabled'], 'A disabled tenant is answered as one that does not exist'),
    display: textOrNull('Name for people; null: its name'),
  }),
  { $id: 'TenantChanges' },
);
export const DescribedTenant = object(
  {
    ...TENANT,
    settings: mapOf(text(), 'Values in force by the names of settings'),
    own: texts('Names of the settings that the tenant has set'),
    usage: object({
      resources: count('Resources that are not deleted'),
      bytes: count('Bytes of the texts of all versions'),
    }),
  },
  { $id: 'DescribedTenant' },
);
export const TenantRemoval = object(
  {
    name: text(),
    isComplete: flag('False: there is more to remove; send the request again'),
    tables: listOf(object({ table: text(), removed: count(), left: count() })),
    processes: count('Server processes that have cleared their caches'),
    silentProcesses: count(),
    cachedTexts: Type.Optional(count('Without it, Redis could not be reached')),
  },
  { $id: 'TenantRemoval' },
);
export const TenantImport = object(
  {
    name: text(),
    versions: count(),
    resources: count(),
    subscriptionsOff: count(),
    subscriptionsKept: count(),
  },
  { $id: 'TenantImport' },
);
export const SettingList = object(
  {
    mail: flag('True: invitations can be sent by mail, because SMTP_URL is set'),
    settings: listOf(
      object({
        name: text(),
        default: text('The value of tenants that do not set it, on this server'),
        meaning: text(),
        fixed: flag('True: it can be set only when a tenant is made'),
        operator: flag('True: the operator of the server sets it; administrators of the tenant do not'),
        ...optional({
          values: texts('The allowed values'),
          expects: text('What it takes, where there is no list of values'),
          defaultFrom: text('The setting of the server that is the default'),
        }),
      }),
    ),
  },
  { $id: 'SettingList' },
);

const JWKS = Type.Object({ keys: listOf(Type.Unsafe<Record<string, unknown>>({ type: 'object' })) });
const CLIENT = {
  name: DISPLAY,
  disabled: flag('True: it is refused'),
  scopes: texts('SMART scopes that its tokens can have'),
  policies: texts('Names of policies of the tenant'),
  administrator: flag('It administers its tenant; one of the tenant system the server'),
  auditor: flag('It may read AuditEvents'),
  jwks: Type.Union([JWKS, Type.Null()], {
    description: 'Its public keys',
    expects: 'a JSON Web Key Set, {"keys":[…]}, or null',
  }),
  jwksUrl: textOrNull('Address of its public keys'),
  redirectUris: texts('Where its users return after they signed in'),
  public: flag('True: it can keep no secret, such as an app in a browser'),
  idTokenAlgorithm: oneOf(ID_TOKEN_ALGORITHMS, 'Signature algorithm of its ID tokens'),
};
const EXPIRES = { expires: Type.Optional(instant('Without it, the secret does not expire')) };
const ANSWERED_CLIENT = {
  ...{ id: text(), created: instant(), ...CLIENT },
  secrets: listOf(object({ id: text(), created: instant(), ...EXPIRES }), 'Without the secrets themselves'),
  warnings: texts('Sentences about scopes that grant nothing, and policies that do not exist'),
};
export const NewSecret = object(
  { id: text(), secret: text('The secret; no other answer has it'), ...EXPIRES },
  { $id: 'NewSecret' },
);
export const SecretRequest = object(EXPIRES, { $id: 'SecretRequest' });
export const Client = object(ANSWERED_CLIENT, { $id: 'Client' });
export const ClientList = object({ clients: listOf(Client) }, { $id: 'ClientList' });
export const ClientChanges = object(optional(CLIENT), { $id: 'ClientChanges' });
export const NewClient = object(
  optional({ ...CLIENT, withSecret: flag('Makes a secret; default: unless it has keys or is public') }),
  { $id: 'NewClient' },
);
export const MadeClient = object(
  { ...ANSWERED_CLIENT, secret: Type.Optional(NewSecret) },
  { $id: 'MadeClient' },
);

const USER_NAME = { name: text('Name to sign in with') };
const USER_DETAILS = {
  display: DISPLAY,
  disabled: flag('True: the user cannot sign in'),
  release: releaseScope('The release of fhirUser and patient'),
  fhirUser: textOrNull("Reference to the user's resource, such as Practitioner/1"),
  patient: textOrNull("Id of the Patient whose record is the user's own"),
  administrator: flag('An administrator of the tenant; one of the tenant system of the server'),
  auditor: flag('The user may read AuditEvents'),
};
const PASSWORD = { password: Type.String({ minLength: 12, maxLength: 200, writeOnly: true }) };
export const User = object(
  {
    ...{ id: text(), created: instant(), ...USER_NAME, ...USER_DETAILS },
    secondFactor: flag('True: the user signs in with a second factor'),
    invited: Type.Optional(instant('When the link ends that the person has not used')),
  },
  { $id: 'User' },
);
export const InvitationRequest = object(
  optional({
    email: text('Where the link is sent, if a mail server is set; the answer does not have it then'),
  }),
  { $id: 'InvitationRequest' },
);
export const Invitation = object(
  {
    expires: instant(),
    ...optional({
      link: text('Address for the person alone; without it, it was sent by mail'),
      problem: text('Why the mail was not sent'),
    }),
  },
  { $id: 'Invitation' },
);
export const UserList = object({ users: listOf(User) }, { $id: 'UserList' });
export const UserChanges = object(optional({ ...USER_NAME, ...USER_DETAILS, ...PASSWORD }), {
  $id: 'UserChanges',
});
export const NewUser = object(
  { ...USER_NAME, ...optional({ ...PASSWORD, ...USER_DETAILS }) },
  { $id: 'NewUser' },
);

const ISSUER = {
  issuer: text('iss of its tokens'),
  client: text('Id of the client whose rights are the most that its tokens have'),
  audience: text('aud of its tokens'),
  jwksUrl: text('Address of its public keys'),
};
const CLAIMS = {
  release: releaseScope('The release of the ids in its tokens'),
  scopeClaim: text('Claim with the scopes; default scope'),
  userClaim: text('Claim with a reference to the user; default fhirUser'),
  patientClaim: text('Claim with the id of the Patient in context; default patient'),
};
export const Issuer = object(
  {
    ...ISSUER,
    ...CLAIMS,
    scopeMap: Type.Union([mapOf(texts()), Type.Null()], { description: 'null: the values are scopes' }),
  },
  { $id: 'Issuer' },
);
export const IssuerList = object({ issuers: listOf(Issuer) }, { $id: 'IssuerList' });
export const NewIssuer = object(
  {
    ...ISSUER,
    ...optional({
      ...CLAIMS,
      scopeMap: mapOf(texts(), 'Scopes by the values of the claim', 'an object of lists of scopes'),
    }),
  },
  { $id: 'NewIssuer' },
);
export const KeyRequest = object(optional({ revoke: flag('True: tokens that older keys have signed end') }), {
  $id: 'KeyRequest',
});
export const KeyList = object({ keys: texts('Ids of the new keys, which sign at once') }, { $id: 'KeyList' });

const POLICY = {
  rules: listOf(
    object({
      types: texts('Resource types; * for all'),
      interactions: text('Some of cruds, in this order'),
      criteria: Type.Optional(texts('Searches; a resource must meet one of them')),
    }),
  ),
  ...optional({
    operations: texts('Codes of operations; without it all'),
    hidden: texts('Elements that are removed from answers, such as Patient.telecom'),
    readOnly: texts('Elements that cannot be changed'),
  }),
};
export const Policy = object(POLICY, { $id: 'Policy' });
export const PolicyList = object(
  { policies: listOf(object({ name: text(), ...POLICY })) },
  { $id: 'PolicyList' },
);
