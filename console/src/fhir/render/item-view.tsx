/** One value, whatever its type, and what its id and extensions say. */
import { isObject } from '../../api/json';
import { ComplexView } from './complex-view';
import { MemberList } from './member-list';
import { Inside } from './parts';
import { PrimitiveView } from './primitive-view';
import { RecordFields } from './record-fields';
import type { ItemViewProps } from './render-item';
import classes from './render.module.css';

export function ItemView({ item: { value, more }, type, elements }: ItemViewProps) {
  const isResource = isObject(value) && value['resourceType'] !== undefined;
  return (
    <>
      {isObject(value) ? (
        <Inside value={value}>
          {() =>
            isResource ? (
              <RecordFields record={value} isInside />
            ) : (
              <ComplexView value={value} type={type} elements={elements} />
            )
          }
        </Inside>
      ) : null}
      {value === undefined || isObject(value) ? null : <PrimitiveView value={value} type={type} />}
      {more === undefined ? null : (
        <div className={classes['details']}>
          <MemberList object={more} elements={[]} />
        </div>
      )}
    </>
  );
}
