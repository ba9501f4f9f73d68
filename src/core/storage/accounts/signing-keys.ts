/** The keys that a tenant's tokens are signed with (docs/access.md). */
import { sql } from 'kysely';
import type { OfTenant } from './client-applications';
import type { Database, DatabaseOptions, Row } from '../connection/database';
import { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';

type JsonWebKey = Readonly<Record<string, unknown>>;

export interface PublicSigningKey {
  /** `kid` of what it has signed. */
  readonly id: string;
  readonly algorithm: string;
  readonly publicKey: JsonWebKey;
  /** Milliseconds since 1970 from which it signs nothing more; undefined: it signs. */
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
const FORGET = defineStatement(
  template(sql`
    delete from andiron.signing_key where tenant = ${bind('tenant')}::int
      and retired < now() - ${bind('kept')}::float8 * interval '1 millisecond' returning id`),
  { named: false },
);
const FORGET_ALL = defineStatement(
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

/** The application role reads the public half of its own tenant; private keys are read and made as the owner. */
export class SigningKeyStore {
  constructor(
    private readonly database: Database,
    private readonly owner: DatabaseOptions,
  ) {}

  /** Newest first, retired ones too. */
  async list(space: OfTenant): Promise<PublicSigningKey[]> {
    const rows = await this.database.run('search', space.number, LIST, { tenant: space.tenantNumber });
    return rows.map(toPublicKey);
  }

  /** The key that signs by this algorithm; where there is none, the one that `make` gives, whichever process comes first. */
  async current(
    { tenantNumber }: OfTenant,
    algorithm: string,
    make: () => Promise<SigningKey>,
  ): Promise<SigningKey> {
    return this.asOwner(tenantNumber, async (session) => {
      const [row] = await session.run(READ_PRIVATE, { tenant: tenantNumber, algorithm });
      if (row !== undefined) return { ...toPublicKey(row), privateKey: row[4] as JsonWebKey };
      return this.add(session, tenantNumber, await make());
    });
  }

  /** The new keys sign from now on. Those that signed nothing for `keptMs` are forgotten; undefined: all others are. */
  async rotate(
    { tenantNumber }: OfTenant,
    made: readonly SigningKey[],
    keptMs: number | undefined,
  ): Promise<void> {
    await this.asOwner(tenantNumber, async (session) => {
      if (keptMs === undefined) await session.run(FORGET_ALL, { tenant: tenantNumber });
      else await session.run(FORGET, { tenant: tenantNumber, kept: keptMs });
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

  /** One at a time for each tenant. */
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
