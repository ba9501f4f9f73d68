/** All resource types of a release, those with records first. */
import { Group, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Capabilities } from '../../fhir/capabilities';
import { useCapabilities } from '../../fhir/search/search-definitions';
import { Loaded } from '../../layout/loaded';
import { ScreenHeading } from '../../layout/heading';
import type { Space } from '../../place';
import { texts } from '../../texts';
import { OpenBox } from './open-box';
import { TypeList } from './type-list';
import { useTypeCounts } from './type-counts';

const { resources } = texts;

export default function TypesScreen({ space }: { readonly space: Space }) {
  const capabilities = useCapabilities(space);
  return (
    <Stack gap="lg">
      <ScreenHeading intro={resources.intro} />
      <OpenBox space={space} />
      <Loaded query={capabilities}>{(value) => <Types space={space} capabilities={value} />}</Loaded>
    </Stack>
  );
}

function Types({ space, capabilities }: { readonly space: Space; readonly capabilities: Capabilities }) {
  const [filter, setFilter] = useState('');
  const all = [...capabilities.keys()];
  const types = all.filter((type) => type.toLowerCase().includes(filter.trim().toLowerCase()));
  const { counts, isPending } = useTypeCounts(space, all);
  const withRecords = types.filter((type) => (counts.get(type) ?? 0) > 0);
  const withoutRecords = types.filter((type) => counts.get(type) === 0);
  const notCounted = types.filter((type) => !counts.has(type));
  return (
    <Stack gap="md">
      <Group align="end">
        <TextInput
          label={resources.filterTypes}
          type="search"
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
          w={{ base: '100%', xs: 320 }}
        />
        {isPending ? <Loader size="xs" mb={10} role="status" aria-label={texts.common.loading} /> : null}
      </Group>
      {types.length === 0 ? <Text role="status">{resources.noTypes(filter)}</Text> : null}
      <TypeList space={space} title={resources.withRecords} types={withRecords} counts={counts} />
      <TypeList
        space={space}
        title={isPending ? resources.countingTypes : resources.notCountedTypes}
        types={notCounted}
        counts={counts}
      />
      <TypeList space={space} title={resources.withoutRecords} types={withoutRecords} counts={counts} />
    </Stack>
  );
}
