/** A link to a record that an event names. */
import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { fhirPath, type Space } from '../../../place';

export function RecordLink({
  space,
  reference,
  text = reference,
}: {
  readonly space: Space;
  readonly reference: string;
  readonly text?: string;
}) {
  return (
    <Anchor component={Link} to={fhirPath(space, reference)} size="sm">
      {text}
    </Anchor>
  );
}
