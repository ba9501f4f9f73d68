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
  readonly variant?: 'default' | 'filled';
  readonly size?: 'xs' | 'sm';
}

export function SignInButton({ space, label, variant = 'filled', size = 'xs' }: SignInButtonProps) {
  const { pathname, search, hash } = useLocation();
  const [hasFailed, setHasFailed] = useState(false);
  const begin = (): void => {
    setHasFailed(false);
    signIn(space, `${pathname}${search}${hash}`).catch(() => setHasFailed(true));
  };
  return (
    <>
      <Button size={size} variant={variant} onClick={begin}>
        {label ?? texts.common.signIn}
      </Button>
      {hasFailed ? (
        <Text role="alert" size="xs">
          {texts.failures.unreachable}
        </Text>
      ) : null}
    </>
  );
}
