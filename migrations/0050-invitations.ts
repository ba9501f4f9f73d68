import { sql, type Kysely } from 'kysely';

/**
 * Invitations and second factors of accounts (docs/run/access.md, People). `user_invitation.hash` is that of the secret of a link; an
 * account has at most one. `second_factor.hash` is that of the password: the account itself has `placeholder` in its place, which no
 * password matches, so that a program without second factors refuses every password of the account. The application role reads what
 * a sign-in needs to begin; only the owner reads the secret of the second factor and its recovery codes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table andiron.user_invitation (
      tenant int not null references andiron.tenant on delete cascade,
      account text collate "C" not null,
      hash bytea not null,
      expires timestamptz not null,
      primary key (tenant, account),
      unique (tenant, hash),
      foreign key (tenant, account) references andiron.user_account on delete cascade
    )`.execute(db);
  await sql`
    create table andiron.second_factor (
      tenant int not null references andiron.tenant on delete cascade,
      account text collate "C" not null,
      hash text not null,
      placeholder text not null,
      secret bytea not null,
      last_step bigint not null,
      recovery bytea[] not null,
      created timestamptz not null default now(),
      primary key (tenant, account),
      foreign key (tenant, account) references andiron.user_account on delete cascade
    )`.execute(db);
  for (const table of ['user_invitation', 'second_factor'] as const) {
    await sql`alter table ${sql.table(`andiron.${table}`)} enable row level security`.execute(db);
    await sql`
      create policy own_tenant on ${sql.table(`andiron.${table}`)}
        for select using (tenant = (select andiron.own_tenant()))`.execute(db);
  }
}
