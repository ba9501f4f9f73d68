/** Opens the page on which people sign in, as an app does, and shows how the code becomes a token. */
import { Button, Group, Stack } from '@mantine/core';
import { IconExternalLink } from '../../../layout/icons/icons';
import { useQuery } from '@tanstack/react-query';
import * as oauth from 'oauth4webapi';
import type { Client } from '../../../api/administration';
import { CopyField } from '../../../layout/copy';
import { texts } from '../../../texts';
import { Part } from '../../../layout/heading';
import { codeCommand, signInAddress, type Addresses } from './connection';

const words = texts.administration.clientScreens;

async function makeProof(): Promise<{ readonly verifier: string; readonly challenge: string }> {
  const verifier = oauth.generateRandomCodeVerifier();
  return { verifier, challenge: await oauth.calculatePKCECodeChallenge(verifier) };
}

export function TestSignIn({
  addresses,
  client,
  redirectUri,
}: {
  readonly addresses: Addresses;
  readonly client: Client;
  readonly redirectUri: string;
}) {
  const proof = useQuery({
    queryKey: ['proof', client.id],
    queryFn: makeProof,
    staleTime: Infinity,
  });
  if (proof.data === undefined) return null;
  const { verifier, challenge } = proof.data;
  const address = signInAddress(addresses, {
    client: client.id,
    redirectUri,
    scopes: client.scopes,
    challenge,
  });
  return (
    <Part title={words.tested} hint={words.testHint}>
      <Stack gap="sm">
        <Group>
          <Button
            component="a"
            href={address}
            target="_blank"
            rel="noreferrer"
            leftSection={<IconExternalLink size={16} aria-hidden />}
          >
            {words.testOpen}
          </Button>
        </Group>
        {client.public ? (
          <CopyField
            what={words.testCode}
            value={codeCommand(addresses, { client: client.id, redirectUri, verifier })}
          />
        ) : null}
      </Stack>
    </Part>
  );
}
