/** A password that the browser has made, or that is typed. */
import { Button, Group, TextInput } from '@mantine/core';
import { CopyIcon } from '../../../layout/copy';
import { texts } from '../../../texts';
import { makePassword } from './password';

const words = texts.administration.people;

export function PasswordField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <Group gap="sm" align="end">
      <TextInput
        label={words.password}
        description={words.passwordHint}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        minLength={12}
        required
        autoComplete="off"
        spellCheck={false}
        rightSection={<CopyIcon value={value} what={words.password} />}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        flex="1 1 320px"
        maw={480}
      />
      <Button variant="default" onClick={() => onChange(makePassword())}>
        {words.another}
      </Button>
    </Group>
  );
}
