/** ClientApplications of a tenant and their credentials (docs/run/access.md). */
import { sql } from 'kysely';
import type { Space } from '../../context';
import type { Database, DatabaseOptions, Row } from '../connection/database';
import { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';
import { changeAccounts, type AdministeredTenant } from './administrators';
import { useOnce } from './used-values';

/** A key set of RFC 7517, public keys only. */
export interface JsonWebKeys {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** The properties of a client that can be set. */
export interface ClientDetails {
  readonly name: string;
  readonly isDisabled: boolean;
  /** SMART scopes that its tokens can have. */
  readonly scopes: readonly string[];
  /** Names of policies of the tenant. */
  readonly policies: readonly string[];
  readonly isAdministrator: boolean;
  readonly isAuditor: boolean;
  /** Its public keys, or their URL: at most one of the two. */
  readonly jwks: JsonWebKeys | null;
  readonly jwksUrl: string | null;
  /** Redirect URIs of the authorization code flow; with at least one, users can sign in for this client. */
  readonly redirectUris: readonly string[];
  /** True if it cannot keep a secret, such as an app in a browser: users sign in for it with PKCE alone. */
  readonly isPublic: boolean;
  /** The signature algorithm of its ID tokens. */
  readonly idTokenAlgorithm: IdTokenAlgorithm;
}

export const ID_TOKEN_ALGORITHMS = ['RS256', 'ES256'] as const;
export type IdTokenAlgorithm = (typeof ID_TOKEN_ALGORITHMS)[number];

export interface StoredSecret {
  readonly id: string;
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Undefined: never. */
  readonly expires?: number;
}

/** A secret to be stored. */
export type NewStoredSecret = Omit<StoredSecret, 'created'>;

export interface StoredClient extends ClientDetails {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Expired ones included. */
  readonly secrets: readonly StoredSecret[];
}

const COLUMNS = sql`
  c.id, c.name, floor(extract(epoch from c.created) * 1000)::bigint, c.disabled, c.scopes, c.policies,
  c.administrator, c.auditor, c.jwks, c.jwks_url, c.redirect_uris, c.public, c.id_token_algorithm,
  (select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'hash', s.hash,
            'created', floor(extract(epoch from s.created) * 1000),
            'expires', floor(extract(epoch from s.expires) * 1000)) order by s.created), '[]')
   from andiron.client_secret s where s.tenant = ${bind('tenant')}::int and s.client = c.id)`;

const FIND = defineStatement(
  template(sql`
    select ${COLUMNS} from andiron.client_application c
    where c.tenant = ${bind('tenant')}::int and c.id = ${bind('id')} limit 1`),
);
const LIST = defineStatement(
  template(sql`
    select ${COLUMNS} from andiron.client_application c
    where c.tenant = ${bind('tenant')}::int order by c.created, c.id limit ${bind('limit')}::int`),
);
const CREATE = defineStatement(
  template(sql`
    insert into andiron.client_application (tenant, id, name, disabled, scopes, policies, administrator, auditor, jwks,
      jwks_url, redirect_uris, public, id_token_algorithm)
    select ${bind('tenant')}::int, ${bind('id')}, ${bind('name')}, ${bind('disabled')}::boolean,
      ${bind('scopes')}::text[], ${bind('policies')}::text[], ${bind('administrator')}::boolean,
      ${bind('auditor')}::boolean, ${bind('jwks')}::jsonb, ${bind('jwksUrl')}::text, ${bind('redirectUris')}::text[],
      ${bind('public')}::boolean, ${bind('idTokenAlgorithm')}
    where (select count(*) from andiron.client_application c where c.tenant = ${bind('tenant')}::int)
      < ${bind('most')}::int
    on conflict do nothing
    returning id`),
  { named: false },
);
const CHANGE = defineStatement(
  template(sql`
    update andiron.client_application set name = ${bind('name')}, disabled = ${bind('disabled')}::boolean,
      scopes = ${bind('scopes')}::text[], policies = ${bind('policies')}::text[],
      administrator = ${bind('administrator')}::boolean, auditor = ${bind('auditor')}::boolean,
      jwks = ${bind('jwks')}::jsonb, jwks_url = ${bind('jwksUrl')}::text, redirect_uris = ${bind('redirectUris')}::text[],
      public = ${bind('public')}::boolean, id_token_algorithm = ${bind('idTokenAlgorithm')}
    where tenant = ${bind('tenant')}::int and id = ${bind('id')} returning id`),
  { named: false },
);
const ADD_SECRET = defineStatement(
  template(sql`
    insert into andiron.client_secret (tenant, client, id, hash, expires)
    select ${bind('tenant')}::int, ${bind('client')}, ${bind('id')}, ${bind('hash')},
      case when ${bind('expires')}::float8 is null then null
           else to_timestamp(${bind('expires')}::float8 / 1000) end
    where (select count(*) from andiron.client_secret s
           where s.tenant = ${bind('tenant')}::int and s.client = ${bind('client')}) < ${bind('most')}::int
    returning id`),
  { named: false },
);
const REMOVE_SECRET = defineStatement(
  template(sql`
    delete from andiron.client_secret
    where tenant = ${bind('tenant')}::int and client = ${bind('client')} and id = ${bind('id')} returning id`),
  { named: false },
);
/** Clients of one tenant. */
const MAX_CLIENTS = 10_000;
/** Secrets of one client: enough for a rotation, and for some unused ones. */
export const MAX_SECRETS = 10;

/** Identifies a tenant; `number` is any of its spaces, whose row-level security applies to reads. */
export type TenantReference = Pick<Space, 'number' | 'tenantNumber'>;

/** Stores clients. Reads run as the application role, changes as the owner on a connection of their own. */
export class ClientStore {
  constructor(
    private readonly database: Database,
    private readonly owner: DatabaseOptions,
  ) {}

  async find(space: TenantReference, id: string): Promise<StoredClient | undefined> {
    const [row] = await this.database.run({ lane: 'search', space: space.number }, FIND, {
      tenant: space.tenantNumber,
      id,
    });
    return row === undefined ? undefined : toClient(row);
  }

  /** All clients, oldest first. */
  async list(space: TenantReference): Promise<StoredClient[]> {
    const bound = { tenant: space.tenantNumber, limit: MAX_CLIENTS + 1 };
    return (await this.database.run({ lane: 'search', space: space.number }, LIST, bound)).map(toClient);
  }

  /** Creates a client with its first secret, or neither. False: the id exists, or the tenant is at the limit. */
  async create(
    { tenantNumber: tenant }: TenantReference,
    id: string,
    details: ClientDetails,
    secret?: NewStoredSecret,
  ): Promise<boolean> {
    return OwnerSession.inTransaction(this.owner, async (session) => {
      const bound = { ...toBound(details), tenant, id, most: MAX_CLIENTS };
      const isMade = (await session.run(CREATE, bound)).length > 0;
      if (isMade && secret !== undefined) await session.run(ADD_SECRET, toSecretBound(tenant, id, secret));
      return isMade;
    });
  }

  /** Creates a client of the program, beyond the limit of the tenant. False: it exists. */
  async createBuiltIn(
    { tenantNumber }: TenantReference,
    id: string,
    details: ClientDetails,
  ): Promise<boolean> {
    return this.change(CREATE, { ...toBound(details), tenant: tenantNumber, id, most: MAX_CLIENTS + 1 });
  }

  /**
   * Changes a client as `decide` says, which gets it as it is when no other change is under way. Undefined: it does not
   * exist. Throws `lastAdministrator`.
   */
  async update(
    of: AdministeredTenant,
    id: string,
    decide: (before: StoredClient) => ClientDetails,
  ): Promise<StoredClient | undefined> {
    return changeAccounts(this.owner, of, async (session) => {
      const before = await this.find(of, id);
      if (before === undefined) return undefined;
      const details = decide(before);
      const changed = await session.run(CHANGE, { ...toBound(details), tenant: of.tenantNumber, id });
      return changed.length === 0 ? undefined : { ...before, ...details };
    });
  }

  /** False: the client has MAX_SECRETS secrets. */
  async addSecret(
    { tenantNumber }: TenantReference,
    client: string,
    secret: NewStoredSecret,
  ): Promise<boolean> {
    return this.change(ADD_SECRET, toSecretBound(tenantNumber, client, secret));
  }

  /** False: the secret does not exist. Throws `lastAdministrator`. */
  async removeSecret(of: AdministeredTenant, client: string, id: string): Promise<boolean> {
    const bound = { tenant: of.tenantNumber, client, id };
    return changeAccounts(
      this.owner,
      of,
      async (session) => (await session.run(REMOVE_SECRET, bound)).length > 0,
    );
  }

  /** Returns true once for each hash until `expires` (milliseconds since 1970), across all processes. */
  async useAssertion(space: TenantReference, hash: Buffer, expires: number): Promise<boolean> {
    return useOnce(this.database, space.number, { hash, expires });
  }

  private change(...of: Parameters<OwnerSession['run']>): Promise<boolean> {
    return OwnerSession.inTransaction(this.owner, async (session) => (await session.run(...of)).length > 0);
  }
}

function toSecretBound(tenant: number, client: string, { id, hash, expires }: NewStoredSecret) {
  return { tenant, client, id, hash, expires: expires ?? null, most: MAX_SECRETS };
}

function toBound(details: ClientDetails) {
  return {
    name: details.name,
    disabled: details.isDisabled,
    scopes: details.scopes,
    policies: details.policies,
    administrator: details.isAdministrator,
    auditor: details.isAuditor,
    jwks: details.jwks === null ? null : JSON.stringify(details.jwks),
    jwksUrl: details.jwksUrl,
    redirectUris: details.redirectUris,
    public: details.isPublic,
    idTokenAlgorithm: details.idTokenAlgorithm,
  };
}

interface SecretRow {
  readonly id: string;
  readonly hash: string;
  readonly created: number;
  readonly expires: number | null;
}

function toClient(row: Row): StoredClient {
  const [
    id,
    name,
    created,
    isDisabled,
    scopes,
    policies,
    isAdministrator,
    isAuditor,
    jwks,
    jwksUrl,
    uris,
    isPublic,
    idTokenAlgorithm,
    secrets,
  ] = row as [
    string,
    string,
    number,
    boolean,
    string[],
    string[],
    boolean,
    boolean,
    JsonWebKeys | null,
    string | null,
    string[],
    boolean,
    IdTokenAlgorithm,
    SecretRow[],
  ];
  return {
    id,
    name,
    created,
    isDisabled,
    scopes,
    policies,
    isAdministrator,
    isAuditor,
    jwks,
    jwksUrl,
    redirectUris: uris,
    isPublic,
    idTokenAlgorithm,
    secrets: secrets.map(({ expires, ...secret }) => ({
      ...secret,
      ...(expires === null ? {} : { expires }),
    })),
  };
}
