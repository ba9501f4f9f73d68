/** Asks before a record is deleted, and says why the server refuses it. */
import { Alert, Button, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { remove } from '../../api/fhir';
import { Failure } from '../../api/failure';
import { keepDraft } from '../../editor/drafts';
import { formatTitle } from '../../fhir/format';
import { FailureView } from '../../layout/failure-view';
import { texts } from '../../texts';
import { useRefresh } from './history/history-refresh';
import { versionOf } from '../../fhir/server-meta';
import type { DialogProps } from './record-dialog';

const { editing, common } = texts;

export function DeleteDialog(props: DialogProps) {
  const { type, id, record, isOpen, onClose } = props;
  const [address, title] = [`${type}/${id}`, formatTitle(record)];
  const name = title === address ? address : `${title} (${address})`;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={editing.deleteTitle(name)}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {isOpen ? <Deletion {...props} /> : null}
    </Modal>
  );
}

function Deletion({ space, type, id, record, onClose }: DialogProps) {
  const refresh = useRefresh(id);
  const deletion = useMutation({
    mutationFn: () => remove(space, { type, id }, versionOf(record)),
    onSuccess: () => {
      keepDraft(space, `${type}/${id}`, undefined);
      onClose();
      refresh();
    },
    onError: (error) => {
      if (error instanceof Failure && error.status === 412) refresh();
    },
  });
  return (
    <Stack>
      <Text size="sm">{editing.deleteText}</Text>
      {deletion.isError ? <Refusal error={deletion.error} /> : null}
      <Group justify="end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {common.cancel}
        </Button>
        <Button color="red" loading={deletion.isPending} onClick={() => deletion.mutate()}>
          {editing.deleteConfirm(`${type}/${id}`)}
        </Button>
      </Group>
    </Stack>
  );
}

function Refusal({ error }: { readonly error: Error }) {
  const status = error instanceof Failure ? error.status : 0;
  if (status === 412)
    return (
      <Alert color="orange" role="alert">
        {editing.deleteConflict}
      </Alert>
    );
  if (status !== 409 || !(error instanceof Failure)) return <FailureView error={error} />;
  return (
    <Alert color="orange" role="alert">
      <Text size="sm">{editing.deleteReferenced}</Text>
      <List size="sm" mt="xs">
        {error.issues.map(({ text }) => (
          <List.Item key={text} style={{ overflowWrap: 'anywhere' }}>
            {text}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
