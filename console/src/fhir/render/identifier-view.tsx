/** A number or name of a record, with what it is and who gives it. */
import { Text } from '@mantine/core';
import { isObject, textOf, type JsonObject } from '../../api/json';
import { formatCodeableConcept } from '../format';
import { LongText } from './long-text';

export function IdentifierView({ value }: { readonly value: JsonObject }) {
  const type = isObject(value['type']) ? formatCodeableConcept(value['type']) : '';
  const [system, use] = [textOf(value['system']), textOf(value['use'])];
  const notes = [type, use ?? ''].filter((note) => note !== '').join(', ');
  return (
    <span>
      <LongText text={textOf(value['value']) ?? ''} />{' '}
      {notes === '' ? null : (
        <Text span size="xs" c="dimmed">
          {notes}
        </Text>
      )}
      {system === undefined ? null : (
        <Text size="xs" c="dimmed" ff="monospace">
          {system}
        </Text>
      )}
    </span>
  );
}
