/** The first records that refer to a record in one way. */
import { Anchor, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { textOf, type JsonObject } from '../../../api/json';
import { searchRecords } from '../../../api/records';
import type { TypeDefinition } from '../../../fhir/definitions';
import { observedText } from '../../../fhir/observed-text';
import { useHeadline } from '../../../fhir/render/use-names';
import { useDefinition } from '../../../fhir/search/search-definitions';
import { Loaded } from '../../../layout/loaded';
import { resourcePath, type Space } from '../../../place';
import type { Referrer } from './use-referrers';

const SHOWN = 5;

export interface ReferrerRecordsProps {
  readonly space: Space;
  readonly referrer: Referrer;
  /** `Type/id` */
  readonly target: string;
}

export function ReferrerRecords({ space, referrer: { type, parameter }, target }: ReferrerRecordsProps) {
  const definition = useDefinition(space, type).data ?? undefined;
  const query = useQuery({
    queryKey: ['referrer-records', space, type, parameter, target],
    queryFn: ({ signal }) =>
      searchRecords(space, { type, query: `${parameter}=${target}` }, { first: SHOWN, signal }),
  });
  return (
    <Loaded query={query}>
      {({ matches }) => (
        <List size="sm" my={4}>
          {matches.map((record) => (
            <Item key={textOf(record['id'])} space={space} record={record} definition={definition} />
          ))}
        </List>
      )}
    </Loaded>
  );
}

interface ItemProps {
  readonly space: Space;
  readonly record: JsonObject;
  readonly definition: TypeDefinition | undefined;
}

function Item({ space, record, definition }: ItemProps) {
  const [type, id] = [textOf(record['resourceType']) ?? '', textOf(record['id']) ?? ''];
  const name = useHeadline(space, record, definition);
  return (
    <List.Item style={{ overflowWrap: 'anywhere' }}>
      <Anchor underline="always" component={Link} to={resourcePath(space, type, id)} size="sm">
        {name ?? `${type}/${id}`}
      </Anchor>
      <Text span size="xs" c="dimmed" ml={8}>
        {[observedText(record), name === undefined ? '' : id].filter((text) => text !== '').join(' · ')}
      </Text>
    </List.Item>
  );
}
