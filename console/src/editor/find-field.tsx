/** A field that finds a text in an editor. */
import { ActionIcon, Group, Text, TextInput } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconSearch } from '../layout/icons/icons';
import { useState, type RefObject } from 'react';
import { texts } from '../texts';
import type { EditorHandle } from './code-editor';
import type { Found } from './find';

const { editing } = texts;

export function FindField({ editor }: { readonly editor: RefObject<EditorHandle | null> }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState<Found>();
  const go = (wanted: string, direction: 'next' | 'previous'): void => {
    const result = editor.current?.find(wanted, direction);
    setFound(wanted === '' ? undefined : result);
  };
  return (
    <Group gap={4} wrap="nowrap" role="search">
      <TextInput
        size="xs"
        aria-label={editing.find}
        placeholder={editing.find}
        leftSection={<IconSearch size={14} aria-hidden />}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          go(currentTarget.value, 'next');
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          go(text, event.shiftKey ? 'previous' : 'next');
        }}
      />
      <ActionIcon
        variant="default"
        size="md"
        aria-label={editing.findPrevious}
        disabled={text === ''}
        onClick={() => go(text, 'previous')}
      >
        <IconChevronUp size={14} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size="md"
        aria-label={editing.findNext}
        disabled={text === ''}
        onClick={() => go(text, 'next')}
      >
        <IconChevronDown size={14} aria-hidden />
      </ActionIcon>
      <Text size="xs" c="dimmed" role="status" style={{ whiteSpace: 'nowrap' }}>
        {found === undefined
          ? ''
          : found.count === 0
            ? editing.foundNone
            : editing.found(found.index, found.count)}
      </Text>
    </Group>
  );
}
