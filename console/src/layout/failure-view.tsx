/** Shows why something did not work, and what a person can do. */
import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { Failure } from '../api/failure';
import { useLocation } from 'react-router';
import { ADMINISTRATION, operatorPath, ownAdministrationPath } from '../place';
import { texts } from '../texts';
import { CopyLine } from './copy';
import { useSessionSpace, useSpace } from './current-screen';
import { SignInButton } from './sign-in-button';
import { usePerson } from './use-person';

const { access } = texts.administration;

export interface FailureViewProps {
  readonly error: unknown;
  readonly retry?: () => void;
  /** The request was to the records of a tenant, also on a screen of the administration. */
  readonly isOfRecords?: boolean;
}

export function FailureView({ error, retry, isOfRecords = false }: FailureViewProps) {
  const space = useSessionSpace();
  const words =
    error instanceof Failure
      ? error.issues.map(withPlace)
      : [error instanceof Error ? error.message : String(error)];
  const status = error instanceof Failure ? error.status : undefined;
  if (
    space === ADMINISTRATION &&
    !isOfRecords &&
    error instanceof Failure &&
    (status === 401 || status === 403)
  )
    return <MissingRights failure={error} />;
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

/** What is wrong and where, as far as the words do not say where. */
function withPlace({ text, expression }: Failure['issues'][number]): string {
  const places = expression.filter((place) => !text.includes(place));
  return places.length === 0 ? text : `${text} (${places.join(', ')})`;
}

/** Where the rights of an administrator are missing: how to get them. */
function MissingRights({ failure }: { readonly failure: Failure }) {
  const person = usePerson(ADMINISTRATION);
  return (
    <Alert role="alert" color="blue" title={access.title} my="md">
      <Stack gap="sm">
        <Text size="sm">{person === undefined ? access.signIn : access.signedIn(person.name)}</Text>
        <Group>
          <SignInButton space={ADMINISTRATION} label={person === undefined ? access.button : access.other} />
        </Group>
        <OwnSignIn />
        <Text size="sm">{access.command}</Text>
        <CopyLine value={access.commandText} what={access.commandName} />
        <div>
          <Text size="sm">{access.answer}</Text>
          <Words words={failure.issues.map(({ text }) => text)} />
        </div>
      </Stack>
    </Alert>
  );
}

/** The way to the administration of a tenant by its own administrators. */
function OwnSignIn() {
  const space = useSpace();
  const { tenant } = space;
  const { pathname } = useLocation();
  if (tenant === ADMINISTRATION.tenant) return null;
  return (
    <>
      <Text size="sm">{access.own(tenant)}</Text>
      <Group>
        <SignInButton
          space={space}
          back={pathname.replace(operatorPath(tenant), ownAdministrationPath(tenant))}
          label={access.ownButton(tenant)}
          variant="default"
        />
      </Group>
    </>
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
