/** A text that people copy, with a button for it. */
import { ActionIcon, Code, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from './icons/icons';
import { texts } from '../texts';
import print from './print.module.css';

/** Nothing over http, where browsers refuse to copy. */
export function CopyIcon({ value, what }: { readonly value: string; readonly what: string }) {
  if (!window.isSecureContext) return null;
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? texts.common.copied : texts.common.copy}>
          <ActionIcon
            variant="subtle"
            // Nobody copies from paper.
            className={print['screen'] ?? ''}
            color={copied ? 'teal' : 'gray'}
            aria-label={texts.common.copyThing(what)}
            onClick={copy}
          >
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** A line of code with a button that copies it. */
export function CopyLine({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <Group gap="xs" wrap="nowrap" align="start" role="group" aria-label={what}>
      <Code block flex={1} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {value}
      </Code>
      <CopyIcon value={value} what={what} />
    </Group>
  );
}

/** The same under its name. */
export function CopyField({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <div>
      <Text size="sm" fw={500}>
        {what}
      </Text>
      <CopyLine what={what} value={value} />
    </div>
  );
}
