/** The JSON of administration as JSON Schemas, which its OpenAPI document has as components. */
import type { Json } from './components';

type Properties = Readonly<Record<string, Json>>;

/** An object without other members than these. */
function object(required: Properties, optional: Properties = {}, description?: string): Json {
  return {
    ...(description === undefined ? {} : { description }),
    type: 'object',
    properties: { ...required, ...optional },
    ...(Object.keys(required).length === 0 ? {} : { required: Object.keys(required) }),
    additionalProperties: false,
  };
}

export function schema(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

const described = (kind: Json, description: string): Json => ({ ...kind, description });
const listOf = (items: Json): Json => ({ type: 'array', items });
const orNull = (type: string, description: string): Json => ({ type: [type, 'null'], description });
const oneOf = (values: readonly string[], description: string): Json => ({
  ...{ type: 'string', enum: values, description },
});
/** A property that requests and answers have alike. */
const TEXT: Json = { type: 'string' };
const FLAG: Json = { type: 'boolean' };
const COUNT: Json = { type: 'integer', minimum: 0 };
const INSTANT: Json = { type: 'string', format: 'date-time' };
const WORDS = listOf(TEXT);
const RELEASE = oneOf(['r4', 'r4b'], 'FHIR release');
const RELEASE_SCOPE = oneOf(['r4', 'r4b', 'both'], 'The release of the ids in its tokens');

const TENANT: Properties = {
  name: { ...TEXT, description: 'Part of all addresses; it never changes', pattern: '^[a-z0-9-]{1,63}$' },
  display: described(TEXT, 'Name for people'),
  status: oneOf(['active', 'disabled', 'importing', 'deleting'], 'Only active tenants are served'),
  created: INSTANT,
};
const SETTINGS = described({ type: 'object', additionalProperties: TEXT }, 'Values by the names of settings');

const JWKS: Json = { type: 'object', properties: { keys: listOf({ type: 'object' }) }, required: ['keys'] };
const CLIENT: Properties = {
  name: described(TEXT, 'Name for people'),
  disabled: described(FLAG, 'True: it is refused'),
  scopes: described(WORDS, 'SMART scopes that its tokens can have'),
  policies: described(WORDS, 'Names of policies of the tenant'),
  administrator: described(FLAG, 'It administers its tenant; one of the tenant system the server'),
  auditor: described(FLAG, 'It may read AuditEvents'),
  jwks: { anyOf: [JWKS, { type: 'null' }], description: 'Its public keys' },
  jwksUrl: orNull('string', 'Address of its public keys'),
  redirectUris: described(WORDS, 'Where its users return after they signed in'),
  public: described(FLAG, 'True: it can keep no secret, such as an app in a browser'),
  idTokenAlgorithm: oneOf(['RS256', 'ES256'], 'Signature algorithm of its ID tokens'),
};
const SECRET: Properties = { id: TEXT, created: INSTANT };
const EXPIRES: Properties = { expires: described(INSTANT, 'Without it, the secret does not expire') };
const NEW_SECRET = object(
  { id: TEXT, secret: described(TEXT, 'The secret; no other answer has it') },
  EXPIRES,
);
const ANSWERED_CLIENT: Properties = {
  ...{ id: TEXT, created: INSTANT, ...CLIENT },
  secrets: described(listOf(object(SECRET, EXPIRES)), 'Without the secrets themselves'),
};

const USER: Properties = {
  name: described(TEXT, 'Name to sign in with'),
  display: described(TEXT, 'Name for people'),
  disabled: described(FLAG, 'True: the user cannot sign in'),
  release: oneOf(['r4', 'r4b', 'both'], 'The release of fhirUser and patient'),
  fhirUser: orNull('string', "Reference to the user's resource, such as Practitioner/1"),
  patient: orNull('string', "Id of the Patient whose record is the user's own"),
  administrator: described(FLAG, 'An administrator of the tenant; one of the tenant system of the server'),
  auditor: described(FLAG, 'The user may read AuditEvents'),
};
const PASSWORD: Properties = { password: { ...TEXT, minLength: 12, maxLength: 200, writeOnly: true } };

const ISSUER: Properties = {
  issuer: described(TEXT, 'iss of its tokens'),
  client: described(TEXT, 'Id of the client whose rights are the most that its tokens have'),
  audience: described(TEXT, 'aud of its tokens'),
  jwksUrl: described(TEXT, 'Address of its public keys'),
};
const CLAIMS: Properties = {
  release: RELEASE_SCOPE,
  scopeClaim: described(TEXT, 'Claim with the scopes; default scope'),
  userClaim: described(TEXT, 'Claim with a reference to the user; default fhirUser'),
  patientClaim: described(TEXT, 'Claim with the id of the Patient in context; default patient'),
};
const SCOPE_MAP: Json = { type: 'object', additionalProperties: WORDS };

const RULE = object(
  {
    types: described(WORDS, 'Resource types; * for all'),
    interactions: described(TEXT, 'Some of cruds, in this order'),
  },
  { criteria: described(WORDS, 'Searches; a resource must meet one of them') },
);
const POLICY: Properties = {
  operations: described(WORDS, 'Codes of operations; without it all'),
  hidden: described(WORDS, 'Elements that are removed from answers, such as Patient.telecom'),
  readOnly: described(WORDS, 'Elements that cannot be changed'),
};

const FILES = listOf(object({ file: TEXT, reason: TEXT }));
const IMPORTED = object(
  {
    ...{ name: TEXT, version: TEXT, tenant: TEXT, release: RELEASE },
    ...{ stored: COUNT, unchanged: COUNT },
    types: listOf(object({ type: TEXT, stored: COUNT, unchanged: COUNT })),
    snapshots: described(COUNT, 'StructureDefinitions that got a snapshot'),
    examplesLeftOut: COUNT,
    missing: described(
      listOf(object({ name: TEXT, version: TEXT, present: WORDS })),
      'Packages that it needs and the tenant does not have, with the versions that it has',
    ),
    withoutSnapshot: FILES,
    renamed: described(FILES, 'Files stored under another id than in the package'),
    replaced: FILES,
    switchedOff: described(FILES, 'Subscriptions stored as off'),
    warned: described(FILES, 'Files stored with a warning'),
    refused: described(FILES, 'Files that were not stored'),
    notListed: described(COUNT, 'Further files: 500 are listed in all'),
  },
  { requested: described(TEXT, 'What stood for the version, such as latest') },
);
const DIFFERENCE = object({
  ...{ tenant: orNull('string', 'null for base resources'), release: RELEASE, type: TEXT, id: TEXT },
  ...{ table: TEXT, missing: WORDS, superfluous: WORDS },
});

/** A job of one kind. */
function job(kind: string, parts: Readonly<Record<'request' | 'progress' | 'result', Json>>): Json {
  return object(
    {
      id: TEXT,
      kind: { type: 'string', const: kind },
      state: oneOf(['queued', 'running', 'done', 'failed', 'cancelled'], 'The last three are ends'),
      cancelling: described(FLAG, 'True: it was cancelled, and runs for some moments longer'),
      request: described(parts.request, 'What was asked for'),
      created: INSTANT,
    },
    {
      progress: described(parts.progress, 'The last report of a job that has begun'),
      result: described(parts.result, 'Of a job that is done'),
      failure: described(TEXT, 'Why it failed'),
      started: INSTANT,
      ended: INSTANT,
    },
  );
}

const IMPORT_OPTIONS: Properties = {
  release: described(RELEASE, 'By default that of the package'),
  examples: described(FLAG, 'Also the examples of the package'),
  dependencies: described(FLAG, 'First the packages that it needs, from PACKAGE_REGISTRY'),
};

export const ADMINISTRATION_SCHEMAS: Properties = {
  OperationOutcome: {
    description: 'What is wrong (https://hl7.org/fhir/R4/operationoutcome.html)',
    type: 'object',
    properties: {
      resourceType: { type: 'string', const: 'OperationOutcome' },
      issue: listOf({
        type: 'object',
        properties: { severity: TEXT, code: TEXT, diagnostics: TEXT, expression: WORDS },
        required: ['severity', 'code'],
      }),
    },
    required: ['resourceType', 'issue'],
  },
  Removed: object({ removed: described(TEXT, 'Its id or name') }),
  Tenant: object(TENANT),
  TenantList: object(
    { tenants: listOf(schema('Tenant')) },
    { next: described(TEXT, 'There are more: the value of after for the next request') },
  ),
  NewTenant: object(
    { name: TENANT['name'] ?? TEXT },
    {
      display: TENANT['display'] ?? TEXT,
      settings: described(SETTINGS, 'Its settings, of which time-zone can be set only here'),
    },
  ),
  TenantChanges: object(
    {},
    {
      settings: {
        type: 'object',
        additionalProperties: { type: ['string', 'null'] },
        description: "Values by the names of settings; null: the server's default",
      },
      status: oneOf(['active', 'disabled'], 'A disabled tenant is answered as one that does not exist'),
      display: orNull('string', 'Name for people; null: its name'),
    },
  ),
  DescribedTenant: object({
    ...TENANT,
    settings: described(SETTINGS, 'Values in force by the names of settings'),
    own: described(WORDS, 'Names of the settings that the tenant has set'),
    usage: object({
      resources: described(COUNT, 'Resources that are not deleted'),
      bytes: described(COUNT, 'Bytes of the texts of all versions'),
    }),
  }),
  TenantRemoval: object(
    {
      name: TEXT,
      isComplete: described(FLAG, 'False: there is more to remove; send the request again'),
      tables: listOf(object({ table: TEXT, removed: COUNT, left: COUNT })),
      processes: described(COUNT, 'Server processes that have cleared their caches'),
      silentProcesses: COUNT,
    },
    { cachedTexts: described(COUNT, 'Without it, Redis could not be reached') },
  ),
  TenantImport: object({
    ...{ name: TEXT, versions: COUNT, resources: COUNT },
    ...{ subscriptionsOff: COUNT, subscriptionsKept: COUNT },
  }),
  SettingList: object({
    settings: listOf(
      object(
        {
          name: TEXT,
          default: described(TEXT, 'The value of tenants that do not set it, on this server'),
          meaning: TEXT,
          fixed: described(FLAG, 'True: it can be set only when a tenant is made'),
        },
        {
          values: described(WORDS, 'The allowed values'),
          expects: described(TEXT, 'What it takes, where there is no list of values'),
          defaultFrom: described(TEXT, 'The setting of the server that is the default'),
        },
      ),
    ),
  }),
  Client: object(ANSWERED_CLIENT),
  ClientList: object({ clients: listOf(schema('Client')) }),
  ClientChanges: object({}, CLIENT),
  NewClient: object(
    {},
    {
      ...CLIENT,
      withSecret: described(FLAG, 'Makes a secret; default: unless it has keys or is public'),
    },
  ),
  MadeClient: object(ANSWERED_CLIENT, { secret: schema('NewSecret') }),
  NewSecret: NEW_SECRET,
  SecretRequest: object({}, EXPIRES),
  User: object({ id: TEXT, created: INSTANT, ...USER }),
  UserList: object({ users: listOf(schema('User')) }),
  UserChanges: object({}, { ...USER, ...PASSWORD }),
  NewUser: object(
    { name: USER['name'] ?? TEXT, ...PASSWORD },
    Object.fromEntries(Object.entries(USER).filter(([name]) => name !== 'name')),
  ),
  Issuer: object({
    ...ISSUER,
    ...CLAIMS,
    scopeMap: { anyOf: [SCOPE_MAP, { type: 'null' }], description: 'null: the values are scopes' },
  }),
  IssuerList: object({ issuers: listOf(schema('Issuer')) }),
  NewIssuer: object(ISSUER, {
    ...CLAIMS,
    scopeMap: described(SCOPE_MAP, 'Scopes by the values of the claim'),
  }),
  KeyRequest: object({}, { revoke: described(FLAG, 'True: tokens that older keys have signed end') }),
  KeyList: object({ keys: described(WORDS, 'Ids of the new keys, which sign at once') }),
  Policy: object({ rules: listOf(RULE) }, POLICY),
  PolicyList: object({ policies: listOf(object({ name: TEXT, rules: listOf(RULE) }, POLICY)) }),
  PackageRequest: object({ package: described(TEXT, 'NAME@VERSION, of PACKAGE_REGISTRY') }, IMPORT_OPTIONS),
  PackageList: object({
    packages: listOf(
      object(
        { release: RELEASE, name: TEXT, version: TEXT, imported: INSTANT },
        { resources: described(COUNT, 'Its stored resources; without it, they were not counted') },
      ),
    ),
  }),
  ReindexRequest: object({}, { release: described(RELEASE, 'By default both') }),
  ImportJob: job('import-package', {
    request: object(
      {},
      {
        package: TEXT,
        bytes: described(COUNT, 'Of the file that was sent'),
        ...IMPORT_OPTIONS,
      },
    ),
    progress: object(
      {
        package: described(TEXT, 'NAME@VERSION of the package that it imports now'),
        packages: described(COUNT, 'Packages that are finished'),
        ...{ resources: COUNT, stored: COUNT, unchanged: COUNT, refused: COUNT },
      },
      {
        resolved: described(
          listOf(object({ package: TEXT, version: TEXT })),
          'The version that each NAME@latest or NAME@2.0.x is in this job, also after a restart',
        ),
      },
    ),
    result: object({
      packages: listOf(IMPORTED),
      leftOut: described(
        listOf(object({ package: TEXT, reason: TEXT })),
        'Needed packages that could not be imported',
      ),
    }),
  }),
  ReindexJob: job('reindex', {
    request: object({}, { release: RELEASE }),
    progress: object({ release: RELEASE, resources: COUNT, compared: COUNT, repaired: COUNT }),
    result: object({
      compared: COUNT,
      repaired: described(COUNT, 'Repaired resources'),
      added: described(COUNT, 'Added index rows'),
      removed: described(COUNT, 'Removed index rows'),
      count: described(COUNT, 'Missing versions or heads, which only a backup restores'),
      losses: described(listOf(DIFFERENCE), 'The first 100 of them'),
    }),
  }),
  Job: {
    oneOf: [schema('ImportJob'), schema('ReindexJob')],
    discriminator: {
      propertyName: 'kind',
      mapping: {
        'import-package': '#/components/schemas/ImportJob',
        reindex: '#/components/schemas/ReindexJob',
      },
    },
  },
  JobList: object({ jobs: listOf(schema('Job')) }),
};
