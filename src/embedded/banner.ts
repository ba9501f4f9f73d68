/** The text that a quick start prints when it is ready. */
import path from 'node:path';
import type { FirstPerson } from './first-client';

export interface Banner {
  readonly address: string;
  /** `id:secret` of the first client; undefined: no credentials are needed, or they were shown by an earlier run. */
  readonly credentials: string | undefined;
  /** The account for the console, if this run has made it. */
  readonly person: FirstPerson | undefined;
  readonly isEnforced: boolean;
  /** True: other machines reach the server. */
  readonly isReachable: boolean;
  /** Data folder that is kept; undefined: the data are removed at the end. */
  readonly folder: string | undefined;
  readonly seconds: number;
}

const rootOf = ({ address }: Banner): string => `${address}/w/system/api/v1`;

function toSignIn({ name, password }: FirstPerson, { address, isReachable }: Banner): string {
  const { port } = new URL(address);
  const elsewhere = isReachable
    ? `    Browsers let nobody sign in over http from another machine: use https, or ssh -L ${port}:localhost:${port}
`
    : '';
  return `    To sign in to the console: user ${name}, password ${password}
${elsewhere}`;
}

function toAccess(banner: Banner): string {
  const { credentials, person, isEnforced, isReachable } = banner;
  if (!isEnforced) return '';
  const reason = isReachable
    ? 'Other machines can reach this server, so that it answers nobody without credentials.'
    : 'This server answers nobody without credentials (AUTH_MODE=enforced).';
  if (credentials === undefined)
    return `
  ${reason} Its first client was made by an
  earlier run. Another secret:

    npx --no-install andiron client list --tenant system
    npx --no-install andiron client secret add CLIENT_ID --tenant system
`;
  return `
  ${reason} A first client was made,
  an administrator; its secret is not shown again:

    client_id=${credentials.slice(0, credentials.indexOf(':'))}
    client_secret=${credentials.slice(credentials.indexOf(':') + 1)}
${person === undefined ? '' : toSignIn(person, banner)}`;
}

/** Returns the addresses of the server, and how to get access. */
export function toAddresses(banner: Banner): string {
  const { address, seconds } = banner;
  const root = rootOf(banner);
  return `
Andiron is ready after ${seconds.toFixed(1)} s.

  Console     ${address}/   (open it in a browser)
  Docs        ${address}/docs/
  FHIR R4     ${root}/fhir/r4
  FHIR R4B    ${root}/fhir/r4b
  metadata    ${root}/fhir/r4/metadata
  GraphiQL    ${root}/graphql/r4   (in a browser)
${toAccess(banner)}`;
}

/** Returns commands that find something in the examples. */
export function toCommands(banner: Banner): string {
  const user = banner.isEnforced ? ` -u '${banner.credentials ?? 'CLIENT_ID:CLIENT_SECRET'}'` : '';
  const r4 = `${rootOf(banner)}/fhir/r4`;
  return `
  curl${user} '${r4}/Patient?name=chalmers'
  curl${user} '${r4}/Observation?subject=Patient/example&_sort=-date'
`;
}

/** Returns how to stop, and what becomes of the data. */
export function toEnd({ folder }: Banner): string {
  return folder === undefined
    ? '\nCtrl-C stops everything and removes the data; --data DIR keeps it.\n'
    : `\nCtrl-C stops everything; the data stays in ${path.resolve(folder)}.\n`;
}
