/** Counts the records with a code when a person asks for it: it takes a search for each parameter. */
import { Anchor, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { countUses, type Uses } from '../../api/code-uses';
import type { Capabilities } from '../../fhir/capabilities';
import type { Coded } from '../../fhir/code-searches';
import { useCapabilities } from '../../fhir/search/search-definitions';
import { Part } from '../../layout/heading';
import { Loaded } from '../../layout/loaded';
import { NUMBER, RecordTable } from '../../layout/record-table';
import { fhirPath, type Space } from '../../place';
import { texts } from '../../texts';

const { terminology } = texts;
/** Reasons of refusals that are shown. */
const REASONS = 3;

export interface CodeUsesProps {
  readonly space: Space;
  readonly system: string;
  readonly code: string;
}

export function CodeUses({ space, system, code }: CodeUsesProps) {
  const form = useForm({ initialValues: { isBelow: false } });
  const [asked, setAsked] = useState<{ readonly isBelow: boolean; readonly time: number }>();
  return (
    <Part title={terminology.uses} hint={terminology.usesHint}>
      <form onSubmit={form.onSubmit(({ isBelow }) => setAsked({ isBelow, time: (asked?.time ?? 0) + 1 }))}>
        <Group gap="sm">
          <Checkbox label={terminology.usesBelow} {...form.getInputProps('isBelow', { type: 'checkbox' })} />
          <Button type="submit" size="xs" variant="default">
            {terminology.count}
          </Button>
        </Group>
      </form>
      {asked === undefined ? null : (
        <Counted key={asked.time} space={space} coded={{ system, code, isBelow: asked.isBelow }} />
      )}
    </Part>
  );
}

interface CountedProps {
  readonly space: Space;
  readonly coded: Coded;
}

function Counted({ space, coded }: CountedProps) {
  const capabilities = useCapabilities(space);
  return (
    <Loaded query={capabilities}>
      {(known) => <Counts space={space} coded={coded} capabilities={known} />}
    </Loaded>
  );
}

function Counts({ space, coded, capabilities }: CountedProps & { readonly capabilities: Capabilities }) {
  const uses = useQuery({
    queryKey: ['code-uses', space, coded],
    queryFn: ({ signal }) => countUses(space, capabilities, coded, signal),
    retry: false,
    gcTime: 0,
  });
  return <Loaded query={uses}>{(value) => <UseTable space={space} uses={value} />}</Loaded>;
}

function UseTable({ space, uses }: { readonly space: Space; readonly uses: Uses }) {
  const { found, searches, refused, left } = uses;
  const asked = searches.toLocaleString();
  return (
    <Stack gap={4} mt="sm">
      <Text size="sm" c="dimmed" role="status">
        {found.length === 0 ? terminology.noUses(asked) : terminology.usesFound(asked)}
      </Text>
      <RecordTable
        rows={found}
        caption={terminology.usesCaption}
        look={{ verticalSpacing: 4 }}
        minWidth={300}
        keyOf={({ type, parameter }) => `${type}?${parameter}`}
        columns={[
          { title: terminology.usesType, cell: ({ type }) => type },
          { title: terminology.usesParameter, cell: ({ parameter }) => parameter },
          {
            title: terminology.usesCount,
            ...NUMBER,
            cell: ({ type, query, count }) => (
              <Anchor component={Link} to={`${fhirPath(space, type)}?${query}`} size="sm">
                {count.toLocaleString()}
              </Anchor>
            ),
          },
        ]}
      />
      {[...refused].slice(0, REASONS).map(([reason, count]) => (
        <Text key={reason} size="sm">
          {terminology.usesRefused(count, reason)}
        </Text>
      ))}
      {left === 0 ? null : <Text size="sm">{terminology.usesLeft(left.toLocaleString())}</Text>}
    </Stack>
  );
}
