/** The entries of a Bundle with links to their records, and to its other pages. */
import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { isObject, objectsOf, textOf, type JsonObject } from '../api/json';
import { useHeadline } from '../fhir/render/use-names';
import { RecordTable } from '../layout/record-table';
import { Part } from '../layout/heading';
import { absolute, fhirPath, resourcePath, type Space } from '../place';
import { texts } from '../texts';

const { answer } = texts;

export function BundleEntries({ space, bundle }: { readonly space: Space; readonly bundle: JsonObject }) {
  const entries = objectsOf(bundle['entry']);
  return (
    <Part title={answer.entries}>
      <RecordTable
        rows={entries}
        empty={<Text c="dimmed">{answer.empty}</Text>}
        caption={answer.entries}
        minWidth={480}
        // A history may have an entry twice; the order is what the server says.
        keyOf={(_, index) => index}
        columns={[
          { title: answer.record, cell: (entry) => <EntryRecord space={space} entry={entry} /> },
          { title: answer.request, cell: requestOf },
        ]}
      />
      <Group mt="sm">
        <PageLink space={space} bundle={bundle} relation="previous" />
        <PageLink space={space} bundle={bundle} relation="next" />
      </Group>
    </Part>
  );
}

function requestOf({ request }: JsonObject): string {
  return isObject(request) ? `${textOf(request['method']) ?? ''} ${textOf(request['url']) ?? ''}` : '';
}

/** A link to the record, in its version where it has one; of a deletion to the record that was deleted. */
function EntryRecord({ space, entry }: { readonly space: Space; readonly entry: JsonObject }) {
  const resource = isObject(entry['resource']) ? entry['resource'] : undefined;
  const [type, id] = resource
    ? [textOf(resource['resourceType']), textOf(resource['id'])]
    : (textOf(entry['fullUrl']) ?? '').split('/').slice(-2);
  if (type === undefined || id === undefined) return <Text size="sm">{type ?? ''}</Text>;
  const meta = isObject(resource?.['meta']) ? resource['meta'] : {};
  const isHistory = entry['request'] !== undefined;
  const path = resourcePath(space, type, id, isHistory ? textOf(meta['versionId']) : undefined);
  return (
    <>
      <Anchor component={Link} to={path}>
        {`${type}/${id}`}
      </Anchor>{' '}
      <Text span size="sm" c="dimmed">
        {resource === undefined ? answer.deleted : <Headline space={space} record={resource} />}
      </Text>
    </>
  );
}

function Headline({ space, record }: { readonly space: Space; readonly record: JsonObject }) {
  return useHeadline(space, record) ?? null;
}

function PageLink({
  space,
  bundle,
  relation,
}: {
  readonly space: Space;
  readonly bundle: JsonObject;
  readonly relation: 'previous' | 'next';
}) {
  const link = objectsOf(bundle['link']).find((each) => each['relation'] === relation);
  const root = absolute(fhirPath(space));
  const url = textOf(link?.['url']) ?? '';
  if (!url.startsWith(root)) return null;
  return (
    <Anchor component={Link} to={fhirPath(space) + url.slice(root.length)}>
      {answer[relation]}
    </Anchor>
  );
}
