/** Makes an account, and shows the link for its password, or the password, once. */
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
import { RadioCards } from '../radio-cards';
import { EmailField } from './email-field';
import { newUserDraft, userChangesOf, type UserDraft } from './draft';
import { createInvited, Invited, type InvitedUser } from './invited-user';
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
  const [way, setWay] = useState<Way>('invitation');
  const [password, setPassword] = useState(makePassword);
  const [email, setEmail] = useState('');
  const creation = useChange(async (draft: UserDraft): Promise<Made> => {
    const account = userChangesOf(draft);
    if (way === 'password') return { user: await createUser(tenant, { ...account, password }), password };
    return createInvited(tenant, account, email);
  });
  const made = creation.data;
  if (made !== undefined) return <MadeUser tenant={tenant} {...made} />;
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
      <RadioCards
        label={words.invitation.way}
        value={way}
        onChoose={setWay}
        choices={[
          { value: 'invitation', ...words.invitation.ways.invitation },
          { value: 'password', ...words.invitation.ways.password },
        ]}
      />
      {way === 'password' ? (
        <PasswordField value={password} onChange={setPassword} />
      ) : (
        <EmailField value={email} onChange={setEmail} />
      )}
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

/** How the person gets a password. */
type Way = 'invitation' | 'password';

/** A new account, and what is shown of it once. */
type Made = { readonly user: User; readonly password: string } | InvitedUser;

function MadeUser({ tenant, user, ...made }: Made & { readonly tenant: string }) {
  useTop();
  return (
    <Stack gap="md">
      <ScreenHeading title={user.display} place={tenant} />
      <Alert color="teal" role="status" title={words.created(user.display)}>
        {'password' in made ? (
          <>
            <Text size="sm" mb="sm">
              {words.passwordOnce}
            </Text>
            <Account name={user.name} password={made.password} />
          </>
        ) : (
          <Invited tenant={tenant} user={user} invitation={made.invitation} />
        )}
      </Alert>
      <Group>
        <Button component={Link} to={administrationPath(tenant, `users/${user.id}`)} variant="default">
          {words.toUser}
        </Button>
      </Group>
    </Stack>
  );
}
