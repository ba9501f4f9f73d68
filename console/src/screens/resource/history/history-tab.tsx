/** The history of a record: its versions, the difference between any two, and the way back to an older one. */
import { Alert, Stack } from '@mantine/core';
import { useRef, useState } from 'react';
import { FailureView } from '../../../layout/failure-view';
import { Loading } from '../../../layout/loaded';
import { moreOf } from '../../../layout/record-table';
import { Part } from '../../../layout/heading';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { Comparison, type Chosen } from './history-comparison';
import { HistoryList } from './history-list';
import { RestoreDialog, type Restorable } from './history-restore';
import { useVersions, type HistoryRow } from './history-versions';

const { history, common } = texts;

export interface HistoryTabProps {
  readonly space: Space;
  readonly type: string;
  readonly id: string;
  /** Its versions are read a few at a time. */
  readonly isLarge?: boolean;
}

/** The newest change that can be compared. */
function newestPair(rows: readonly HistoryRow[]): Chosen | undefined {
  const [to, from] = rows.filter(({ version }) => version.resource !== undefined);
  return to === undefined || from === undefined
    ? undefined
    : { from: from.version.versionId, to: to.version.versionId };
}

export default function HistoryTab({ space, type, id, isLarge = false }: HistoryTabProps) {
  const address = { type, id };
  const { query, rows } = useVersions(space, address, isLarge);
  const [chosen, setChosen] = useState<Chosen>();
  const [restoring, setRestoring] = useState<Restorable>();
  const [notice, setNotice] = useState('');
  const comparison = useRef<HTMLHeadingElement>(null);
  if (query.isPending) return <Loading />;
  if (query.isError) return <FailureView error={query.error} retry={() => void query.refetch()} />;
  const show = (to: string): void => {
    const from = rows[rows.findIndex(({ version }) => version.versionId === to) + 1]?.version.versionId;
    if (from === undefined) return;
    setChosen({ from, to });
    comparison.current?.focus();
  };
  return (
    <Stack gap="lg">
      <Part title={history.title}>
        {notice === '' ? null : (
          <Alert
            color="teal"
            role="status"
            mb="sm"
            withCloseButton
            closeButtonLabel={common.close}
            onClose={() => setNotice('')}
          >
            {notice}
          </Alert>
        )}
        <HistoryList
          space={space}
          address={address}
          rows={rows}
          more={moreOf(query, history.older)}
          onShow={show}
          onRestore={setRestoring}
        />
      </Part>
      <Comparison
        ref={comparison}
        space={space}
        versions={rows.map(({ version }) => version)}
        chosen={chosen ?? newestPair(rows)}
        onChoose={setChosen}
      />
      <RestoreDialog
        space={space}
        address={address}
        chosen={restoring}
        onClose={() => setRestoring(undefined)}
        onRestored={(now) => {
          if (restoring !== undefined) setNotice(history.restoredAs(restoring.versionId, now));
          setRestoring(undefined);
          setChosen(undefined);
        }}
      />
    </Stack>
  );
}
