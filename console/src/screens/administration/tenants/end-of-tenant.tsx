/** Disables, enables and removes a tenant. */
import { Group, Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { changeTenant, removeTenant, type TenantDetails } from '../../../api/administration';
import { operatorPath } from '../../../place';
import { texts } from '../../../texts';
import { Confirm } from '../confirm';
import { Part } from '../../../layout/heading';
import { useChange, useForget } from '../queries';
import { formatCount } from './amounts';

const { form, tenant: words } = texts.administration;

interface Rows {
  readonly removed: number;
  readonly left: number;
}

export function EndOfTenant({ tenant: { name, status } }: { readonly tenant: TenantDetails }) {
  const navigate = useNavigate();
  const forget = useForget();
  const [rows, setRows] = useState<Rows>();
  const enabling = useChange((wanted: 'active' | 'disabled') => changeTenant(name, { status: wanted }));
  /** One answer comes after 20 seconds at most, so that a large tenant takes several requests. */
  const remove = async (): Promise<void> => {
    for (let isComplete = false; !isComplete;) {
      const removal = await removeTenant(name);
      isComplete = removal.isComplete;
      const sum = (of: 'removed' | 'left'): number =>
        removal.tables.reduce((total, table) => total + table[of], 0);
      setRows((before) => ({ removed: (before?.removed ?? 0) + sum('removed'), left: sum('left') }));
    }
    await navigate(operatorPath(), { replace: true });
    forget(name);
  };
  if (name === 'system')
    return (
      <Part title={words.danger}>
        <Text size="sm">{words.systemStays}</Text>
      </Part>
    );
  const isDisabled = status === 'disabled';
  return (
    <Part title={words.danger}>
      <Stack gap="sm">
        <Group gap="md">
          {status === 'active' || isDisabled ? (
            <Confirm
              label={isDisabled ? form.enable : form.disable}
              title={words.disableTitle(name)}
              words={words.disableWords}
              action={form.disable}
              isDirect={isDisabled}
              run={() => enabling.mutateAsync(isDisabled ? 'active' : 'disabled')}
            />
          ) : null}
          <Text size="sm">{words.disableHint}</Text>
        </Group>
        <Group gap="md">
          <Confirm
            label={words.removeButton}
            title={words.removeTitle(name)}
            words={words.removeWords}
            action={words.removeButton}
            typed={{ label: words.removeType(name), text: name }}
            button={{ color: 'red', variant: 'outline' }}
            run={remove}
            progress={<RemovalProgress rows={rows} />}
          />
          <Text size="sm">{words.removeHint}</Text>
        </Group>
      </Stack>
    </Part>
  );
}

function RemovalProgress({ rows }: { readonly rows: Rows | undefined }) {
  const { removed, left } = rows ?? { removed: 0, left: 0 };
  const all = removed + left;
  return (
    <div role="status">
      <Text size="sm">
        {rows === undefined ? words.removing : words.removeProgress(formatCount(removed), formatCount(left))}
      </Text>
      <Progress value={all === 0 ? 100 : (100 * removed) / all} animated mt={4} aria-label={words.removing} />
    </div>
  );
}
