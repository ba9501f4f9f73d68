/** A deleted record: when and by whom it was deleted, and the way back. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { historyOf, type RecordVersion } from '../../../api/records';
import { formatDateTime } from '../../../fhir/format-date';
import { Loaded } from '../../../layout/loaded';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { AuthorView } from './history-author';
import { useAuthors } from './history-people';
import { RestoreDialog, type Restorable } from './history-restore';

const { history } = texts;

export interface RestoreRecordProps {
  readonly space: Space;
  readonly type: string;
  readonly id: string;
}

export default function RestoreRecord({ space, type, id }: RestoreRecordProps) {
  const address = { type, id };
  const [restoring, setRestoring] = useState<Restorable>();
  const versions = useQuery({
    queryKey: ['last-versions', space, type, id],
    queryFn: async () => (await historyOf(space, address, { first: 2 })).versions,
  });
  return (
    <Loaded query={versions}>
      {([deletion, last]) =>
        deletion === undefined ? (
          <Text>{history.neverExisted(`${type}/${id}`)}</Text>
        ) : (
          <Alert color="orange" variant="outline" title={history.gone}>
            <Stack gap="sm">
              <Deleted space={space} address={address} deletion={deletion} />
              {last === undefined ? null : <Text size="sm">{history.lastVersion(last.versionId)}</Text>}
              <Group gap="sm">
                {last?.resource === undefined ? null : (
                  <Button size="xs" onClick={() => setRestoring(restorable(last))}>
                    {history.restoreLast(last.versionId)}
                  </Button>
                )}
              </Group>
            </Stack>
            <RestoreDialog
              space={space}
              address={address}
              chosen={restoring}
              onClose={() => setRestoring(undefined)}
              onRestored={() => setRestoring(undefined)}
            />
          </Alert>
        )
      }
    </Loaded>
  );
}

function restorable({ versionId, resource }: RecordVersion): Restorable | undefined {
  return resource === undefined ? undefined : { versionId, resource };
}

function Deleted({
  space,
  address,
  deletion,
}: {
  readonly space: Space;
  readonly address: { readonly type: string; readonly id: string };
  readonly deletion: RecordVersion;
}) {
  const author = useAuthors(space, address, [deletion])(deletion);
  return (
    <Text size="sm" component="div">
      {history.goneWhen(formatDateTime(deletion.lastUpdated))} · {history.who}:{' '}
      <AuthorView space={space} author={author} />
    </Text>
  );
}
