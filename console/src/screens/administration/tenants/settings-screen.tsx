/** The settings of a tenant, with what they mean. */
import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  changeTenant,
  listSettings,
  type SettingDescription,
  type TenantDetails,
} from '../../../api/administration';
import { FailureView } from '../../../layout/failure-view';
import { Loaded } from '../../../layout/loaded';
import { useIsOperator } from '../../../layout/use-administration';
import { texts } from '../../../texts';
import { ScreenHeading } from '../../../layout/heading';
import { ConfirmDialog } from '../confirm';
import { useChange, useTenant, useTenantDetails } from '../queries';
import { Saved } from '../saved';
import { ClientRates } from './client-rates';
import { changedSettings, endsSessions } from './setting-changes';
import { SettingField } from './setting-field';

const words = texts.administration.settingsScreen;

/** New values of settings, by name; null resets one. */
type Changes = Readonly<Record<string, string | null>>;

export function SettingsScreen() {
  const tenant = useTenant();
  const details = useTenantDetails(tenant);
  const isOperator = useIsOperator();
  const settings = useQuery({
    queryKey: ['administration-settings'],
    queryFn: listSettings,
    staleTime: Infinity,
  });
  return (
    <Stack gap="lg">
      <ScreenHeading place={tenant} intro={words.intro} />
      <Loaded query={settings}>
        {(list) => (
          <Loaded query={details}>
            {(found) => (
              <>
                <Settings tenant={found} settings={list} />
                {isOperator ? <ClientRates tenant={found} /> : null}
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </Stack>
  );
}

function Settings({
  tenant,
  settings,
}: {
  readonly tenant: TenantDetails;
  readonly settings: readonly SettingDescription[];
}) {
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>({});
  const isOperator = useIsOperator();
  const changed = changedSettings(draft, tenant);
  const names = Object.keys(changed);
  const saving = useChange((changes: Changes) => changeTenant(tenant.name, { settings: changes }));
  /** Changes that wait for an answer. */
  const [asked, setAsked] = useState<Changes>();
  const send = (changes: Changes): void =>
    saving.mutate(changes, {
      onSettled: () => setAsked(undefined),
      onSuccess: () =>
        setDraft((now) => Object.fromEntries(Object.entries(now).filter(([name]) => !(name in changes)))),
    });
  const save = (changes: Changes): void =>
    endsSessions(changes, tenant, settings) ? setAsked(changes) : send(changes);
  const wrong = saving.isError ? saving.error.message : '';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save(changed);
      }}
    >
      <Stack gap="md">
        {settings.map((setting) => (
          <SettingField
            key={setting.name}
            setting={setting}
            value={draft[setting.name] ?? tenant.settings[setting.name] ?? ''}
            isOwn={tenant.own.includes(setting.name)}
            isChanged={names.includes(setting.name)}
            isFixed={setting.fixed || (setting.operator && !isOperator)}
            isWrong={wrong.includes(`'${setting.name}'`)}
            change={(value) => setDraft({ ...draft, [setting.name]: value })}
            save={save}
          />
        ))}
        <ConfirmDialog
          title={words.requireTitle}
          words={words.requireWords}
          action={words.requireAction}
          isOpen={asked !== undefined}
          isRunning={saving.isPending}
          close={() => setAsked(undefined)}
          start={() => send(asked ?? {})}
        />
        {saving.isError ? <FailureView error={saving.error} /> : null}
        <Saved
          isSaved={saving.isSuccess && names.length === 0}
          words={words.savedNames(Object.keys(saving.variables ?? {}).join(', '))}
        />
        {names.length === 0 ? null : (
          <Paper withBorder shadow="md" p="sm" pos="sticky" bottom={12}>
            <Group justify="space-between" gap="sm">
              <Text size="sm">{words.unsaved(names.length)}</Text>
              <Group gap="sm">
                <Button variant="default" onClick={() => setDraft({})}>
                  {words.discard}
                </Button>
                <Button type="submit" loading={saving.isPending}>
                  {words.saveAll}
                </Button>
              </Group>
            </Group>
          </Paper>
        )}
      </Stack>
    </form>
  );
}
