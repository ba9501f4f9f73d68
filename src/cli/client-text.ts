/** A client and its secrets, as the commands print them. */
import type { ClientApplication, NewSecret } from '../core';
import { toInstant } from './output';

export function toClientLines(client: ClientApplication): readonly string[] {
  const { id, name, isDisabled, scopes, policies, secrets, jwks, jwksUrl } = client;
  const words = [
    isDisabled ? 'disabled' : 'active',
    ...(client.isAdministrator ? ['administrator'] : []),
    ...(client.isAuditor ? ['auditor'] : []),
    ...(client.isPublic ? ['public'] : []),
  ];
  const line = (label: string, values: readonly string[]): readonly string[] =>
    values.length > 0 ? [`  ${label}: ${values.join(' ')}`] : [];
  const keys = jwks === null ? (jwksUrl === null ? [] : [jwksUrl]) : jwks.keys.map(({ kid }) => String(kid));
  return [
    `${id}  ${words.join(',')}  ${name}`,
    ...line('scopes', scopes),
    ...line('policies', policies),
    ...line('redirect-uris', client.redirectUris),
    ...line('keys', keys),
    ...secrets.map(({ id: secret, created, expires }) => {
      const end = expires === undefined ? '' : `, expires ${toInstant(expires)}`;
      return `  secret: ${secret}  created ${toInstant(created)}${end}`;
    }),
    ...client.warnings.map((warning) => `  warning: ${warning}`),
  ];
}

/** As in the answers of the HTTP API. */
export function toClientDocument(client: ClientApplication): object {
  const { id, created, isDisabled, isAdministrator, isAuditor, isPublic, secrets, ...rest } = client;
  return {
    ...{ id, name: rest.name, created: toInstant(created), disabled: isDisabled },
    ...{ scopes: rest.scopes, policies: rest.policies, administrator: isAdministrator, auditor: isAuditor },
    ...{ jwks: rest.jwks, jwksUrl: rest.jwksUrl, redirectUris: rest.redirectUris, public: isPublic },
    ...{ idTokenAlgorithm: rest.idTokenAlgorithm, warnings: rest.warnings },
    secrets: secrets.map(({ id: secret, created: made, expires }) => ({
      ...{ id: secret, created: toInstant(made) },
      ...(expires === undefined ? {} : { expires: toInstant(expires) }),
    })),
  };
}

export function toSecretLines({ id, secret, expires }: NewSecret): readonly string[] {
  return [
    `client_secret=${secret}`,
    `secret_id=${id}`,
    ...(expires === undefined ? [] : [`expires=${toInstant(expires)}`]),
  ];
}

export function toSecretDocument({ id, secret, expires }: NewSecret): object {
  return { id, secret, ...(expires === undefined ? {} : { expires: toInstant(expires) }) };
}
