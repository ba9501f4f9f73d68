/** The members of an object as terms and their values, in the order of the definition. */
import { isObject, type JsonObject } from '../../api/json';
import type { ElementInfo } from '../definitions';
import { membersOf, type Member, type MemberItem } from '../members';
import { ComplexView } from './complex-view';
import { ExtensionRow } from './extension-row';
import { GroupTable } from './group-table';
import { PrimitiveView } from './primitive-view';
import { RecordFields } from './record-fields';
import classes from './render.module.css';
import { columnsOf } from '../group-table';

export interface MemberListProps {
  readonly object: JsonObject;
  /** Those of the definition; none: every member is shown under its own name. */
  readonly elements: readonly ElementInfo[];
  readonly without?: ReadonlySet<string>;
}

export function MemberList({ object, elements, without }: MemberListProps) {
  return (
    <dl className={classes['members']}>
      {membersOf(object, elements, without).map((member) =>
        member.type === 'Extension' ? (
          member.items.map(({ value }, index) =>
            isObject(value) ? <ExtensionRow key={`${member.name}${index}`} extension={value} /> : null,
          )
        ) : (
          <Row key={member.name} label={member.label} hint={member.short}>
            <MemberValues member={member} />
          </Row>
        ),
      )}
    </dl>
  );
}

interface RowProps {
  readonly label: string;
  readonly hint: string;
  readonly children: React.ReactNode;
}

export function Row({ label, hint, children }: RowProps) {
  return (
    <div className={classes['member']}>
      <dt className={classes['label']} title={hint}>
        {label}
      </dt>
      <dd className={classes['value']}>{children}</dd>
    </div>
  );
}

function MemberValues({ member }: { readonly member: Member }) {
  const { items, element, type, label } = member;
  const [first] = items;
  const children = element?.children ?? [];
  const objects = items.flatMap(({ value }) => (isObject(value) ? [value] : []));
  const columns =
    objects.length === items.length && (children.length > 0 || type === undefined)
      ? columnsOf(objects, children)
      : undefined;
  if (columns !== undefined) return <GroupTable label={label} columns={columns} objects={objects} />;
  if (items.length === 1 && first !== undefined)
    return <ItemView item={first} type={type} elements={children} />;
  return (
    <ul className={classes['list']}>
      {items.map((item, index) => (
        <li key={index}>
          <ItemView item={item} type={type} elements={children} />
        </li>
      ))}
    </ul>
  );
}

export interface ItemViewProps {
  readonly item: MemberItem;
  readonly type: string | undefined;
  readonly elements: readonly ElementInfo[];
}

export function ItemView({ item: { value, more }, type, elements }: ItemViewProps) {
  const isResource = isObject(value) && value['resourceType'] !== undefined;
  return (
    <>
      {isResource ? <RecordFields record={value} isInside /> : null}
      {isObject(value) && !isResource ? <ComplexView value={value} type={type} elements={elements} /> : null}
      {value === undefined || isObject(value) ? null : <PrimitiveView value={value} type={type} />}
      {more === undefined ? null : (
        <div className={classes['details']}>
          <MemberList object={more} elements={[]} />
        </div>
      )}
    </>
  );
}
