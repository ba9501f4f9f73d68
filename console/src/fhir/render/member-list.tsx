/** The members of an object as terms and their values, in the order of the definition. */
import { isObject, textOf, type JsonObject, type JsonValue } from '../../api/json';
import type { ElementInfo } from '../definitions';
import { choiceMember } from '../choice';
import { extensionType } from '../extension';
import { shortUrl } from '../format';
import { columnsOf } from '../group-table';
import { humanize } from '../humanize';
import { membersOf, type Member, type MemberItem } from '../members';
import { sharesOf, sizeOf } from '../weight';
import { RenderBudget, SMALL, useBudget } from './budget';
import { GroupTable } from './group-table';
import { Inside, ItemBudget, Parts } from './parts';
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
  const { values, depth } = useBudget();
  const members = membersOf(object, elements, without);
  const sizes = members.map(({ items }) => items.reduce((sum, item) => addSize(sum, item, values), 0));
  const shares = sharesOf(sizes, values, SMALL);
  return (
    <dl className={classes['members']}>
      {members.map((member, index) => (
        <RenderBudget key={member.name} value={{ values: shares[index] ?? SMALL, depth: depth + 1 }}>
          {member.type === 'Extension' ? (
            <ExtensionRows member={member} />
          ) : (
            <Row label={member.label} hint={member.short}>
              <MemberValues member={member} />
            </Row>
          )}
        </RenderBudget>
      ))}
    </dl>
  );
}

/** The sum with an item, as far as it matters. */
function addSize(sum: number, { value, more }: MemberItem, most: number): number {
  return sum > most ? sum : sum + sizeOf(value, most + 1) + (more === undefined ? 0 : sizeOf(more, most + 1));
}

const valueOf = ({ value, more }: MemberItem): JsonValue | undefined =>
  more === undefined ? value : [value ?? null, more];

function ExtensionRows({ member: { items } }: { readonly member: Member }) {
  return (
    <Parts
      items={items}
      valueOf={valueOf}
      frame={(button) => (
        <Row label="…" hint="">
          {button}
        </Row>
      )}
    >
      {(shown) =>
        shown.map(({ value }, index) =>
          isObject(value) ? (
            <ItemBudget key={index} value={value}>
              <ExtensionRow extension={value} />
            </ItemBudget>
          ) : null,
        )
      }
    </Parts>
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
        <Inside value={extension}>
          {() => (
            <div className={classes['group']}>
              <MemberList object={extension} elements={[]} without={said} />
            </div>
          )}
        </Inside>
      ) : null}
    </Row>
  );
}

function MemberValues({ member }: { readonly member: Member }) {
  const ItemView = useItemView();
  const { items, element, type } = member;
  const [first] = items;
  const children = element?.children ?? [];
  if (items.length === 1 && first !== undefined)
    return <ItemView item={first} type={type} elements={children} />;
  return (
    <Parts items={items} valueOf={valueOf}>
      {(shown) => <Items items={shown} member={member} />}
    </Parts>
  );
}

/** Some items of a list: a table where they are alike. */
function Items({ items, member }: { readonly items: readonly MemberItem[]; readonly member: Member }) {
  const ItemView = useItemView();
  const { element, type, label } = member;
  const children = element?.children ?? [];
  const objects = items.flatMap(({ value }) => (isObject(value) ? [value] : []));
  const columns =
    objects.length === items.length && (children.length > 0 || type === undefined)
      ? columnsOf(objects, children)
      : undefined;
  if (columns !== undefined) return <GroupTable label={label} columns={columns} objects={objects} />;
  return (
    <ul className={classes['list']}>
      {items.map((item, index) => (
        <li key={index} dir="auto">
          <ItemBudget value={valueOf(item)}>
            <ItemView item={item} type={type} elements={children} />
          </ItemBudget>
        </li>
      ))}
    </ul>
  );
}
