/** A list of objects with the same simple members as a table. */
import { Table, VisuallyHidden } from '@mantine/core';
import { isArray, type JsonObject } from '../../api/json';
import type { Member } from '../members';
import { useItemView } from './render-item';

export interface GroupTableProps {
  readonly label: string;
  readonly columns: readonly Member[];
  readonly objects: readonly JsonObject[];
}

export function GroupTable({ label, columns, objects }: GroupTableProps) {
  return (
    <Table.ScrollContainer minWidth={columns.length * 110} type="native">
      <Table withTableBorder verticalSpacing={4} fz="sm">
        <caption>
          <VisuallyHidden>{label}</VisuallyHidden>
        </caption>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ name, label: words, short }) => (
              <Table.Th key={name} title={short} scope="col">
                {words}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {objects.map((object, index) => (
            <Table.Tr key={index}>
              {columns.map((column) => (
                <Table.Td key={column.name} style={{ verticalAlign: 'top' }}>
                  <Cell object={object} column={column} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Cell({
  object,
  column: { name, type, element },
}: {
  readonly object: JsonObject;
  readonly column: Member;
}) {
  const ItemView = useItemView();
  const value = object[name];
  const [only] = isArray(value) ? value : [value];
  if (only === undefined || only === null) return null;
  return <ItemView item={{ value: only, more: undefined }} type={type} elements={element?.children ?? []} />;
}
