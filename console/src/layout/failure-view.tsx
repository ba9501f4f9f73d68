/** Shows why something did not work, and what a person can do. */
import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { Failure } from '../api/failure';
import { texts } from '../texts';
import { useSessionSpace } from './current-screen';
import { SignInButton } from './sign-in-button';

export function FailureView({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const space = useSessionSpace();
  const words =
    error instanceof Failure
      ? error.issues.map(({ text }) => text)
      : [error instanceof Error ? error.message : String(error)];
  const status = error instanceof Failure ? error.status : undefined;
  // Nothing is wrong where nobody has signed in yet.
  if (status === 401)
    return (
      <Alert color="blue" role="alert" title={texts.failures.signInNeeded} my="md">
        <Stack gap="sm">
          <Text size="sm">{texts.failures.signInHint}</Text>
          <Group>
            <SignInButton space={space} />
          </Group>
          <div>
            <Text size="sm">{texts.failures.serverSays}</Text>
            <Words words={words} />
          </div>
        </Stack>
      </Alert>
    );
  return (
    <Alert color="red" role="alert" title={texts.failures.title} my="md">
      <Stack gap="sm">
        {status === 403 ? <Text size="sm">{texts.failures.notAllowed}</Text> : null}
        <Words words={words} />
        {retry === undefined ? null : (
          <Group gap="sm">
            <Button size="xs" variant="default" onClick={retry}>
              {texts.failures.retry}
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

function Words({ words }: { readonly words: readonly string[] }) {
  return (
    <List size="sm" spacing={4}>
      {words.map((text) => (
        <List.Item key={text} style={{ overflowWrap: 'anywhere' }}>
          {text}
        </List.Item>
      ))}
    </List>
  );
}
