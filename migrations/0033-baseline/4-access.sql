-- Clients, keys, issuers of tokens, accounts and sign-in (docs/run/access.md). The owner changes clients, keys, issuers and
-- accounts. Requests change sessions, grants and launch contexts as the application role, within the tenant of their space.
--
-- No secret is stored as it is: secrets of clients and passwords are scrypt hashes; cookies, codes and tokens, which are 256
-- random bits, are SHA-256 hashes.

create table andiron.client_application (
  tenant int not null references andiron.tenant on delete cascade,
  id text collate "C" not null,
  name text not null,
  created timestamptz not null default now(),
  disabled boolean not null default false,
  scopes text[] not null default '{}',
  policies text[] not null default '{}',
  administrator boolean not null default false,
  auditor boolean not null default false,
  jwks jsonb,
  jwks_url text,
  redirect_uris text[] not null default '{}',
  public boolean not null default false,
  id_token_algorithm text not null default 'RS256'
    constraint known_id_token_algorithm check (id_token_algorithm in ('RS256', 'ES256')),
  primary key (tenant, id)
);

create table andiron.client_secret (
  tenant int not null,
  client text collate "C" not null,
  id text collate "C" not null,
  hash text not null,
  created timestamptz not null default now(),
  expires timestamptz,
  primary key (tenant, client, id),
  foreign key (tenant, client) references andiron.client_application on delete cascade
);

-- The application role reads the public half.
create table andiron.signing_key (
  tenant int not null references andiron.tenant on delete cascade,
  id text collate "C" not null,
  algorithm text not null,
  public_key jsonb not null,
  private_key jsonb not null,
  created timestamptz not null default now(),
  retired timestamptz,
  primary key (tenant, id)
);

create table andiron.token_issuer (
  tenant int not null references andiron.tenant on delete cascade,
  issuer text collate "C" not null,
  client text collate "C" not null,
  audience text not null,
  jwks_url text not null,
  scope_claim text not null default 'scope',
  scope_map jsonb,
  user_claim text not null default 'fhirUser',
  patient_claim text not null default 'patient',
  primary key (tenant, issuer),
  foreign key (tenant, client) references andiron.client_application on delete cascade
);

-- Hashes of signed client assertions until they expire: each is valid once, in all processes.
create table andiron.used_assertion (
  tenant int not null references andiron.tenant on delete cascade,
  hash bytea not null,
  expires timestamptz not null,
  primary key (tenant, hash)
);
create index used_assertion_by_expiry on andiron.used_assertion (tenant, expires);

create table andiron.user_account (
  tenant int not null references andiron.tenant on delete cascade,
  id text collate "C" not null,
  name text collate "C" not null,
  display text not null,
  hash text not null,
  disabled boolean not null default false,
  release text not null,
  fhir_user text,
  patient text,
  created timestamptz not null default now(),
  primary key (tenant, id),
  unique (tenant, name)
);

-- An account that is signed in in a browser.
create table andiron.user_session (
  tenant int not null references andiron.tenant on delete cascade,
  hash bytea not null,
  account text collate "C" not null,
  began timestamptz not null default now(),
  expires timestamptz not null,
  primary key (tenant, hash),
  foreign key (tenant, account) references andiron.user_account on delete cascade
);
create index user_session_by_expiry on andiron.user_session (tenant, expires);
create index user_session_by_account on andiron.user_session (tenant, account);

-- One consent, with its authorization code and its newest refresh token. All refresh tokens of a family have the same
-- beginning, so that a token that was used before differs from one that never existed.
create table andiron.user_grant (
  tenant int not null references andiron.tenant on delete cascade,
  id text collate "C" not null,
  client text collate "C" not null,
  account text collate "C" not null,
  release text not null,
  scopes text[] not null,
  fhir_user text,
  patient text,
  encounter text,
  nonce text,
  redirect_uri text not null,
  signed_in timestamptz not null,
  session bytea,
  code bytea not null,
  code_challenge text not null,
  code_expires timestamptz not null,
  code_used boolean not null default false,
  refresh_family bytea,
  refresh_current bytea,
  expires timestamptz not null,
  revoked boolean not null default false,
  primary key (tenant, id),
  unique (tenant, code),
  unique (tenant, refresh_family),
  foreign key (tenant, client) references andiron.client_application on delete cascade,
  foreign key (tenant, account) references andiron.user_account on delete cascade
);
create index user_grant_by_expiry on andiron.user_grant (tenant, expires);
create index user_grant_by_client on andiron.user_grant (tenant, client);
create index user_grant_by_account on andiron.user_grant (tenant, account);

-- The context of an EHR launch.
create table andiron.launch_context (
  tenant int not null references andiron.tenant on delete cascade,
  hash bytea not null,
  client text collate "C" not null,
  release text not null,
  patient text,
  encounter text,
  expires timestamptz not null,
  primary key (tenant, hash),
  foreign key (tenant, client) references andiron.client_application on delete cascade
);
create index launch_context_by_expiry on andiron.launch_context (tenant, expires);
create index launch_context_by_client on andiron.launch_context (tenant, client);

alter table andiron.client_application enable row level security;
alter table andiron.client_secret enable row level security;
alter table andiron.signing_key enable row level security;
alter table andiron.token_issuer enable row level security;
alter table andiron.used_assertion enable row level security;
alter table andiron.user_account enable row level security;
alter table andiron.user_session enable row level security;
alter table andiron.user_grant enable row level security;
alter table andiron.launch_context enable row level security;
create policy own_tenant on andiron.client_application for select using (tenant = (select andiron.own_tenant()));
create policy own_tenant on andiron.client_secret for select using (tenant = (select andiron.own_tenant()));
create policy own_tenant on andiron.signing_key for select using (tenant = (select andiron.own_tenant()));
create policy own_tenant on andiron.token_issuer for select using (tenant = (select andiron.own_tenant()));
create policy own_tenant on andiron.user_account for select using (tenant = (select andiron.own_tenant()));
create policy own_tenant on andiron.user_session
  using (tenant = (select andiron.own_tenant())) with check (tenant = (select andiron.own_tenant()));
create policy own_tenant on andiron.user_grant
  using (tenant = (select andiron.own_tenant())) with check (tenant = (select andiron.own_tenant()));
create policy own_tenant on andiron.launch_context
  using (tenant = (select andiron.own_tenant())) with check (tenant = (select andiron.own_tenant()));
