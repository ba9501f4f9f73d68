/** A value as the short text of a table; references and their records as links. */
import { Anchor } from '@mantine/core';
import { Fragment } from 'react';
import { Link } from 'react-router';
import { isArray, isObject, textOf, type JsonObject, type JsonValue } from '../../api/json';
import { formatReference, formatValue, guessType } from '../../fhir/format';
import { parseReference } from '../../fhir/reference';
import { absolute, fhirPath, resourcePath, type Space } from '../../place';
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
  const text = formatReference(reference);
  if (target.kind !== 'record') return <>{text}</>;
  return (
    <Anchor component={Link} to={resourcePath(space, target.type, target.id, target.versionId)} size="sm">
      {text}
    </Anchor>
  );
}
