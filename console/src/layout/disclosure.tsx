/** A button that shows or hides what stands below it. */
import { Button } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from './icons/icons';

export interface DisclosureProps {
  readonly label: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export function Disclosure({ label, isOpen, onToggle }: DisclosureProps) {
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      justify="flex-start"
      c="inherit"
      aria-expanded={isOpen}
      onClick={onToggle}
      leftSection={<Chevron size={14} aria-hidden />}
    >
      {label}
    </Button>
  );
}
