/** A value as the short text of a table; references as links with the names of their records. */
import { Fragment } from 'react';
import { isArray, isObject, textOf, type JsonObject, type JsonValue } from '../../api/json';
import { formatReference, formatValue, guessType } from '../../fhir/format';
import { parseReference } from '../../fhir/reference';
import { RecordLink } from '../../fhir/render/reference-view';
import { RenderSpace } from '../../fhir/render/render-space';
import { absolute, fhirPath, type Space } from '../../place';
import classes from './results.module.css';

export interface CellProps {
  readonly space: Space;
  readonly value: JsonValue | undefined;
  readonly type: string | undefined;
}

const DATES = new Set(['date', 'dateTime', 'instant']);

export function Cell({ space, value, type }: CellProps) {
  const list = isArray(value) ? value : [value];
  const references = list.filter(
    (each): each is JsonObject => isObject(each) && (type ?? guessType(each)) === 'Reference',
  );
  if (references.length === 0) {
    const isDate = DATES.has(type ?? '');
    return <span className={classes[isDate ? 'date' : 'cell']}>{formatValue(value, type)}</span>;
  }
  return (
    <span className={classes['cell']}>
      {references.map((reference, index) => (
        <Fragment key={index}>
          {index === 0 ? null : '; '}
          <ReferenceText space={space} reference={reference} />
        </Fragment>
      ))}
    </span>
  );
}

function ReferenceText({ space, reference }: { readonly space: Space; readonly reference: JsonObject }) {
  const target = parseReference(textOf(reference['reference']) ?? '', absolute(fhirPath(space)));
  if (target.kind !== 'record') return <>{formatReference(reference)}</>;
  const { type, id, versionId } = target;
  return (
    <RenderSpace value={space}>
      <RecordLink type={type} id={id} version={versionId} display={textOf(reference['display'])} isShort />
    </RenderSpace>
  );
}
