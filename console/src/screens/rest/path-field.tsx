/** The path of a request, completed by what the server says that it can. */
import { Autocomplete, Group, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useCapabilities, useSearchParameters, useSystemOperations } from '../../fhir/search-definitions';
import { absolute, fhirPath, type Space } from '../../place';
import { completePath, typeIn } from '../../rest/complete-path';
import { texts } from '../../texts';

const { rest } = texts;

export interface PathFieldProps {
  readonly space: Space;
  readonly value: string;
  readonly isForeign: boolean;
  readonly onChange: (path: string) => void;
}

export function PathField({ space, value, isForeign, onChange }: PathFieldProps) {
  const types = useCapabilities(space).data;
  const systemOperations = useSystemOperations(space).data;
  const type = types === undefined ? undefined : typeIn(value, types)?.type;
  const { parameters } = useSearchParameters(space, type ?? '');
  const proposals = useMemo(() => {
    if (types === undefined || systemOperations === undefined) return [];
    const slash = /^\//.exec(value)?.[0] ?? '';
    const found = completePath(value.slice(slash.length), { types, systemOperations, parameters });
    return found.map((each) => ({ ...each, path: slash + each.path }));
  }, [value, types, systemOperations, parameters]);
  const byPath = new Map(proposals.map((each) => [each.path, each]));
  return (
    <Autocomplete
      label={rest.path}
      description={rest.pathHint(absolute(fhirPath(space)))}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder="Patient?name=anders"
      data={[...byPath.keys()]}
      value={value}
      onChange={onChange}
      // Proposals fit the end of the path, and not the whole of it.
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
