/** The members of an object as terms and their values, in the order of the definition. */
import { isObject, textOf, type JsonObject } from '../../api/json';
import type { ElementInfo } from '../definitions';
import { choiceMember } from '../choice';
import { extensionType } from '../extension';
import { shortUrl } from '../format';
import { columnsOf } from '../group-table';
import { humanize } from '../humanize';
import { membersOf, type Member } from '../members';
import { GroupTable } from './group-table';
import { useItemView } from './render-item';
import { useRenderSpace } from './render-space';
import classes from './render.module.css';
import { Row } from './row';
import { useExtensionTitle } from './use-names';

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

/** An extension under its title, or under the last part of its address. */
function ExtensionRow({ extension }: { readonly extension: JsonObject }) {
  const ItemView = useItemView();
  const url = textOf(extension['url']) ?? '';
  const title = useExtensionTitle(useRenderSpace(), url);
  const name = choiceMember(extension, 'value');
  const more = name === undefined ? undefined : extension[`_${name}`];
  const said = new Set(['url', ...(name === undefined || more !== undefined ? [] : [name])]);
  const hasRest = Object.keys(extension).some((each) => !said.has(each));
  return (
    <Row label={title ?? humanize(shortUrl(url))} hint={url}>
      {name === undefined || more !== undefined ? null : (
        <ItemView
          item={{ value: extension[name] ?? undefined, more: undefined }}
          type={extensionType(name, extension[name])}
          elements={[]}
        />
      )}
      {hasRest ? (
        <div className={classes['group']}>
          <MemberList object={extension} elements={[]} without={said} />
        </div>
      ) : null}
    </Row>
  );
}

function MemberValues({ member }: { readonly member: Member }) {
  const ItemView = useItemView();
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
        <li key={index} dir="auto">
          <ItemView item={item} type={type} elements={children} />
        </li>
      ))}
    </ul>
  );
}
