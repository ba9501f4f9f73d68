/** Chooses the columns of the table. */
import { Button, Checkbox, Popover, ScrollArea, Stack } from '@mantine/core';
import { IconColumns3 } from '../../layout/icons/icons';
import type { Column } from '../../fhir/search/search-columns';
import { texts } from '../../texts';

const { resources } = texts;

export interface ColumnsMenuProps {
  readonly all: readonly Column[];
  readonly shown: readonly Column[];
  readonly onChoose: (names: readonly string[] | undefined) => void;
}

export function ColumnsMenu({ all, shown, onChoose }: ColumnsMenuProps) {
  const names = shown.map(({ name }) => name);
  return (
    <Popover position="bottom-end" trapFocus withRoles shadow="md">
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={<IconColumns3 size={14} aria-hidden />}>
          {resources.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={resources.chooseColumns}>
        <Stack gap="sm">
          <ScrollArea.Autosize mah={320} offsetScrollbars>
            <Checkbox.Group label={resources.chooseColumns} value={names} onChange={onChoose}>
              <Stack gap={6} mt="xs">
                {all.map(({ name, label }) => (
                  <Checkbox key={name} value={name} label={label} size="xs" />
                ))}
              </Stack>
            </Checkbox.Group>
          </ScrollArea.Autosize>
          <Button size="xs" variant="default" onClick={() => onChoose(undefined)}>
            {resources.defaultColumns}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
