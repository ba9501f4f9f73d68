/** Says that somebody has changed the record that is shown. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { watchRecord, type RecordChange } from '../../api/live';
import type { Space } from '../../place';
import { texts } from '../../texts';
import { useRefresh } from './history/history-refresh';
import { useAuthorName } from '../../fhir/render/use-names';
import { authorOf } from '../../fhir/server-meta';

const { record: words } = texts;

export interface LiveBarProps {
  readonly space: Space;
  readonly type: string;
  readonly id: string;
  /** Number of the version that is shown. */
  readonly version: string;
}

/** The newest change; watched only in a tab that is seen, because a browser has few connections to one server. */
function useChange({ space: { tenant, release }, type, id }: LiveBarProps): RecordChange | undefined {
  const [change, setChange] = useState<RecordChange>();
  const isSeen = useDocumentVisibility() === 'visible';
  useEffect(() => {
    if (!isSeen) return undefined;
    const ending = new AbortController();
    void watchRecord({ tenant, release }, { type, id }, setChange, ending.signal);
    return () => ending.abort();
  }, [tenant, release, type, id, isSeen]);
  return change;
}

export function LiveBar(props: LiveBarProps) {
  const { space, id, version } = props;
  const change = useChange(props);
  const refresh = useRefresh(id);
  const name = useAuthorName(space, change?.record === undefined ? undefined : authorOf(change.record));
  if (change === undefined || Number(change.versionId) <= Number(version)) return null;
  return (
    <Alert color="blue" role="status" p="xs">
      <Group gap="sm">
        <Text size="sm">{change.isDeletion ? words.deletedNow : words.savedNow(change.versionId, name)}</Text>
        <Button size="xs" variant="default" onClick={() => refresh()}>
          {words.showNow}
        </Button>
      </Group>
    </Alert>
  );
}
