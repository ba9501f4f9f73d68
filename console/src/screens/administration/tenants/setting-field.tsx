/** One setting: what it means, its value, its default, and the way back to it. */
import { Badge, Button, Group, Paper, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { SettingDescription } from '../../../api/administration';
import { texts } from '../../../texts';
import { kindOfSetting, toSentence } from './setting-changes';

const { form, settingsScreen: words } = texts.administration;

export interface SettingFieldProps {
  readonly setting: SettingDescription;
  readonly value: string;
  /** Set for the tenant, and not the default of the server. */
  readonly isOwn: boolean;
  readonly isChanged: boolean;
  readonly isWrong: boolean;
  readonly change: (value: string) => void;
  /** The person may not change it here. */
  readonly isFixed: boolean;
  /** Null resets a setting. */
  readonly save: (changes: Readonly<Record<string, string | null>>) => void;
}

export function SettingField(props: SettingFieldProps) {
  const { setting, value, isOwn, isChanged, isFixed, save } = props;
  const { name, meaning, defaultFrom, fixed } = setting;
  return (
    <Paper withBorder p="sm" component="section" aria-label={name}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Stack gap={4}>
          <Group gap="xs">
            <Text fw={600} ff="monospace" size="sm">
              {name}
            </Text>
            {isOwn ? (
              <Badge variant="outline" tt="none">
                {words.own}
              </Badge>
            ) : null}
          </Group>
          <Text size="sm">{toSentence(meaning)}</Text>
          <Text size="xs" c="dimmed">
            {fixed ? words.fixed : words.defaultIs(setting.default)}
            {fixed || defaultFrom === undefined ? null : `. ${words.from(defaultFrom)}`}
          </Text>
          {isFixed && !fixed ? (
            <Text size="xs" c="dimmed">
              {words.ofOperator}
            </Text>
          ) : null}
        </Stack>
        <Stack gap="xs">
          <SettingInput {...props} />
          <Group gap="xs">
            {isChanged ? (
              <Button
                size="xs"
                onClick={() => save({ [name]: value.trim() })}
                aria-label={words.saveOf(name)}
              >
                {form.save}
              </Button>
            ) : null}
            {isOwn && !isFixed ? (
              <Button
                size="xs"
                variant="default"
                onClick={() => save({ [name]: null })}
                aria-label={words.resetOf(name)}
              >
                {words.reset}
              </Button>
            ) : null}
          </Group>
        </Stack>
      </SimpleGrid>
    </Paper>
  );
}

function SettingInput({ setting, value, isFixed, isWrong, change }: SettingFieldProps) {
  const { name, values, expects } = setting;
  const kind = kindOfSetting(setting);
  if (kind === 'choice')
    return (
      <Select
        aria-label={name}
        data={[...(values ?? [])]}
        value={value}
        onChange={(chosen) => change(chosen ?? value)}
        allowDeselect={false}
        disabled={isFixed}
      />
    );
  return (
    <TextInput
      aria-label={name}
      description={isFixed ? undefined : words.expects(expects ?? '')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
      error={isWrong ? words.expects(expects ?? '') : undefined}
      readOnly={isFixed}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
