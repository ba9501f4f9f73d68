/** Why a request of the administration did not work; where rights are missing, how to get them. */
import { Alert, Group, List, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from '../../api/failure';
import { CopyLine } from '../../layout/copy';
import { FailureView } from '../../layout/failure-view';
import { Loading } from '../../layout/loaded';
import { SignInButton } from '../../layout/sign-in-button';
import { usePerson } from '../../layout/use-person';
import { ADMINISTRATION } from '../../place';
import { texts } from '../../texts';

const { access } = texts.administration;

export function AdministrationFailure({
  error,
  retry,
}: {
  readonly error: unknown;
  readonly retry?: (() => void) | undefined;
}) {
  if (error instanceof Failure && (error.status === 401 || error.status === 403))
    return <MissingRights failure={error} />;
  return <FailureView error={error} {...(retry === undefined ? {} : { retry })} />;
}

/** As `Loaded`, for what only administrators see. */
export function AdministrationLoaded<Value>({
  query,
  children,
}: {
  readonly query: UseQueryResult<Value>;
  readonly children: (value: Value) => ReactNode;
}) {
  if (query.isPending) return <Loading />;
  if (query.isError) return <AdministrationFailure error={query.error} retry={() => void query.refetch()} />;
  return <>{children(query.data)}</>;
}

function MissingRights({ failure }: { readonly failure: Failure }) {
  const person = usePerson(ADMINISTRATION);
  return (
    <Alert role="alert" color="blue" title={access.title} my="md">
      <Stack gap="sm">
        <Text size="sm">{person === undefined ? access.signIn : access.signedIn(person.name)}</Text>
        <Group>
          <SignInButton space={ADMINISTRATION} label={person === undefined ? access.button : access.other} />
        </Group>
        <Text size="sm">{access.command}</Text>
        <CopyLine value={access.commandText} what={access.commandName} />
        <div>
          <Text size="sm">{access.answer}</Text>
          <List size="sm">
            {failure.issues.map(({ text }) => (
              <List.Item key={text}>{text}</List.Item>
            ))}
          </List>
        </div>
      </Stack>
    </Alert>
  );
}
