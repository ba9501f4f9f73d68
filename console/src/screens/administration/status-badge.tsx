import { Badge } from '@mantine/core';
import { texts } from '../../texts';

const { form } = texts.administration;

/** A state in a word that is never cut; the color of the dot repeats what the word says. */
export function StateBadge({ color, label }: { readonly color: string; readonly label: string }) {
  return (
    <Badge variant="dot" color={color} tt="none" styles={{ label: { overflow: 'visible' } }}>
      {label}
    </Badge>
  );
}

/** The same for things that are in use or not. */
export function StatusBadge({ isGood, label }: { readonly isGood: boolean; readonly label: string }) {
  return <StateBadge color={isGood ? 'teal' : 'gray'} label={label} />;
}

/** The same for clients and accounts. */
export function EnabledBadge({ isDisabled }: { readonly isDisabled: boolean }) {
  return <StatusBadge isGood={!isDisabled} label={isDisabled ? form.disabled : form.active} />;
}
