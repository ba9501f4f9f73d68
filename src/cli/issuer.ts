import type { Core, NewIssuer } from '../core';
import { type Arguments, type Command, UsageError } from './command';
import { withApp } from './with-app';

async function list({ issuers }: Core, tenant: string): Promise<void> {
  for (const { issuer, client, audience, jwksUrl, scopeClaim, scopeMap } of await issuers.list(tenant)) {
    process.stdout.write(
      `${issuer}\n  client: ${client}\n  audience: ${audience}\n  keys: ${jwksUrl}\n  ${scopeClaim}:`,
    );
    const said =
      scopeMap === null
        ? ['scopes']
        : Object.entries(scopeMap).map(([word, to]) => `${word}=${to.join('+')}`);
    process.stdout.write(` ${said.join(' ')}\n`);
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
  return {
    issuer,
    client: needed('client'),
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
  summary: 'Show the identity providers whose tokens a tenant takes, add or change one, or take one away.',
  options: {
    tenant: { type: 'string', help: 'whose issuers' },
    client: { type: 'string', help: 'id of the client that its tokens are of' },
    audience: { type: 'string', help: 'the aud that its tokens must have' },
    'jwks-url': { type: 'string', help: 'where its keys are' },
    'scope-claim': { type: 'string', help: 'claim that says what a token may do; default scope' },
    map: { type: 'string', help: 'scopes by values of that claim: "doctors=user/*.cruds nurses=user/*.rs"' },
    'user-claim': { type: 'string', help: 'claim that refers to the user; default fhirUser' },
    'patient-claim': { type: 'string', help: 'claim with the id of the Patient; default patient' },
  },
  async run({ words, options }) {
    const { tenant } = options;
    const [action, name, ...more] = words;
    if (typeof tenant !== 'string') throw new UsageError('--tenant says whose issuers are meant');
    if (more.length > 0) throw new UsageError('One issuer at a time');
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
