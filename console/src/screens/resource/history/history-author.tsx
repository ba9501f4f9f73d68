/** Who made a version, in words: the person, and the client they used. */
import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { parseReference } from '../../../fhir/reference';
import { ANONYMOUS, useClientName, useRecordName, wordsOf } from '../../../fhir/render/use-names';
import { absolute, fhirPath, resourcePath, type Space } from '../../../place';
import { texts } from '../../../texts';
import type { Author } from './history-people';

const { history } = texts;

export function AuthorView({ space, author }: { readonly space: Space; readonly author: Author }) {
  const { client, person, isOfServer } = author;
  const name = useClientName(space, client);
  const made = client === ANONYMOUS ? history.anonymous : (name ?? client);
  const words = isOfServer ? texts.record.ofServer : made;
  if (person === undefined)
    return (
      <Text size="sm" span>
        {words}
      </Text>
    );
  return (
    <Text size="sm" span>
      <Person space={space} person={person} />
      <Text size="xs" c="dimmed" span>
        {' '}
        {history.through(words)}
      </Text>
    </Text>
  );
}

function Person({ space, person }: { readonly space: Space; readonly person: string }) {
  const target = parseReference(person, absolute(fhirPath(space)));
  const name = useRecordName(space, target.kind === 'record' ? `${target.type}/${target.id}` : undefined);
  if (target.kind !== 'record') return <>{person}</>;
  return (
    <Anchor component={Link} size="sm" to={resourcePath(space, target.type, target.id)}>
      {wordsOf(name) ?? person}
    </Anchor>
  );
}
