/** The path of a request, completed by what the server says that it can. */
import { Autocomplete, Group, Text } from '@mantine/core';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import {
  useCapabilities,
  useSearchParameters,
  useSystemOperations,
} from '../../fhir/search/search-definitions';
import { absolute, fhirPath, type Space } from '../../place';
import { completePath, typeIn, type Proposal } from '../../rest/complete-path';
import { texts } from '../../texts';

const { rest } = texts;

export interface PathFieldProps {
  readonly space: Space;
  readonly value: string;
  readonly isForeign: boolean;
  readonly onChange: (path: string) => void;
}

export function PathField({ space, value, isForeign, onChange }: PathFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  /** Where one writes: the end of the path until the field is used. */
  const [caret, setCaret] = useState(Infinity);
  /** The proposal that was chosen, until it is written. */
  const next = useRef<Proposal>(undefined);
  const types = useCapabilities(space).data;
  const systemOperations = useSystemOperations(space).data;
  const type = types === undefined ? undefined : typeIn(value, types)?.type;
  const { parameters } = useSearchParameters(space, type ?? '');
  const proposals = useMemo(() => {
    if (types === undefined || systemOperations === undefined) return [];
    const slash = /^\//.exec(value)?.[0] ?? '';
    const at = Math.max(0, Math.min(caret, value.length) - slash.length);
    const found = completePath(value.slice(slash.length), { types, systemOperations, parameters }, at);
    return found.map((each) => ({ ...each, path: slash + each.path, caret: slash.length + each.caret }));
  }, [value, caret, types, systemOperations, parameters]);
  useLayoutEffect(() => {
    if (next.current?.path === value)
      input.current?.setSelectionRange(next.current.caret, next.current.caret);
    next.current = undefined;
  }, [value]);
  const byPath = new Map(proposals.map((each) => [each.path, each]));
  return (
    <Autocomplete
      label={rest.path}
      description={rest.pathHint(absolute(fhirPath(space)))}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder="Patient?name=anders"
      data={[...byPath.keys()]}
      value={value}
      ref={input}
      onChange={(path) => {
        const chosen = byPath.get(path);
        next.current = chosen;
        setCaret(chosen?.caret ?? input.current?.selectionStart ?? Infinity);
        onChange(path);
      }}
      onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart ?? Infinity)}
      // Proposals fit what stands at the caret, and not the whole path.
      filter={({ options }) => options}
      maxDropdownHeight={320}
      renderOption={({ option }) => (
        <Group gap="xs" wrap="nowrap">
          <Text size="sm">{byPath.get(option.value)?.label ?? option.value}</Text>
          <Text size="xs" c="dimmed">
            {byPath.get(option.value)?.details ?? ''}
          </Text>
        </Group>
      )}
      error={isForeign ? rest.foreign : undefined}
      autoCapitalize="off"
      spellCheck={false}
      flex="1 1 260px"
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
    />
  );
}
