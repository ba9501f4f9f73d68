/** Where an invitation is sent; nothing where the server sends no mail. */
import { TextInput } from '@mantine/core';
import { texts } from '../../../texts';
import { useCanMail } from '../queries';

const words = texts.administration.people.invitation;

export function EmailField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  if (!useCanMail()) return null;
  return (
    <TextInput
      type="email"
      label={words.email}
      description={words.emailHint}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      maw={520}
    />
  );
}
