/** A list of objects with the same simple members as a table. */
import { isArray, type JsonObject } from '../../api/json';
import { RecordTable, type RecordColumn } from '../../layout/record-table';
import type { Member } from '../members';
import { useItemView } from './render-item';

export interface GroupTableProps {
  readonly label: string;
  readonly columns: readonly Member[];
  readonly objects: readonly JsonObject[];
}

export function GroupTable({ label, columns, objects }: GroupTableProps) {
  return (
    <RecordTable
      rows={objects}
      caption={label}
      look={{ verticalSpacing: 4, withTableBorder: true }}
      minWidth={columns.length * 110}
      keyOf={(_, index) => index}
      columns={columns.map((column): RecordColumn<JsonObject> => ({
        title: column.label,
        head: { title: column.short },
        cells: { style: { verticalAlign: 'top' } },
        cell: (object) => <Cell object={object} column={column} />,
      }))}
    />
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
