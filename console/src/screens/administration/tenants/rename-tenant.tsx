/** The name that people see of a tenant. */
import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { changeTenant, type TenantDetails } from '../../../api/administration';
import { FailureView } from '../../../layout/failure-view';
import { texts } from '../../../texts';
import { useChange } from '../queries';
import { Saved } from '../saved';

const { form, tenant: words } = texts.administration;

export function RenameTenant({ tenant }: { readonly tenant: TenantDetails }) {
  const [display, setDisplay] = useState(tenant.display);
  const renaming = useChange((name: string) =>
    changeTenant(tenant.name, { display: name === '' ? null : name }),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        renaming.mutate(display.trim(), { onSuccess: (changed) => setDisplay(changed.display) });
      }}
    >
      <Group gap="sm" align="end" mt="md">
        <TextInput
          label={words.rename}
          description={words.renameHint}
          value={display}
          onChange={(event) => setDisplay(event.currentTarget.value)}
          autoComplete="off"
        />
        <Button type="submit" variant="default" loading={renaming.isPending}>
          {form.save}
        </Button>
        <Saved isSaved={renaming.isSuccess} />
      </Group>
      {renaming.isError ? <FailureView error={renaming.error} /> : null}
    </form>
  );
}
