/** One account: its settings, a new password, its end. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { changeUser, readUser, removeUser, type User } from '../../../api/administration';
import { FailureView } from '../../../layout/failure-view';
import { Loaded } from '../../../layout/loaded';
import { administrationPath } from '../../../place';
import { texts } from '../../../texts';
import { Confirm } from '../confirm';
import { Part, ScreenHeading } from '../heading';
import { useChange, useTenant } from '../queries';
import { Saved } from '../saved';
import { EnabledBadge } from '../status-badge';
import { endsSessions, userChangesOf, userDraftOf } from './draft';
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
      <Part title={words.newPassword} hint={words.newPasswordHint}>
        <NewPassword tenant={tenant} user={user} />
      </Part>
    </Stack>
  );
}

function UserForm({ tenant, user }: UserViewProps) {
  const [draft, setDraft] = useState(() => userDraftOf(user));
  const saving = useChange(() => changeUser(tenant, user.id, userChangesOf(draft, user)));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate(undefined);
      }}
    >
      <Stack gap="md">
        <UserFields tenant={tenant} draft={draft} change={setDraft} />
        {endsSessions(draft, user) ? (
          <Alert color="yellow" p="xs">
            {words.identityWarning}
          </Alert>
        ) : null}
        {saving.isError ? <FailureView error={saving.error} /> : null}
        <Group gap="sm">
          <Button type="submit" loading={saving.isPending}>
            {form.save}
          </Button>
          <Saved isSaved={saving.isSuccess} />
        </Group>
      </Stack>
    </form>
  );
}

function NewPassword({ tenant, user }: UserViewProps) {
  const [password, setPassword] = useState(makePassword);
  const setting = useChange((chosen: string) => changeUser(tenant, user.id, { password: chosen }));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setting.mutate(password);
      }}
    >
      <Stack gap="sm">
        <PasswordField value={password} onChange={setPassword} />
        {setting.isError ? <FailureView error={setting.error} /> : null}
        <Group>
          <Button type="submit" variant="default" loading={setting.isPending}>
            {words.setPassword}
          </Button>
        </Group>
        {setting.isSuccess ? (
          <Alert color="teal" role="status" title={form.saved}>
            <Text size="sm" mb="sm">
              {words.passwordOnce}
            </Text>
            <Account name={user.name} password={setting.variables} />
          </Alert>
        ) : null}
      </Stack>
    </form>
  );
}
