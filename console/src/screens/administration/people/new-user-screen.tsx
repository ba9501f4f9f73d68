/** Makes an account, and shows its password once. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { Link } from 'react-router';
import { createUser, type User } from '../../../api/administration';
import { CopyField } from '../../../layout/copy';
import { useSpace } from '../../../layout/current-screen';
import { administrationPath } from '../../../place';
import { texts } from '../../../texts';
import { ScreenHeading } from '../../../layout/heading';
import { useChange, useTenant } from '../queries';
import { useTop } from '../use-top';
import { ChangeForm } from '../change-form';
import { newUserDraft, userChangesOf, type UserDraft } from './draft';
import { makePassword } from './password';
import { PasswordField } from './password-field';
import { UserFields } from './user-fields';

const words = texts.administration.people;

export function NewUserScreen() {
  const tenant = useTenant();
  const { release } = useSpace();
  const form = useForm({
    initialValues: {
      ...newUserDraft(release),
      // Accounts of the tenant "system" administer the server; they need no record.
      ...(tenant === 'system' ? { type: '' } : {}),
    },
  });
  const [password, setPassword] = useState(makePassword);
  const creation = useChange((draft: UserDraft) => createUser(tenant, { ...userChangesOf(draft), password }));
  const made = creation.data;
  if (made !== undefined) return <MadeUser tenant={tenant} user={made} password={password} />;
  return (
    <ChangeForm
      form={form}
      change={creation}
      send={(draft) => creation.mutate(draft)}
      action={texts.administration.form.create}
      others={
        <Button component={Link} to={administrationPath(tenant, 'users')} variant="default">
          {texts.common.cancel}
        </Button>
      }
    >
      <ScreenHeading place={tenant} />
      <UserFields tenant={tenant} form={form} />
      <PasswordField value={password} onChange={setPassword} />
    </ChangeForm>
  );
}

/** The name and password of a new account. */
export function Account({ name, password }: { readonly name: string; readonly password: string }) {
  return (
    <Stack gap="xs">
      <CopyField what={words.signInName} value={name} />
      <CopyField what={words.password} value={password} />
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
