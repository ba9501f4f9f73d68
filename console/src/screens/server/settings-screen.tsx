/** The settings in force, with where each comes from. */
import { Code, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listSettingsInForce } from '../../api/administration';
import { ScreenHeading } from '../../layout/heading';
import { Loaded } from '../../layout/loaded';
import { ANYWHERE, RecordTable } from '../../layout/record-table';
import { texts } from '../../texts';

const words = texts.server.settingsScreen;
const DEFAULT = 'default';

export function SettingsInForceScreen() {
  const settings = useQuery({ queryKey: ['server', 'settings'], queryFn: listSettingsInForce });
  const [text, setText] = useState('');
  const [isOnlySet, setIsOnlySet] = useState(false);
  const wanted = text.trim().toLowerCase();
  return (
    <Stack gap="md">
      <ScreenHeading intro={words.intro} />
      <Group align="end" gap="md">
        <TextInput
          type="search"
          label={words.find}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Switch
          label={words.onlySet}
          checked={isOnlySet}
          onChange={(event) => setIsOnlySet(event.currentTarget.checked)}
        />
      </Group>
      <Loaded query={settings}>
        {(list) => (
          <RecordTable
            rows={list.filter(
              ({ name, meaning, source }) =>
                (!isOnlySet || source !== DEFAULT) && `${name} ${meaning}`.toLowerCase().includes(wanted),
            )}
            empty={words.none}
            caption={words.caption}
            group={words.caption}
            hasCaption
            minWidth={560}
            keyOf={({ name }) => name}
            columns={[
              {
                title: words.name,
                cell: ({ name, meaning }) => (
                  <>
                    <Code>{name}</Code>
                    <Text size="xs" c="dimmed" maw={520}>
                      {meaning}
                    </Text>
                  </>
                ),
              },
              {
                title: words.value,
                ...ANYWHERE,
                cell: ({ value }) => (value === '' ? words.empty : <Code>{value}</Code>),
              },
              { title: words.source, cell: ({ source }) => source },
            ]}
          />
        )}
      </Loaded>
    </Stack>
  );
}
