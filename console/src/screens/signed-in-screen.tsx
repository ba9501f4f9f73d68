/** The address to which the sign-in pages lead back. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { finishSignIn, SignInRefused } from '../api/session';
import { FailureView } from '../layout/failure-view';
import { Loading } from '../layout/loaded';
import { texts } from '../texts';

export default function SignedInScreen() {
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>();
  const hasBegun = useRef(false);
  useEffect(() => {
    // A code is valid once, and React runs effects twice in development.
    if (hasBegun.current) return;
    hasBegun.current = true;
    finishSignIn().then((back) => navigate(back, { replace: true }), setError);
  }, [navigate]);
  if (error === undefined) return <Loading />;
  return error instanceof SignInRefused ? <Refused refusal={error} /> : <FailureView error={error} />;
}

function Refused({ refusal: { message, back } }: { readonly refusal: SignInRefused }) {
  return (
    <Alert color="blue" role="alert" title={texts.failures.notSignedIn} my="md">
      <Stack gap="sm">
        <Text size="sm">
          {texts.failures.serverSays} {message}
        </Text>
        <Group>
          <Button component={Link} to={back} replace size="xs" variant="default">
            {texts.failures.back}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
