/** Asks before an older version becomes the current one again, and shows what that changes. */
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { put } from '../../../api/fhir';
import { Failure } from '../../../api/failure';
import { jsonSteps, type JsonObject } from '../../../api/json';
import { readRecord } from '../../../api/records';
import { inSlices } from '../../../api/slices';
import { withoutServerMeta } from '../../../fhir/compare/diff';
import { isSame } from '../../../fhir/compare/same';
import { FailureView } from '../../../layout/failure-view';
import { Loaded } from '../../../layout/loaded';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { DiffView } from './diff-view';
import { versionOf } from '../../../fhir/server-meta';
import { useRefresh } from './history-refresh';

const { history, common } = texts;

/** An older version that a person wants back. */
export interface Restorable {
  readonly versionId: string;
  readonly resource: JsonObject;
}

export interface RestoreDialogProps {
  readonly space: Space;
  /** `Patient`, `example`. */
  readonly address: { readonly type: string; readonly id: string };
  /** Undefined: the dialog is closed. */
  readonly chosen: Restorable | undefined;
  readonly onClose: () => void;
  /** `now`: the number of the new version. */
  readonly onRestored: (now: string) => void;
}

export function RestoreDialog({ space, address, chosen, onClose, onRestored }: RestoreDialogProps) {
  const isNarrow = useMediaQuery('(max-width: 48em)');
  return (
    <Modal
      opened={chosen !== undefined}
      onClose={onClose}
      size="xl"
      fullScreen={isNarrow}
      title={chosen === undefined ? '' : history.restoreTitle(chosen.versionId)}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {chosen === undefined ? null : (
        <Restore space={space} address={address} chosen={chosen} onClose={onClose} onRestored={onRestored} />
      )}
    </Modal>
  );
}

type RestoreProps = RestoreDialogProps & { readonly chosen: Restorable };

function Restore({ space, address, chosen, onClose, onRestored }: RestoreProps) {
  const { type, id } = address;
  const refresh = useRefresh(id);
  const current = useQuery({
    queryKey: ['restore', space, type, id],
    queryFn: async () => (await readRecord(space, { type, id })) ?? null,
    gcTime: 0,
  });
  const write = useMutation({
    mutationFn: async (now: JsonObject | null) => {
      const text = await inSlices(jsonSteps(withoutServerMeta(chosen.resource)));
      return put(space, address, now === null ? { text, isNew: true } : { text, version: versionOf(now) });
    },
    onSuccess: (written) => {
      refresh();
      onRestored(versionOf(written));
    },
    onError: () => void current.refetch(),
  });
  const isConflict = write.error instanceof Failure && write.error.status === 412;
  return (
    <Loaded query={current}>
      {(now) => (
        <Stack>
          {isConflict ? (
            <Alert color="orange" role="alert">
              {history.restoreConflict}
            </Alert>
          ) : null}
          <Effect space={space} now={now} chosen={chosen} />
          {write.isError && !isConflict ? <FailureView error={write.error} /> : null}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button
              loading={write.isPending}
              disabled={now !== null && isUnchanged(now, chosen.resource)}
              onClick={() => write.mutate(now)}
            >
              {history.restoreVersion(chosen.versionId)}
            </Button>
          </Group>
        </Stack>
      )}
    </Loaded>
  );
}

function isUnchanged(one: JsonObject, other: JsonObject): boolean {
  return isSame(withoutServerMeta(one), withoutServerMeta(other));
}

/** What a restoration does to the record as it is now; null: the record is deleted. */
function Effect({
  space,
  now,
  chosen: { versionId, resource },
}: {
  readonly space: Space;
  readonly now: JsonObject | null;
  readonly chosen: Restorable;
}) {
  if (now === null) return <Text size="sm">{history.restoreDeletedText(versionId)}</Text>;
  if (isUnchanged(now, resource)) return <Text size="sm">{history.restoreSame(versionId)}</Text>;
  return (
    <>
      <Text size="sm">{history.restoreText(versionId)}</Text>
      <DiffView
        space={space}
        before={now}
        after={resource}
        labels={[history.versionNumber(versionOf(now)), history.versionNumber(versionId)]}
      />
    </>
  );
}
