/** One value, whatever its type, and what its id and extensions say. */
import { isObject } from '../../api/json';
import { ComplexView } from './complex-view';
import { MemberList } from './member-list';
import { PrimitiveView } from './primitive-view';
import { RecordFields } from './record-fields';
import type { ItemViewProps } from './render-item';
import classes from './render.module.css';

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
