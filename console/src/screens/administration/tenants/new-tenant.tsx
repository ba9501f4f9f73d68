/** The form of a new tenant. */
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { createTenant } from '../../../api/administration';
import { FailureView } from '../../../layout/failure-view';
import { administrationPath } from '../../../place';
import { texts } from '../../../texts';
import { useChange } from '../queries';

const { form, tenants: words } = texts.administration;

export function NewTenant({ close }: { readonly close: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [display, setDisplay] = useState('');
  const [zone, setZone] = useState('');
  const creation = useChange(createTenant);
  const create = (): void => {
    const given = {
      name: name.trim(),
      ...(display.trim() === '' ? {} : { display: display.trim() }),
      ...(zone.trim() === '' ? {} : { settings: { 'time-zone': zone.trim() } }),
    };
    creation.mutate(given, { onSuccess: (made) => void navigate(administrationPath(made.name)) });
  };
  return (
    <Modal opened onClose={close} title={words.new} closeButtonProps={{ 'aria-label': texts.common.close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create();
        }}
      >
        <Stack gap="sm">
          <TextInput
            label={words.newName}
            description={words.newNameHint}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            pattern="[a-z0-9\-]{1,63}"
            required
            data-autofocus
            autoComplete="off"
          />
          <TextInput
            label={words.display}
            description={words.newDisplayHint}
            value={display}
            onChange={(event) => setDisplay(event.currentTarget.value)}
            autoComplete="off"
          />
          <TextInput
            label={words.timeZone}
            description={words.timeZoneHint}
            value={zone}
            onChange={(event) => setZone(event.currentTarget.value)}
            autoComplete="off"
          />
          {creation.isError ? <FailureView error={creation.error} /> : null}
          <Group justify="end" gap="sm">
            <Button variant="default" onClick={close}>
              {texts.common.cancel}
            </Button>
            <Button type="submit" loading={creation.isPending}>
              {form.create}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
