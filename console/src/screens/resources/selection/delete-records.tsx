/** Deletes selected records: first what would be deleted and what refers to it, then the deletion. */
import { Alert, Button, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { JsonObject } from '../../../api/json';
import type { TypeCapability } from '../../../fhir/capabilities';
import { formatTitle } from '../../../fhir/format';
import { useCapabilities } from '../../../fhir/search/search-definitions';
import { versionOf } from '../../../fhir/server-meta';
import { Loaded, Loading } from '../../../layout/loaded';
import { NUMBER, RecordTable } from '../../../layout/record-table';
import type { Space } from '../../../place';
import type { Planned } from '../../../rest/run-batch';
import { useBatchRun } from '../../../rest/use-batch-run';
import { texts } from '../../../texts';
import { findReferrers, type Referrer } from '../../resource/references/use-referrers';
import { RunResult, useRunDialog } from './run-result';
import { idOf } from './use-selection';

const { common, resources } = texts;
const { selection: words } = resources;
/** More are looked at one search after the other for too long. */
const MOST = 500;
const NAMED = 8;

export interface RecordsDialogProps {
  readonly space: Space;
  readonly type: string;
  readonly records: readonly JsonObject[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Some were changed or deleted. */
  readonly onDone: () => void;
}

/** What the content of such a dialog is given. */
export interface RecordsRunProps extends Omit<RecordsDialogProps, 'onDone'> {
  /** The run has begun: records may have changed when the dialog is closed, in whatever way. */
  readonly onBegun: () => void;
}

export function DeleteRecords(props: RecordsDialogProps) {
  const { type, records, isOpen } = props;
  const dialog = useRunDialog(props);
  return (
    <Modal
      opened={isOpen}
      onClose={dialog.close}
      size="lg"
      title={words.deleteTitle(records.length, type)}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {isOpen ? <Deletion {...props} onClose={dialog.close} onBegun={dialog.begun} /> : null}
    </Modal>
  );
}

function Deletion(props: RecordsRunProps) {
  const capabilities = useCapabilities(props.space);
  if (props.records.length > MOST) return <Alert color="orange">{words.tooMany(MOST)}</Alert>;
  return (
    <Loaded query={capabilities}>
      {(types) => {
        const capability = types.get(props.type);
        return capability === undefined ? null : <DryRun {...props} capability={capability} />;
      }}
    </Loaded>
  );
}

/** A deletion of the version that the person has seen. */
function toPlanned(type: string, record: JsonObject, index: number): Planned {
  const url = `${type}/${idOf(record)}`;
  const request = { method: 'DELETE', url, ifMatch: `W/"${versionOf(record)}"` };
  const entry = JSON.stringify({ request });
  return { line: index + 1, method: 'DELETE', url, type, entry, resource: undefined };
}

function DryRun(props: RecordsRunProps & { readonly capability: TypeCapability }) {
  const { space, type, records, capability, onClose, onBegun } = props;
  const { run, start, cancel } = useBatchRun(space);
  const ids = records.map(idOf);
  const referrers = useQuery({
    queryKey: ['referrers-of-many', space, type, ids],
    queryFn: ({ signal }) => findReferrers(space, { type, ids, capability }, signal),
    gcTime: 0,
    retry: false,
  });
  const nameOf = (line: number): string => `${type}/${ids[line - 1] ?? ''}`;
  if (run !== undefined) return <RunResult run={run} nameOf={nameOf} onCancel={cancel} onClosed={onClose} />;
  return (
    <Stack gap="sm">
      <Text size="sm">{words.dryRun}</Text>
      <List size="sm">
        {records.slice(0, NAMED).map((record) => (
          <List.Item key={idOf(record)} style={{ overflowWrap: 'anywhere' }}>
            <bdi>{formatTitle(record)}</bdi>{' '}
            <Text span size="xs" c="dimmed">
              {idOf(record)}
            </Text>
          </List.Item>
        ))}
        {records.length > NAMED ? <List.Item>{words.andMore(records.length - NAMED)}</List.Item> : null}
      </List>
      {referrers.isPending ? (
        <>
          <Text size="sm">{words.counting}</Text>
          <Loading />
        </>
      ) : (
        <Loaded query={referrers}>{(found) => <Referring referrers={found} />}</Loaded>
      )}
      <Text size="sm" c="dimmed">
        {words.limits}
      </Text>
      <Group justify="end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {common.cancel}
        </Button>
        <Button
          color="red"
          disabled={!referrers.isSuccess}
          onClick={() => {
            onBegun();
            void start({
              purpose: 'send',
              planned: records.map((record, index) => toPlanned(type, record, index)),
            });
          }}
        >
          {words.deleteNow(records.length)}
        </Button>
      </Group>
    </Stack>
  );
}

function Referring({ referrers }: { readonly referrers: readonly Referrer[] }) {
  if (referrers.length === 0)
    return (
      <Text size="sm" role="status">
        {words.unreferenced}
      </Text>
    );
  return (
    <Alert color="orange" role="status">
      <Text size="sm">{words.referenced}</Text>
      <RecordTable
        rows={referrers}
        caption={words.referenced}
        look={{ verticalSpacing: 4 }}
        minWidth={240}
        maxHeight={240}
        group={words.referenced}
        keyOf={({ type, parameter }) => `${type}:${parameter}`}
        columns={[
          { title: words.referrer, cell: ({ type }) => type },
          { title: words.parameter, cell: ({ parameter }) => parameter },
          { title: words.count, ...NUMBER, cell: ({ count }) => count.toLocaleString('en') },
        ]}
      />
    </Alert>
  );
}
