import { isReleaseScope, type Core, type NewIssuer } from '../core';
import { type Arguments, type Command, UsageError } from './command';
import { withApp } from './with-app';

async function list({ issuers }: Core, tenant: string): Promise<void> {
  for (const { issuer, client, release, audience, jwksUrl, scopeClaim, scopeMap } of await issuers.list(
    tenant,
  )) {
    process.stdout.write(
      `${issuer}\n  client: ${client}\n  release: ${release}\n  audience: ${audience}\n  keys: ${jwksUrl}\n  ${scopeClaim}:`,
    );
    const mapping =
      scopeMap === null
        ? ['scopes']
        : Object.entries(scopeMap).map(([word, to]) => `${word}=${to.join('+')}`);
    process.stdout.write(` ${mapping.join(' ')}\n`);
  }
}

/** `doctors=user/*.cruds+launch,nurses=user/*.rs` */
function toMap(text: string): Record<string, readonly string[]> {
  const entries = text.split(/[\s,]+/).filter((part) => part !== '');
  return Object.fromEntries(
    entries.map((entry) => {
      const [word, scopes, ...more] = entry.split('=');
      if (word === undefined || word === '' || scopes === undefined || more.length > 0)
        throw new UsageError(`'${entry}' is not VALUE=SCOPE+SCOPE`);
      return [word, scopes.split('+')];
    }),
  );
}

function toIssuer(issuer: string, options: Arguments['options']): NewIssuer {
  const text = (name: string): string | undefined => {
    const value = options[name];
    return typeof value === 'string' ? value : undefined;
  };
  const needed = (name: string): string => {
    const value = text(name);
    if (value === undefined) throw new UsageError(`--${name} is missing`);
    return value;
  };
  const map = text('map');
  const release = text('release');
  if (release !== undefined && !isReleaseScope(release))
    throw new UsageError('--release must be r4, r4b or both');
  return {
    issuer,
    client: needed('client'),
    release,
    audience: needed('audience'),
    jwksUrl: needed('jwks-url'),
    scopeClaim: text('scope-claim'),
    scopeMap: map === undefined ? undefined : toMap(map),
    userClaim: text('user-claim'),
    patientClaim: text('patient-claim'),
  };
}

export const issuer: Command = {
  name: 'issuer',
  usage: 'list | put ISSUER | remove ISSUER, with --tenant NAME',
  summary: 'List, add, change or remove the identity providers whose tokens a tenant accepts.',
  options: {
    tenant: { type: 'string', help: 'name of the tenant' },
    client: { type: 'string', help: 'id of the client that its tokens act for' },
    release: { type: 'string', help: 'r4, r4b or both: the release of the ids in its tokens; default r4' },
    audience: { type: 'string', help: 'the aud that its tokens must contain' },
    'jwks-url': { type: 'string', help: 'address of its keys' },
    'scope-claim': { type: 'string', help: 'claim with the scopes of a token; default scope' },
    map: {
      type: 'string',
      help: 'scopes for the values of that claim: "doctors=user/*.cruds nurses=user/*.rs"',
    },
    'user-claim': { type: 'string', help: 'claim with the reference to the user; default fhirUser' },
    'patient-claim': { type: 'string', help: 'claim with the id of the Patient; default patient' },
  },
  async run({ words, options }) {
    const { tenant } = options;
    const [action, name, ...more] = words;
    if (typeof tenant !== 'string') throw new UsageError('--tenant is missing');
    if (more.length > 0) throw new UsageError('Only one issuer can be named');
    if (action === 'list' && name === undefined) return withApp(({ core }) => list(core, tenant));
    if (action === 'put' && name !== undefined) {
      const given = toIssuer(name, options);
      return withApp(async ({ core }) => {
        await core.issuers.put(tenant, given);
        await list(core, tenant);
      });
    }
    if (action === 'remove' && name !== undefined)
      return withApp(async ({ core }) => {
        if (!(await core.issuers.remove(tenant, name))) throw new UsageError(`There is no issuer '${name}'`);
        process.stdout.write(`Removed ${name}\n`);
      });
    throw new UsageError(`andiron issuer ${issuer.usage}`);
  },
};
