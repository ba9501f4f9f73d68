/** The walls between tenants, in statements, in the database, and in caches. */
import { edit } from './edit.mjs';

/** The program keeps the owner's role, to which row-level security does not apply. */
const WITHOUT_ROW_SECURITY = [
  edit(
    'src/core/storage/connection/connections.ts',
    'if (this.hasRowSecurity) settings.push(sql`set role ${sql.id(APPLICATION_ROLE)}`);',
    '',
  ),
  edit(
    'src/core/storage/connection/row-security.ts',
    'select current_user =',
    'select true or current_user =',
  ),
];

const SPACES = 'test/core/storage/spaces-apart.test.ts';
const CROSSING = 'test/security/crossing.test.ts';
const UNKNOWN_TENANTS = 'test/access/unknown-tenants.test.ts';
const HIDDEN_IN_PAGES = 'test/core/access/hidden-in-pages.test.ts';

export const TENANTS = [
  {
    name: 'a read without its space reads the data of all tenants',
    behind: WITHOUT_ROW_SECURITY,
    edits: [
      edit(
        'src/core/storage/read/version-statements.ts',
        `where v.space = \${bind('space')}::int and v.resource_type = x.resource_type and v.resource_key = x.resource_key`,
        `where \${bind('space')}::int > 0 and v.resource_type = x.resource_type and v.resource_key = x.resource_key`,
      ),
    ],
    tests: [SPACES],
  },
  {
    name: 'a search without its space finds the data of all tenants',
    behind: WITHOUT_ROW_SECURITY,
    edits: [
      edit(
        'src/core/storage/search/predicate-parts.ts',
        `export const SPACE = sql\`t.space = \${bind('space')}::int\``,
        `export const SPACE = sql\`\${bind('space')}::int > 0\``,
      ),
    ],
    tests: [SPACES],
  },
  {
    name: 'a history without its space lists the versions of all tenants',
    behind: WITHOUT_ROW_SECURITY,
    edits: [
      edit(
        'src/core/storage/read/version-statements.ts',
        `where v.space = \${bind('space')}::int and v.resource_type = \${bind('type')}::smallint`,
        `where \${bind('space')}::int > 0 and v.resource_type = \${bind('type')}::smallint`,
      ),
    ],
    title: 'the same client-chosen id',
    tests: [CROSSING],
  },
  {
    name: 'an update without its space changes the resources of all tenants',
    edits: [
      edit(
        'migrations/functions/store_versions.sql',
        'where i.space = p_space and i.resource_type = m.resource_type',
        'where i.resource_type = m.resource_type',
      ),
      edit(
        'migrations/functions/store_versions.sql',
        'where h.space = p_space and m.expected > 0',
        'where m.expected > 0',
      ),
    ],
    tests: [SPACES],
  },
  {
    name: 'an update without its space removes index rows of other tenants',
    edits: [
      edit(
        'migrations/functions/store_versions.sql',
        `select i.ctid as place from andiron.token_index i
        where i.space = p_space and`,
        `select i.ctid as place from andiron.token_index i
        where`,
      ),
      edit(
        'migrations/functions/store_versions.sql',
        `and i.system_hash = x.system_hash
        offset 0
      ) found
      where t.space = p_space and`,
        `and i.system_hash = x.system_hash
        offset 0
      ) found
      where`,
      ),
    ],
    tests: ['test/core/storage/index-rows-spaces.test.ts'],
  },
  {
    name: 'the database accepts writes to another space than that of the connection',
    edits: [
      edit(
        'migrations/functions/store_versions.sql',
        `if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int
     or (`,
        'if (',
      ),
    ],
    tests: ['test/core/storage/second-wall.test.ts'],
  },
  {
    name: 'the database shows the versions of all spaces',
    edits: [
      edit(
        'migrations/0033-baseline/2-resources.sql',
        `create policy own_space on andiron.resource_version for select
  using (space = nullif(current_setting('andiron.space', true), '')::int);`,
        'create policy own_space on andiron.resource_version for select using (true);',
      ),
    ],
    tests: ['test/core/storage/second-wall.test.ts'],
  },
  {
    name: 'a disabled tenant is answered',
    edits: [
      edit('src/core/tenants/spaces.ts', `row === undefined || row.status !== 'active'`, 'row === undefined'),
    ],
    title: 'a disabled tenant',
    tests: [CROSSING],
  },
  {
    name: 'the version cache ignores the space',
    edits: [
      edit(
        'src/core/storage/read/version-cache.ts',
        'const name = `${space} ${type}`;',
        'const name = `0 ${type}`;',
      ),
    ],
    tests: ['test/core/storage/version-cache-spaces.test.ts'],
  },
  {
    name: 'the search result cache ignores the space',
    // A page also knows the record of changes of its space.
    behind: [
      edit('src/core/storage/read/space-changes.ts', 'if (cached !== this || unversioned', 'if (unversioned'),
    ],
    edits: [
      edit(
        'src/core/search-execution/page/search-result-cache.ts',
        `space.number,
      space.searchParameters`,
        'space.searchParameters',
      ),
    ],
    tests: [SPACES],
  },
  {
    name: 'the search result cache ignores the permissions of the caller',
    edits: [
      edit(
        'src/core/search-execution/page/search-result-cache.ts',
        'this.options.permissionsOf(context) ?? 0,',
        '',
      ),
    ],
    tests: [HIDDEN_IN_PAGES],
  },
  {
    name: 'the cache of parsed resources ignores the space',
    edits: [
      edit(
        'src/resolvers/parsed-resources.ts',
        '`${space} ${resourceKey} ${version',
        '`${resourceKey} ${version',
      ),
    ],
    tests: ['test/graphql/parsed-resources.test.ts'],
  },
  {
    name: 'the cache in Redis ignores the space',
    edits: [
      edit(
        'src/core/cache/redis-cache.ts',
        'return `${this.prefix}:${space}:${VERSION} ${key}`;',
        'return `${this.prefix}:${VERSION} ${key}`;',
      ),
    ],
    tests: ['test/core/cache/redis-cache-spaces.test.ts'],
  },
  {
    name: 'erased data stays in the caches',
    edits: [
      edit('src/core/memory/cache-registry.ts', 'for (const held of caches) {', 'for (const held of []) {'),
    ],
    tests: ['test/core/storage/evicted-spaces.test.ts'],
  },
  {
    name: 'strangers see the settings of a tenant',
    edits: [
      edit(
        'src/rest/open-exchange.ts',
        '(core.access.decoy(tenant, release) ?? found)',
        '(found ?? core.access.decoy(tenant, release))',
      ),
    ],
    title: 'at every address of the router',
    tests: [UNKNOWN_TENANTS],
  },
  {
    name: 'a token of another tenant shows whether a tenant exists',
    edits: [
      edit(
        'src/core/oauth/authentication.ts',
        'return this.#verifyForeign(token, issuer);',
        `return (space?.number ?? -1) < 0 ? { kind: 'unverifiable' } : this.#verifyForeign(token, issuer);`,
      ),
    ],
    title: 'at every address of the router',
    tests: [UNKNOWN_TENANTS],
  },
];
