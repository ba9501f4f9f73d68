/** One account: its settings, a new password, its end. */
import { Alert, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { changeUser, readUser, removeSecondFactor, removeUser, type User } from '../../../api/administration';
import { Loaded } from '../../../layout/loaded';
import { administrationPath } from '../../../place';
import { texts } from '../../../texts';
import { Confirm } from '../confirm';
import { Part, ScreenHeading } from '../../../layout/heading';
import { useChange, useTenant } from '../queries';
import { EnabledBadge } from '../status-badge';
import { ChangeForm } from '../change-form';
import { endsSessions, userChangesOf, userDraftOf, type UserDraft } from './draft';
import { Invite } from './invitation';
import { Account } from './new-user-screen';
import { makePassword } from './password';
import { PasswordField } from './password-field';
import { UserFields } from './user-fields';

const { form, people: words } = texts.administration;

export function UserScreen() {
  const tenant = useTenant();
  const { user: id = '' } = useParams();
  const user = useQuery({
    queryKey: ['administration', tenant, 'user', id],
    queryFn: () => readUser(tenant, id),
  });
  return <Loaded query={user}>{(found) => <UserView key={found.id} tenant={tenant} user={found} />}</Loaded>;
}

interface UserViewProps {
  readonly tenant: string;
  readonly user: User;
}

function UserView({ tenant, user }: UserViewProps) {
  const navigate = useNavigate();
  const { id, display, disabled } = user;
  const switching = useChange((isDisabled: boolean) => changeUser(tenant, id, { disabled: isDisabled }));
  return (
    <Stack gap="xl">
      <ScreenHeading title={display} place={tenant}>
        <Group gap="sm">
          <EnabledBadge isDisabled={disabled} />
          <Confirm
            label={disabled ? form.enable : form.disable}
            title={words.disableTitle(display)}
            words={words.disableWords}
            action={form.disable}
            isDirect={disabled}
            run={() => switching.mutateAsync(!disabled)}
          />
          <Confirm
            label={words.remove}
            title={words.removeTitle(display)}
            words={words.removeWords}
            action={form.remove}
            button={{ color: 'red', variant: 'outline' }}
            run={async () => {
              await removeUser(tenant, id);
              await navigate(administrationPath(tenant, 'users'), { replace: true });
            }}
          />
        </Group>
      </ScreenHeading>
      <Part title={words.settings}>
        <UserForm tenant={tenant} user={user} />
      </Part>
      <Part title={words.invitation.title} hint={words.invitation.hint}>
        <Invite tenant={tenant} user={user} />
      </Part>
      {user.secondFactor ? <SecondFactor tenant={tenant} user={user} /> : null}
      <Part title={words.newPassword} hint={words.newPasswordHint}>
        <NewPassword tenant={tenant} user={user} />
      </Part>
    </Stack>
  );
}

/** Where the person has lost the app and the recovery codes. */
function SecondFactor({ tenant, user }: UserViewProps) {
  const removal = useChange(() => removeSecondFactor(tenant, user.id));
  return (
    <Part title={words.secondFactor.title} hint={words.secondFactor.hint}>
      <Confirm
        label={words.secondFactor.remove}
        title={words.secondFactor.removeTitle(user.display)}
        words={words.secondFactor.removeWords}
        action={form.remove}
        run={() => removal.mutateAsync(undefined)}
      />
    </Part>
  );
}

function UserForm({ tenant, user }: UserViewProps) {
  const draft = useForm({ initialValues: userDraftOf(user) });
  const saving = useChange((changed: UserDraft) => changeUser(tenant, user.id, userChangesOf(changed, user)));
  return (
    <ChangeForm
      form={draft}
      change={saving}
      send={(changed) => saving.mutate(changed)}
      action={form.save}
      gap="md"
      hasNotice
    >
      <UserFields tenant={tenant} form={draft} />
      {endsSessions(draft.values, user) ? (
        <Alert color="yellow" p="xs">
          {words.identityWarning}
        </Alert>
      ) : null}
    </ChangeForm>
  );
}

function NewPassword({ tenant, user }: UserViewProps) {
  const draft = useForm({ initialValues: { password: makePassword() } });
  const setting = useChange((password: string) => changeUser(tenant, user.id, { password }));
  return (
    <Stack gap="sm">
      <ChangeForm
        form={draft}
        change={setting}
        send={({ password }) => setting.mutate(password)}
        action={words.setPassword}
        button={{ variant: 'default' }}
        gap="sm"
      >
        <PasswordField value={draft.values.password} onChange={(password) => draft.setValues({ password })} />
      </ChangeForm>
      {setting.isSuccess ? (
        <Alert color="teal" role="status" title={form.saved}>
          <Text size="sm" mb="sm">
            {words.passwordOnce}
          </Text>
          <Account name={user.name} password={setting.variables} />
        </Alert>
      ) : null}
    </Stack>
  );
}
