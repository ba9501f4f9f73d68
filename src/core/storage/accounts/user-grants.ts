/**
 * The grants that users have given to clients, and the sessions of signed-in users. Cookies, codes and tokens come as
 * hashes. Each insertion deletes some expired rows.
 */
import { sql, type RawBuilder } from 'kysely';
import type { TenantSpace } from '../../context';
import type { Release } from '../../fhir/release';
import type { TenantReference } from './client-applications';
import type { Database, Row } from '../connection/database';
import { bind, defineStatement, template, type Bound, type Statement } from '../connection/statement';
import { toFamily, useToken, type RefreshFamily } from './refresh-family';

/** A browser session of a signed-in user. */
export interface UserSession {
  /** Id of the account. */
  readonly account: string;
  /** Milliseconds since 1970. */
  readonly began: number;
}

/** The launch context of an app's window, as the EHR states it. */
export interface LaunchedWindow {
  /** True if the app must show whose record it is about; null: it must. */
  readonly needPatientBanner: boolean | null;
  /** Address of the EHR's style; null: that of this server. */
  readonly smartStyleUrl: string | null;
}

/** The context that an EHR gives an app that it launches. */
export interface LaunchContext extends LaunchedWindow {
  readonly client: string;
  readonly release: Release;
  readonly patient: string | null;
  readonly encounter: string | null;
}

/** One consent: the permissions of a client on behalf of a user. */
export interface UserGrant extends LaunchedWindow {
  readonly id: string;
  readonly client: string;
  /** Id of the account. */
  readonly account: string;
  /** The release of the data. */
  readonly release: Release;
  readonly scopes: readonly string[];
  /** Relative reference to the signed-in user. */
  readonly fhirUser: string | null;
  readonly patient: string | null;
  readonly encounter: string | null;
  /** For the ID token. */
  readonly nonce: string | null;
  readonly redirectUri: string;
  /** When the user signed in; milliseconds since 1970. */
  readonly signedIn: number;
  readonly codeChallenge: string;
}

/** The account of a valid grant, and its rights now. */
export interface GrantHolder {
  /** Id of the account. */
  readonly account: string;
  readonly isAdministrator: boolean;
  readonly isAuditor: boolean;
}

/** A grant that was revoked because a refresh token of it was used again. */
export type EndedGrant = Pick<UserGrant, 'account' | 'fhirUser' | 'release'>;

export interface NewGrant extends UserGrant {
  readonly code: Buffer;
  readonly codeSeconds: number;
  /** Lifetime of its tokens after the code was used. */
  readonly seconds: number;
  /** The session with which it ends; null: it outlives the session. */
  readonly session: Buffer | null;
}

/** Two hashes of a refresh token: of the part that its family shares, and of the whole token. */
export interface RefreshHashes {
  readonly family: Buffer;
  readonly token: Buffer;
}

/** The column of each member of a grant. */
const GRANT: { readonly [Name in keyof UserGrant]: RawBuilder<UserGrant[Name]> } = {
  id: sql`g.id`,
  client: sql`g.client`,
  account: sql`g.account`,
  release: sql`g.release`,
  scopes: sql`g.scopes`,
  fhirUser: sql`g.fhir_user`,
  patient: sql`g.patient`,
  encounter: sql`g.encounter`,
  nonce: sql`g.nonce`,
  redirectUri: sql`g.redirect_uri`,
  signedIn: sql`floor(extract(epoch from g.signed_in) * 1000)::bigint`,
  codeChallenge: sql`g.code_challenge`,
  needPatientBanner: sql`g.need_patient_banner`,
  smartStyleUrl: sql`g.smart_style_url`,
};
const COLUMNS = sql.join(Object.values(GRANT));

/** A tenant, with its rule about second factors. */
export type GrantSpace = TenantReference & {
  readonly settings: Pick<TenantSpace['settings'], 'secondFactor'>;
};

/** Where the tenant requires a second factor, an account without one has no sign-in that counts. */
const hasFactor = (of: 's' | 'g') => sql`
  (not ${bind('required')}::boolean or exists (
    select 1 from andiron.second_factor f
    where f.tenant = ${bind('tenant')}::int and f.account = ${sql.ref(`${of}.account`)}))`;

/**
 * True for a valid grant: neither revoked nor expired, of an enabled account with the factors that the tenant requires, and its
 * session, if any, still exists.
 */
const STANDS = sql`
  ${hasFactor('g')} and
  not g.revoked and g.expires > now()
  and exists (select 1 from andiron.user_account a where a.tenant = ${bind('tenant')}::int and a.id = g.account and not a.disabled)
  and (g.session is null or exists (
    select 1 from andiron.user_session s where s.tenant = ${bind('tenant')}::int and s.hash = g.session and s.expires > now()))`;

const expired = (table: string, key: string) => sql`
  delete from ${sql.table(`andiron.${table}`)} t where t.tenant = ${bind('tenant')}::int and t.${sql.id(key)} in (
    select o.${sql.id(key)} from ${sql.table(`andiron.${table}`)} o
    where o.tenant = ${bind('tenant')}::int and o.expires < now() order by o.expires limit 100 for update skip locked)`;

const ADD_SESSION = defineStatement(
  template(sql`
    with gone as (${expired('user_session', 'hash')})
    insert into andiron.user_session (tenant, hash, account, expires)
    values (${bind('tenant')}::int, ${bind('hash')}::bytea, ${bind('account')},
      now() + ${bind('seconds')}::float8 * interval '1 second')`),
);
const FIND_SESSION = defineStatement(
  template(sql`
    select s.account, floor(extract(epoch from s.began) * 1000)::bigint from andiron.user_session s
    join andiron.user_account a on a.tenant = ${bind('tenant')}::int and a.id = s.account and not a.disabled
    where s.tenant = ${bind('tenant')}::int and s.hash = ${bind('hash')}::bytea and s.expires > now()
      and ${hasFactor('s')} limit 1`),
);
const END_SESSION = defineStatement(
  template(sql`
    with ended as (
      update andiron.user_grant g set revoked = true
      where g.tenant = ${bind('tenant')}::int and g.session = ${bind('hash')}::bytea
    )
    delete from andiron.user_session s where s.tenant = ${bind('tenant')}::int and s.hash = ${bind('hash')}::bytea`),
);
const ADD_LAUNCH = defineStatement(
  template(sql`
    with gone as (${expired('launch_context', 'hash')})
    insert into andiron.launch_context (tenant, hash, client, release, patient, encounter, need_patient_banner,
      smart_style_url, expires)
    select c.tenant, ${bind('hash')}::bytea, c.id, ${bind('release')}, ${bind('patient')}::text,
      ${bind('encounter')}::text, ${bind('needPatientBanner')}::boolean, ${bind('smartStyleUrl')}::text, now() + ${bind('seconds')}::float8 * interval '1 second'
    from andiron.client_application c
    where c.tenant = ${bind('tenant')}::int and c.id = ${bind('client')} and not c.disabled
    returning true`),
);
const FIND_LAUNCH = defineStatement(
  template(sql`
    select l.client, l.release, l.patient, l.encounter, l.need_patient_banner, l.smart_style_url from andiron.launch_context l
    where l.tenant = ${bind('tenant')}::int and l.hash = ${bind('hash')}::bytea and l.expires > now() limit 1`),
);
const USE_LAUNCH = defineStatement(
  template(sql`
    delete from andiron.launch_context l
    where l.tenant = ${bind('tenant')}::int and l.hash = ${bind('hash')}::bytea and l.expires > now() returning true`),
);
const ADD_GRANT = defineStatement(
  template(sql`
    with gone as (${expired('user_grant', 'id')})
    insert into andiron.user_grant (tenant, id, client, account, release, scopes, fhir_user, patient, encounter, nonce,
      redirect_uri, signed_in, session, code, code_challenge, need_patient_banner, smart_style_url, code_expires, expires)
    values (${bind('tenant')}::int, ${bind('id')}, ${bind('client')}, ${bind('account')}, ${bind('release')},
      ${bind('scopes')}::text[], ${bind('fhirUser')}::text, ${bind('patient')}::text, ${bind('encounter')}::text,
      ${bind('nonce')}::text, ${bind('redirectUri')}, to_timestamp(${bind('signedIn')}::float8 / 1000),
      ${bind('session')}::bytea, ${bind('code')}::bytea, ${bind('codeChallenge')},
      ${bind('needPatientBanner')}::boolean, ${bind('smartStyleUrl')}::text,
      now() + ${bind('codeSeconds')}::float8 * interval '1 second',
      now() + ${bind('seconds')}::float8 * interval '1 second')`),
);
const USE_CODE = defineStatement(
  template(sql`
    update andiron.user_grant g set code_used = true, refresh_family = ${bind('family')}::bytea,
      refresh_current = ${bind('token')}::bytea
    where g.tenant = ${bind('tenant')}::int and g.code = ${bind('code')}::bytea and g.client = ${bind('client')}
      and not g.code_used and g.code_expires > now() and ${STANDS}
    returning ${COLUMNS}`),
);
const REVOKE_BY_CODE = defineStatement(
  template(sql`
    update andiron.user_grant g set revoked = true
    where g.tenant = ${bind('tenant')}::int and g.code = ${bind('code')}::bytea and g.client = ${bind('client')}
      and g.code_used returning g.id`),
);
const FIND_FAMILY = defineStatement(
  template(sql`
    select ${COLUMNS}, encode(g.refresh_current, 'hex'), g.refresh_uses,
      floor(extract(epoch from clock_timestamp()) * 1000)::bigint, ${STANDS}
    from andiron.user_grant g
    where g.tenant = ${bind('tenant')}::int and g.refresh_family = ${bind('family')}::bytea
      and g.client = ${bind('client')} limit 1`),
);
const FIND_CLIENT = defineStatement(
  template(sql`
    select g.client from andiron.user_grant g
    where g.tenant = ${bind('tenant')}::int and g.refresh_family = ${bind('family')}::bytea limit 1`),
);
/** Changes nothing where another request has changed the family since `newest` and `before` were read. */
const ROTATE = defineStatement(
  template(sql`
    update andiron.user_grant g set refresh_current = decode(${bind('next')}, 'hex'), refresh_uses = ${bind('after')}::jsonb,
      expires = case when g.session is null then now() + ${bind('seconds')}::float8 * interval '1 second' else g.expires end
    where g.tenant = ${bind('tenant')}::int and g.refresh_family = ${bind('family')}::bytea
      and g.refresh_current = decode(${bind('newest')}, 'hex')
      and g.refresh_uses is not distinct from ${bind('before')}::jsonb
      and g.client = ${bind('client')} and ${STANDS}
    returning g.id`),
);
const REVOKE = defineStatement(
  template(sql`
    update andiron.user_grant g set revoked = true
    where g.tenant = ${bind('tenant')}::int and g.id = ${bind('id')} and g.client = ${bind('client')}
    returning g.id`),
);
const HOLDER = defineStatement(
  template(sql`
    select h.id, h.administrator, h.auditor from andiron.user_grant g
    join andiron.user_account h on h.tenant = ${bind('tenant')}::int and h.id = g.account
    where g.tenant = ${bind('tenant')}::int and g.id = ${bind('id')} and ${STANDS} limit 1`),
);

/** Stores sessions, launches and grants. It runs as the application role, in the tenant of the space. */
export class GrantStore {
  constructor(private readonly database: Database) {}

  async addSession(space: GrantSpace, hash: Buffer, account: string, seconds: number): Promise<void> {
    await this.run(space, ADD_SESSION, { hash, account, seconds });
  }

  /** Undefined: the session does not exist, has expired, or its account is disabled. */
  async findSession(space: GrantSpace, hash: Buffer): Promise<UserSession | undefined> {
    const [row] = await this.run(space, FIND_SESSION, { hash });
    if (row === undefined) return undefined;
    const [account, began] = row as [string, number];
    return { account, began };
  }

  /** Ends a session and revokes the grants that end with it. */
  async endSession(space: GrantSpace, hash: Buffer): Promise<void> {
    await this.run(space, END_SESSION, { hash });
  }

  /** False: the client does not exist or is disabled. */
  async addLaunch(space: GrantSpace, hash: Buffer, launch: LaunchContext, seconds: number): Promise<boolean> {
    return (await this.run(space, ADD_LAUNCH, { ...launch, hash, seconds })).length > 0;
  }

  async findLaunch(space: GrantSpace, hash: Buffer): Promise<LaunchContext | undefined> {
    const [row] = await this.run(space, FIND_LAUNCH, { hash });
    if (row === undefined) return undefined;
    const [client, release, patient, encounter, needPatientBanner, smartStyleUrl] = row as [
      ...[string, Release, string | null, string | null],
      ...[boolean | null, string | null],
    ];
    return { client, release, patient, encounter, needPatientBanner, smartStyleUrl };
  }

  /** Id of the client of a refresh token family, valid or not. */
  async clientOfFamily(space: GrantSpace, family: Buffer): Promise<string | undefined> {
    const [row] = await this.run(space, FIND_CLIENT, { family });
    return row === undefined ? undefined : String(row[0]);
  }

  /** Returns true once for each launch. */
  async useLaunch(space: GrantSpace, hash: Buffer): Promise<boolean> {
    return (await this.run(space, USE_LAUNCH, { hash })).length > 0;
  }

  async add(space: GrantSpace, grant: NewGrant): Promise<void> {
    await this.run(space, ADD_GRANT, { ...grant });
  }

  /**
   * Returns the grant of a code, once. `refresh`: the hashes of its first refresh token. Undefined: the client has no
   * such code; if the code was used before, its grant is revoked.
   */
  async useCode(
    space: GrantSpace,
    client: string,
    code: Buffer,
    refresh: RefreshHashes,
  ): Promise<UserGrant | undefined> {
    const [row] = await this.run(space, USE_CODE, { client, code, ...refresh });
    if (row !== undefined) return toGrant(row);
    await this.run(space, REVOKE_BY_CODE, { client, code });
    return undefined;
  }

  /**
   * Undefined: the token is not valid for this client. If it was used before and may not be used again, its grant is
   * revoked and passed to `ended`.
   */
  async findByRefresh(
    space: GrantSpace,
    client: string,
    refresh: RefreshHashes,
    ended: (grant: EndedGrant) => void,
  ): Promise<UserGrant | undefined> {
    const found = await this.#findFamily(space, client, refresh);
    if (found === undefined) return undefined;
    const { grant, family, now, stands } = found;
    const token = refresh.token.toString('hex');
    if (useToken(family, token, '', now) !== undefined) return stands ? grant : undefined;
    await this.revoke(space, client, grant.id);
    ended(grant);
    return undefined;
  }

  /**
   * Uses a refresh token, for which `next` is issued. False: it is not valid any more, or has been used by other requests so
   * often that its grant is revoked now. **Cost**: two statements, again for each other request that is faster.
   */
  async rotate(
    space: GrantSpace,
    client: string,
    {
      refresh,
      next,
      seconds,
    }: { readonly refresh: RefreshHashes; readonly next: Buffer; readonly seconds: number },
  ): Promise<boolean> {
    const [token, newToken] = [refresh.token.toString('hex'), next.toString('hex')];
    for (;;) {
      const found = await this.#findFamily(space, client, refresh);
      if (found?.stands !== true) return false;
      const { grant, family, stored, now } = found;
      const after = useToken(family, token, newToken, now);
      if (after === undefined) {
        await this.revoke(space, client, grant.id);
        return false;
      }
      const rotated = await this.run(space, ROTATE, {
        ...{ client, family: refresh.family, next: newToken, newest: family.newest, seconds },
        ...{ before: stored === null ? null : JSON.stringify(stored), after: JSON.stringify(after) },
      });
      // Each further round follows a request that has used a token of the family, which ends soon.
      if (rotated.length > 0) return true;
    }
  }

  /** The family of a token and its grant, valid or not, if the client has them. */
  async #findFamily(space: GrantSpace, client: string, { family }: RefreshHashes) {
    const [row] = await this.run(space, FIND_FAMILY, { client, family });
    if (row === undefined) return undefined;
    const [newest, stored, now, stands] = row.slice(-4) as [string, RefreshFamily | null, number, boolean];
    return { grant: toGrant(row), family: toFamily(newest, stored), stored, now, stands };
  }

  /** False: the client has no grant of this id. */
  async revoke(space: GrantSpace, client: string, id: string): Promise<boolean> {
    return (await this.run(space, REVOKE, { client, id })).length > 0;
  }

  /** Undefined: the grant does not exist, or is no longer valid. */
  async findHolder(space: GrantSpace, id: string): Promise<GrantHolder | undefined> {
    const [row] = await this.run(space, HOLDER, { id });
    if (row === undefined) return undefined;
    const [account, isAdministrator, isAuditor] = row as [string, boolean, boolean];
    return { account, isAdministrator, isAuditor };
  }

  private run(
    { number, tenantNumber, settings }: GrantSpace,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<Row[]> {
    return this.database.run({ lane: 'transaction', space: number }, statement, {
      ...bound,
      tenant: tenantNumber,
      required: settings.secondFactor === 'required',
    });
  }
}

/** Decodes a row of `COLUMNS`. */
function toGrant(row: Row): UserGrant {
  const members = Object.keys(GRANT).map((name, index) => [name, row[index]] as const);
  return Object.fromEntries(members) as unknown as UserGrant;
}
