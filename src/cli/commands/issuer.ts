import { isReleaseScope, type Core, type NewIssuer } from '../../core';
import { type Arguments, type Command, type CommandGroup, UsageError } from '../command';
import { JSON_OPTION, print } from '../output';
import { textOf, wrongValue } from '../option-values';
import { absent, TENANT_OPTION, withTenant } from '../with-tenant';

async function printAll({ tenants: { issuers } }: Core, tenant: string, given: Arguments): Promise<void> {
  const all = await issuers.list(tenant);
  const lines = all.flatMap(({ issuer, client, release, audience, jwksUrl, scopeClaim, scopeMap }) => {
    const mapping =
      scopeMap === null
        ? ['scopes']
        : Object.entries(scopeMap).map(([word, to]) => `${word}=${to.join('+')}`);
    return [
      issuer,
      `  client: ${client}`,
      `  release: ${release}`,
      `  audience: ${audience}`,
      `  keys: ${jwksUrl}`,
      `  ${scopeClaim}: ${mapping.join(' ')}`,
    ];
  });
  print(given, { issuers: all }, lines);
}

/** `doctors=user/*.cruds+launch,nurses=user/*.rs` */
function toMap(text: string): Record<string, readonly string[]> {
  const entries = text.split(/[\s,]+/).filter((part) => part !== '');
  return Object.fromEntries(
    entries.map((entry) => {
      const [word, scopes, ...more] = entry.split('=');
      if (word === undefined || word === '' || scopes === undefined || more.length > 0)
        throw new UsageError(`'${entry}' of --map is not VALUE=SCOPE+SCOPE`);
      return [word, scopes.split('+')];
    }),
  );
}

function toIssuer({ words, options }: Arguments): NewIssuer {
  const [issuer = ''] = words;
  const map = textOf(options['map']);
  const release = textOf(options['release']);
  if (release !== undefined && !isReleaseScope(release)) throw wrongValue('release', ['r4, r4b', 'both']);
  return {
    ...{ issuer, client: String(options['client']), release },
    ...{ audience: String(options['audience']), jwksUrl: String(options['jwks-url']) },
    scopeClaim: textOf(options['scope-claim']),
    scopeMap: map === undefined ? undefined : toMap(map),
    userClaim: textOf(options['user-claim']),
    patientClaim: textOf(options['patient-claim']),
  };
}

const list: Command = {
  name: 'list',
  usage: '',
  summary: 'List the identity providers whose tokens a tenant accepts.',
  options: { ...TENANT_OPTION, ...JSON_OPTION },
  examples: [{ line: 'andiron issuer list --tenant acme', does: 'Print them with their clients and keys.' }],
  run: (given) => withTenant(given, (core, tenant) => printAll(core, tenant, given)),
};

const put: Command = {
  name: 'put',
  usage: 'ISSUER',
  summary: 'Add an identity provider, or replace the one of this name.',
  options: {
    ...TENANT_OPTION,
    client: {
      ...{ type: 'string', value: 'CLIENT_ID', isRequired: true },
      help: 'id of the client that its tokens act for',
    },
    audience: {
      ...{ type: 'string', value: 'TEXT', isRequired: true },
      help: 'the aud that its tokens must contain',
    },
    'jwks-url': { type: 'string', value: 'URL', isRequired: true, help: 'address of its keys' },
    release: {
      ...{ type: 'string', value: 'RELEASE' },
      help: 'r4, r4b or both: the release of the ids in its tokens; default r4',
    },
    'scope-claim': {
      ...{ type: 'string', value: 'CLAIM' },
      help: 'claim with the scopes of a token; default scope',
    },
    map: {
      ...{ type: 'string', value: 'MAP' },
      help: 'scopes for the values of that claim: "doctors=user/*.cruds nurses=user/*.rs"',
    },
    'user-claim': {
      ...{ type: 'string', value: 'CLAIM' },
      help: 'claim with the reference to the user; default fhirUser',
    },
    'patient-claim': {
      ...{ type: 'string', value: 'CLAIM' },
      help: 'claim with the id of the Patient; default patient',
    },
    ...JSON_OPTION,
  },
  examples: [
    {
      line: 'andiron issuer put https://login.hospital.example --tenant acme --client CLIENT_ID --audience andiron --jwks-url https://login.hospital.example/keys --scope-claim groups --map "doctors=user/*.cruds nurses=user/*.rs"',
      does: 'Accept its tokens with the rights of a client, by the groups of the person.',
    },
  ],
  run: async (given) => {
    const issuer = toIssuer(given);
    await withTenant(given, async (core, tenant) => {
      await core.tenants.issuers.put(tenant, issuer);
      await printAll(core, tenant, given);
    });
  },
};

const remove: Command = {
  name: 'remove',
  usage: 'ISSUER',
  summary: 'Accept the tokens of an identity provider no more.',
  options: { ...TENANT_OPTION, ...JSON_OPTION },
  examples: [
    {
      line: 'andiron issuer remove https://login.hospital.example --tenant acme',
      does: 'Refuse its tokens from now on.',
    },
  ],
  run: (given) =>
    withTenant(given, async ({ tenants: { issuers } }, tenant) => {
      const [name = ''] = given.words;
      if (!(await issuers.remove(tenant, name))) {
        const known = await issuers.list(tenant);
        throw absent(
          'issuer',
          name,
          known.map(({ issuer }) => ({ id: issuer })),
        );
      }
      print(given, { removed: name }, [`Removed ${name}`]);
    }),
};

export const issuer: CommandGroup = {
  name: 'issuer',
  summary: 'List, add, change or remove the identity providers whose tokens a tenant accepts.',
  commands: [list, put, remove],
};
