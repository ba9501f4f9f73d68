/** The form of a new tenant. */
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from 'react-router';
import { createTenant } from '../../../api/administration';
import { operatorPath } from '../../../place';
import { texts } from '../../../texts';
import { ChangeDialog } from '../change-form';
import { useChange } from '../queries';

const { form, tenants: words } = texts.administration;

export function NewTenant({ close }: { readonly close: () => void }) {
  const navigate = useNavigate();
  const draft = useForm({ initialValues: { name: '', display: '', zone: '' } });
  const creation = useChange(({ name, display, zone }: typeof draft.values) =>
    createTenant({
      name: name.trim(),
      ...(display.trim() === '' ? {} : { display: display.trim() }),
      ...(zone.trim() === '' ? {} : { settings: { 'time-zone': zone.trim() } }),
    }),
  );
  return (
    <ChangeDialog
      title={words.new}
      form={draft}
      change={creation}
      send={(given) => creation.mutate(given, { onSuccess: ({ name }) => void navigate(operatorPath(name)) })}
      action={form.create}
      close={close}
    >
      <TextInput
        label={words.newName}
        description={words.newNameHint}
        {...draft.getInputProps('name')}
        pattern="[a-z0-9\-]{1,63}"
        required
        data-autofocus
        autoComplete="off"
      />
      <TextInput
        label={words.display}
        description={words.newDisplayHint}
        {...draft.getInputProps('display')}
        autoComplete="off"
      />
      <TextInput
        label={words.timeZone}
        description={words.timeZoneHint}
        {...draft.getInputProps('zone')}
        autoComplete="off"
      />
    </ChangeDialog>
  );
}
