/** What the developer of a client enters, with requests that show that it works. */
import { Stack } from '@mantine/core';
import { useState } from 'react';
import type { Client } from '../../../api/administration';
import { CopyField } from '../../../layout/copy';
import { useSpace } from '../../../layout/current-screen';
import { absolute, fhirPath, tenantPath, type Release } from '../../../place';
import { texts } from '../../../texts';
import { Part } from '../../../layout/heading';
import { ReleaseChoice } from '../release-choice';
import { assertionCommand, authorizeAddress, readCommand, tokenAddress, tokenCommand } from './connection';
import { isForPeople, kindOf } from './kinds';
import { TestSignIn } from './test-sign-in';

const words = texts.administration.clientScreens;

export interface ConnectionDetailsProps {
  readonly tenant: string;
  readonly client: Client;
  /** Shown once. */
  readonly secret?: string | undefined;
  /** The release that is shown first. */
  readonly first?: Release;
  /** What a request reads; by default a patient. */
  readonly path?: string;
}

export function ConnectionDetails({
  tenant,
  client,
  secret,
  first: given,
  path = 'Patient?_count=1',
}: ConnectionDetailsProps) {
  const space = useSpace();
  const [release, setRelease] = useState<Release>(given ?? space.release);
  const addresses = {
    tenant: absolute(tenantPath(tenant)),
    fhir: absolute(fhirPath({ tenant, release })),
  };
  const kind = kindOf(client);
  const hasPeople = isForPeople(kind);
  const [redirectUri] = client.redirectUris;
  const token =
    kind === 'keys'
      ? assertionCommand(addresses)
      : tokenCommand(addresses, { id: client.id, secret: secret ?? words.yourSecret });
  const lines = [
    { what: words.id, value: client.id },
    ...(secret === undefined ? [] : [{ what: words.secret, value: secret }]),
    { what: words.fhirBase, value: addresses.fhir },
    ...(hasPeople
      ? [
          { what: words.authorize, value: authorizeAddress(addresses) },
          { what: words.token, value: tokenAddress(addresses) },
          { what: words.scopesToAsk, value: client.scopes.join(' ') },
        ]
      : [
          { what: words.token, value: tokenAddress(addresses) },
          { what: words.getToken, value: token },
          { what: words.useToken, value: readCommand(addresses, path) },
        ]),
    { what: words.smart, value: `${addresses.fhir}/.well-known/smart-configuration` },
  ];
  return (
    <Stack gap="lg">
      <Part title={words.connection} hint={words.connectionHint}>
        <Stack gap="xs">
          <ReleaseChoice value={release} onChange={setRelease} />
          {lines.map(({ what, value }) => (
            <CopyField key={what} what={what} value={value} />
          ))}
        </Stack>
      </Part>
      {hasPeople && redirectUri !== undefined ? (
        <TestSignIn addresses={addresses} client={client} redirectUri={redirectUri} />
      ) : null}
    </Stack>
  );
}
