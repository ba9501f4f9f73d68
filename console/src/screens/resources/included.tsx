/** The records that a search includes beside its matches. */
import { Anchor, Table, Title } from '@mantine/core';
import { useId } from 'react';
import { Link } from 'react-router';
import { textOf, type JsonObject } from '../../api/json';
import { formatTitle } from '../../fhir/format';
import { resourcePath, type Space } from '../../place';
import { texts } from '../../texts';
import classes from './record-table.module.css';

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
      <Table.ScrollContainer minWidth={320}>
        <Table verticalSpacing={6} className={classes['table'] ?? ''}>
          <Table.Caption className={classes['caption'] ?? ''}>{resources.includedCaption}</Table.Caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{resources.type}</Table.Th>
              <Table.Th scope="col">{resources.id}</Table.Th>
              <Table.Th scope="col">{resources.name}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {records.map((record) => {
              const [type, key] = [textOf(record['resourceType']) ?? '', textOf(record['id']) ?? ''];
              const title = formatTitle(record);
              return (
                <Table.Tr key={`${type}/${key}`}>
                  <Table.Td>{type}</Table.Td>
                  <Table.Td>
                    <Anchor component={Link} to={resourcePath(space, type, key)} size="sm">
                      {key}
                    </Anchor>
                  </Table.Td>
                  <Table.Td>{title === `${type}/${key}` ? '' : title}</Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
