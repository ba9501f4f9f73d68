/** The records that a search includes beside its matches. */
import { Anchor, Title } from '@mantine/core';
import { useId } from 'react';
import { Link } from 'react-router';
import { textOf, type JsonObject } from '../../api/json';
import { useHeadline } from '../../fhir/render/use-names';
import { RecordTable } from '../../layout/record-table';
import { resourcePath, type Space } from '../../place';
import { texts } from '../../texts';

const { resources } = texts;

export function Included({
  space,
  records,
}: {
  readonly space: Space;
  readonly records: readonly JsonObject[];
}) {
  const id = useId();
  if (records.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <Title order={2} size="h5" id={id} mb="xs">
        {resources.included}
      </Title>
      <RecordTable
        rows={records.map((record) => ({ ...keyOf(record), record }))}
        caption={resources.includedCaption}
        look={{ verticalSpacing: 6 }}
        minWidth={320}
        keyOf={({ type, id: key }) => `${type}/${key}`}
        columns={[
          { title: resources.type, cell: ({ type }) => type },
          {
            title: resources.id,
            cell: ({ type, id: key }) => (
              <Anchor component={Link} to={resourcePath(space, type, key)} size="sm">
                {key}
              </Anchor>
            ),
          },
          {
            title: resources.name,
            cell: ({ record }) => <Name space={space} record={record} />,
          },
        ]}
      />
    </section>
  );
}

function Name({ space, record }: { readonly space: Space; readonly record: JsonObject }) {
  return useHeadline(space, record) ?? '';
}

function keyOf({ resourceType, id }: JsonObject): { readonly type: string; readonly id: string } {
  return { type: textOf(resourceType) ?? '', id: textOf(id) ?? '' };
}
