/** The keys that sign a tenant's tokens (docs/run/access.md). */
import { sql } from 'kysely';
import type { TenantReference } from './client-applications';
import type { Database, DatabaseOptions, Row } from '../connection/database';
import { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';

type JsonWebKey = Readonly<Record<string, unknown>>;

export interface PublicSigningKey {
  /** `kid` of its signatures. */
  readonly id: string;
  readonly algorithm: string;
  readonly publicKey: JsonWebKey;
  /** Milliseconds since 1970 from which it no longer signs; undefined: it signs. */
  readonly retired?: number;
}

export interface SigningKey extends PublicSigningKey {
  readonly privateKey: JsonWebKey;
}

const PUBLIC = sql`k.id, k.algorithm, k.public_key, floor(extract(epoch from k.retired) * 1000)::bigint`;

const LIST = defineStatement(
  template(sql`
    select ${PUBLIC} from andiron.signing_key k where k.tenant = ${bind('tenant')}::int
    order by k.created desc, k.id limit 100`),
);
const LOCK = defineStatement(
  template(
    sql`select pg_advisory_xact_lock(hashtextextended('andiron signing key ' || ${bind('tenant')}, 0))`,
  ),
  { named: false },
);
const READ_PRIVATE = defineStatement(
  template(sql`
    select ${PUBLIC}, k.private_key from andiron.signing_key k
    where k.tenant = ${bind('tenant')}::int and k.algorithm = ${bind('algorithm')} and k.retired is null
    order by k.created desc, k.id limit 1`),
  { named: false },
);
const RETIRE = defineStatement(
  template(sql`
    update andiron.signing_key set retired = now() where tenant = ${bind('tenant')}::int and retired is null
    returning id`),
  { named: false },
);
const DELETE_OLD = defineStatement(
  template(sql`
    delete from andiron.signing_key where tenant = ${bind('tenant')}::int
      and retired < now() - ${bind('kept')}::float8 * interval '1 millisecond' returning id`),
  { named: false },
);
const DELETE_ALL = defineStatement(
  template(sql`delete from andiron.signing_key where tenant = ${bind('tenant')}::int returning id`),
  { named: false },
);
const ADD = defineStatement(
  template(sql`
    insert into andiron.signing_key (tenant, id, algorithm, public_key, private_key)
    values (${bind('tenant')}::int, ${bind('id')}, ${bind('algorithm')}, ${bind('publicKey')}::jsonb,
      ${bind('privateKey')}::jsonb) returning id`),
  { named: false },
);

/**
 * Stores signing keys. The application role reads its tenant's public keys; the owner reads and writes private keys.
 */
export class SigningKeyStore {
  constructor(
    private readonly database: Database,
    private readonly owner: DatabaseOptions,
  ) {}

  /** All keys, newest first, retired ones included. */
  async list(space: TenantReference): Promise<PublicSigningKey[]> {
    const rows = await this.database.run({ lane: 'search', space: space.number }, LIST, {
      tenant: space.tenantNumber,
    });
    return rows.map(toPublicKey);
  }

  /** Returns the current key of an algorithm. If there is none, `make` creates one, in one process only. */
  async current(
    { tenantNumber }: TenantReference,
    algorithm: string,
    make: () => Promise<SigningKey>,
  ): Promise<SigningKey> {
    return this.asOwner(tenantNumber, async (session) => {
      const [row] = await session.run(READ_PRIVATE, { tenant: tenantNumber, algorithm });
      if (row !== undefined) return { ...toPublicKey(row), privateKey: row[4] as JsonWebKey };
      return this.add(session, tenantNumber, await make());
    });
  }

  /**
   * Adds the new keys and retires the others. Keys retired more than `keptMs` ago are deleted; undefined: all others.
   */
  async rotate(
    { tenantNumber }: TenantReference,
    made: readonly SigningKey[],
    retentionMs: number | undefined,
  ): Promise<void> {
    await this.asOwner(tenantNumber, async (session) => {
      if (retentionMs === undefined) await session.run(DELETE_ALL, { tenant: tenantNumber });
      else await session.run(DELETE_OLD, { tenant: tenantNumber, kept: retentionMs });
      await session.run(RETIRE, { tenant: tenantNumber });
      for (const key of made) await this.add(session, tenantNumber, key);
    });
  }

  private async add(session: OwnerSession, tenant: number, key: SigningKey): Promise<SigningKey> {
    await session.run(ADD, {
      tenant,
      id: key.id,
      algorithm: key.algorithm,
      publicKey: JSON.stringify(key.publicKey),
      privateKey: JSON.stringify(key.privateKey),
    });
    return key;
  }

  /** Runs `work` as the owner, in one transaction at a time for each tenant. */
  private async asOwner<T>(tenant: number, work: (session: OwnerSession) => Promise<T>): Promise<T> {
    return OwnerSession.inTransaction(this.owner, async (session) => {
      await session.run(LOCK, { tenant: String(tenant) });
      return work(session);
    });
  }
}

function toPublicKey(row: Row): PublicSigningKey {
  const [id, algorithm, publicKey, retired] = row as [string, string, JsonWebKey, number | string | null];
  return { id, algorithm, publicKey, ...(retired === null ? {} : { retired: Number(retired) }) };
}
