/** Makes an account, and shows its password once. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { createUser, type User } from '../../../api/administration';
import { CopyLine } from '../../../layout/copy';
import { useSpace } from '../../../layout/current-screen';
import { FailureView } from '../../../layout/failure-view';
import { administrationPath } from '../../../place';
import { texts } from '../../../texts';
import { ScreenHeading } from '../heading';
import { useChange, useTenant } from '../queries';
import { useTop } from '../use-top';
import { newUserDraft, userChangesOf } from './draft';
import { makePassword } from './password';
import { PasswordField } from './password-field';
import { UserFields } from './user-fields';

const { form, people: words } = texts.administration;

export function NewUserScreen() {
  const tenant = useTenant();
  const { release } = useSpace();
  const [draft, setDraft] = useState(() => ({
    ...newUserDraft(release),
    // Accounts of the tenant "system" administer the server; they need no record.
    ...(tenant === 'system' ? { type: '' } : {}),
  }));
  const [password, setPassword] = useState(makePassword);
  const creation = useChange(() => createUser(tenant, { ...userChangesOf(draft), password }));
  const made = creation.data;
  if (made !== undefined) return <MadeUser tenant={tenant} user={made} password={password} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        creation.mutate(undefined);
      }}
    >
      <Stack gap="lg">
        <ScreenHeading place={tenant} />
        <UserFields tenant={tenant} draft={draft} change={setDraft} />
        <PasswordField value={password} onChange={setPassword} />
        {creation.isError ? <FailureView error={creation.error} /> : null}
        <Group gap="sm">
          <Button type="submit" loading={creation.isPending}>
            {form.create}
          </Button>
          <Button component={Link} to={administrationPath(tenant, 'users')} variant="default">
            {texts.common.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The name and password of a new account. */
export function Account({ name, password }: { readonly name: string; readonly password: string }) {
  return (
    <Stack gap="xs">
      <div>
        <Text size="sm" fw={500}>
          {words.signInName}
        </Text>
        <CopyLine what={words.signInName} value={name} />
      </div>
      <div>
        <Text size="sm" fw={500}>
          {words.password}
        </Text>
        <CopyLine what={words.password} value={password} />
      </div>
    </Stack>
  );
}

function MadeUser({
  tenant,
  user,
  password,
}: {
  readonly tenant: string;
  readonly user: User;
  readonly password: string;
}) {
  useTop();
  return (
    <Stack gap="md">
      <ScreenHeading title={user.display} place={tenant} />
      <Alert color="teal" role="status" title={words.created(user.display)}>
        <Text size="sm" mb="sm">
          {words.passwordOnce}
        </Text>
        <Account name={user.name} password={password} />
      </Alert>
      <Group>
        <Button component={Link} to={administrationPath(tenant, `users/${user.id}`)} variant="default">
          {words.toUser}
        </Button>
      </Group>
    </Stack>
  );
}
