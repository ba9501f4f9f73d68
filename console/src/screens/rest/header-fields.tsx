/** The headers of a request, with completion of the usual ones. */
import { ActionIcon, Autocomplete, Button, Group, Stack } from '@mantine/core';
import { IconPlus, IconX } from '../../layout/icons/icons';
import { COMMON_HEADERS, faultOf, type Header } from '../../rest/headers';
import { texts } from '../../texts';

const { rest } = texts;
const NAMES = [...COMMON_HEADERS.keys()];

export interface HeaderFieldsProps {
  readonly headers: readonly Header[];
  readonly onChange: (headers: readonly Header[]) => void;
}

export function HeaderFields({ headers, onChange }: HeaderFieldsProps) {
  const change = (index: number, changes: Partial<Header>): void =>
    onChange(headers.map((header, place) => (place === index ? { ...header, ...changes } : header)));
  return (
    <Stack gap={6} role="group" aria-label={rest.headers}>
      {headers.map((header, index) => (
        <HeaderField
          key={index}
          place={index + 1}
          header={header}
          onChange={(changes) => change(index, changes)}
          onRemove={() => onChange(headers.filter((_, place) => place !== index))}
        />
      ))}
      <Group>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          c="inherit"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...headers, { name: '', value: '' }])}
        >
          {rest.addHeader}
        </Button>
      </Group>
    </Stack>
  );
}

interface HeaderFieldProps {
  readonly place: number;
  readonly header: Header;
  readonly onChange: (changes: Partial<Header>) => void;
  readonly onRemove: () => void;
}

function HeaderField({ place, header, onChange, onRemove }: HeaderFieldProps) {
  const { name, value } = header;
  const fault = faultOf(header);
  const words = fault === undefined ? undefined : rest.headerFaults[fault];
  const usual = [...COMMON_HEADERS].find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1] ?? [];
  return (
    <Group gap="xs" align="start" wrap="nowrap">
      <Autocomplete
        aria-label={rest.header(place)}
        data={NAMES}
        value={name}
        onChange={(text) => onChange({ name: text })}
        error={fault === 'value' ? undefined : words}
        spellCheck={false}
        flex="1 1 140px"
      />
      <Autocomplete
        aria-label={rest.headerValue(place)}
        data={[...usual]}
        value={value}
        onChange={(text) => onChange({ value: text })}
        error={fault === 'value' ? words : undefined}
        spellCheck={false}
        flex="2 1 180px"
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={rest.removeHeader(place)}
        onClick={onRemove}
      >
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
