/** Shows why something did not work, and what a person can do. */
import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { useLocation } from 'react-router';
import { Failure } from '../api/failure';
import { signIn } from '../api/session';
import { texts } from '../texts';
import { useSessionSpace } from './place-context';

export function FailureView({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const space = useSessionSpace();
  const { pathname, search, hash } = useLocation();
  const status = error instanceof Failure ? error.status : undefined;
  const words =
    error instanceof Failure
      ? error.issues.map(({ text }) => text)
      : [error instanceof Error ? error.message : String(error)];
  return (
    <Alert color="red" role="alert" title={texts.failures.title} my="md">
      <Stack gap="sm">
        {status === 401 ? <Text size="sm">{texts.failures.signInNeeded}</Text> : null}
        {status === 403 ? <Text size="sm">{texts.failures.notAllowed}</Text> : null}
        <List size="sm" spacing={4}>
          {words.map((text) => (
            <List.Item key={text} style={{ overflowWrap: 'anywhere' }}>
              {text}
            </List.Item>
          ))}
        </List>
        <Group gap="sm">
          {status === 401 ? (
            <Button size="xs" onClick={() => void signIn(space, `${pathname}${search}${hash}`)}>
              {texts.common.signIn}
            </Button>
          ) : null}
          {retry === undefined ? null : (
            <Button size="xs" variant="default" onClick={retry}>
              {texts.failures.retry}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
