/** The definitions of one kind with a filter. */
import { Anchor, Badge, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDeferredValue, useState } from 'react';
import { Link } from 'react-router';
import type { Definition, DefinitionList, Kind } from '../../api/terminology';
import { Loaded } from '../../layout/loaded';
import { NUMBER, RecordTable, type RecordColumn } from '../../layout/record-table';
import { Part } from '../../layout/heading';
import { fhirPath, screenPath, type Space } from '../../place';
import { texts } from '../../texts';
import classes from './terminology.module.css';
import { useDefinitions } from './use-definitions';

const { terminology } = texts;
const AT_ONCE = 50;

const OF_CODE_SYSTEMS: readonly RecordColumn<Definition>[] = [
  {
    title: terminology.conceptsColumn,
    ...NUMBER,
    cell: ({ concepts }) => concepts?.toLocaleString(),
  },
  {
    title: terminology.storedColumn,
    cell: ({ stored }) => (stored === undefined ? null : terminology.stored[stored]),
  },
];

export interface DefinitionBrowserProps {
  readonly space: Space;
  readonly kind: Kind;
}

export function DefinitionBrowser({ space, kind }: DefinitionBrowserProps) {
  const definitions = useDefinitions(space, kind);
  return (
    <Part title={terminology.kinds[kind]}>
      <Loaded query={definitions}>{(list) => <Definitions space={space} kind={kind} list={list} />}</Loaded>
    </Part>
  );
}

function Definitions({ space, kind, list }: DefinitionBrowserProps & { readonly list: DefinitionList }) {
  const [text, setText] = useState('');
  const [limit, setLimit] = useState(AT_ONCE);
  const wanted = useDeferredValue(text).trim().toLowerCase();
  const found = list.definitions.filter(({ name, url, id }) =>
    `${name}\n${url}\n${id}`.toLowerCase().includes(wanted),
  );
  return (
    <Stack gap="xs">
      <Group align="end">
        <TextInput
          type="search"
          aria-label={terminology.filterKinds(terminology.kinds[kind])}
          placeholder={terminology.filter}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setLimit(AT_ONCE);
          }}
          w={{ base: '100%', xs: 360 }}
        />
        <Text size="sm" c="dimmed" role="status" pb={8}>
          {terminology.matches(found.length.toLocaleString(), list.definitions.length.toLocaleString())}
        </Text>
      </Group>
      {list.isCut ? (
        <Text size="sm">
          {terminology.incomplete}{' '}
          <Anchor component={Link} to={fhirPath(space, kind)} size="sm" underline="always">
            {terminology.searchAll(kind)}
          </Anchor>
        </Text>
      ) : null}
      <RecordTable
        rows={found.slice(0, limit)}
        empty={<Text size="sm">{terminology.none}</Text>}
        caption={terminology.caption(terminology.kinds[kind])}
        look={{ verticalSpacing: 6 }}
        minWidth={kind === 'CodeSystem' ? 720 : 480}
        keyOf={({ id }) => id}
        more={
          found.length > limit
            ? {
                label: terminology.showMore(Math.min(AT_ONCE, found.length - limit)),
                load: () => setLimit(limit + AT_ONCE),
              }
            : undefined
        }
        columns={[
          {
            title: terminology.name,
            cell: ({ id, name, isOwn }) => (
              <Group gap="xs">
                <Anchor component={Link} to={screenPath(space, `terminology/${kind}/${id}`)} size="sm">
                  {name}
                </Anchor>
                {isOwn ? (
                  <Badge size="sm" variant="light" tt="none">
                    {terminology.own}
                  </Badge>
                ) : null}
              </Group>
            ),
          },
          {
            title: terminology.url,
            cells: { className: classes['url'] ?? '' },
            cell: ({ url }) => url,
          },
          { title: terminology.version, cell: ({ version }) => version },
          ...(kind === 'CodeSystem' ? OF_CODE_SYSTEMS : []),
          { title: terminology.status, cell: ({ status }) => status },
        ]}
      />
    </Stack>
  );
}
