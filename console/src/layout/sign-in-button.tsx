/** Leads to the page on which a person signs in, and then back to this screen. */
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { signIn } from '../api/session';
import type { Space } from '../place';
import { texts } from '../texts';

export interface SignInButtonProps {
  readonly space: Space;
  readonly label?: string;
  /** Where it leads back to; by default this screen. */
  readonly back?: string;
  readonly variant?: 'default' | 'filled';
  readonly size?: 'xs' | 'sm';
}

/** How a port of the reader's machine leads to this server. */
function explainForwarding(): string {
  const { hostname, port } = window.location;
  const [own, remote] = port === '' ? ['8080', '80'] : [port, port];
  return texts.failures.insecure(`ssh -L ${own}:localhost:${remote} ${hostname}`, `http://localhost:${own}`);
}

export function SignInButton({ space, label, back, variant = 'filled', size = 'xs' }: SignInButtonProps) {
  const { pathname, search, hash } = useLocation();
  const [failure, setFailure] = useState<string>();
  const begin = (): void => {
    // Without it browsers have no functions of cryptography.
    if (!window.isSecureContext) return setFailure(explainForwarding());
    setFailure(undefined);
    signIn(space, back ?? `${pathname}${search}${hash}`).catch(() => setFailure(texts.failures.unreachable));
  };
  return (
    <>
      <Button size={size} variant={variant} onClick={begin}>
        {label ?? texts.common.signIn}
      </Button>
      {failure === undefined ? null : (
        <Text role="alert" size="xs">
          {failure}
        </Text>
      )}
    </>
  );
}
