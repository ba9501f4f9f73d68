/** Adds a tag to selected records, or removes it, by `$meta-add` and `$meta-delete`: the rest of a record stays as it is. */
import { Button, Group, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { isObject, objectsOf, textOf, type JsonObject } from '../../../api/json';
import type { Planned } from '../../../rest/run-batch';
import { useBatchRun } from '../../../rest/use-batch-run';
import { texts } from '../../../texts';
import type { RecordsDialogProps, RecordsRunProps } from './delete-records';
import { RunResult, useRunDialog } from './run-result';
import { idOf } from './use-selection';

const { common, resources } = texts;
const { selection: words } = resources;

export interface Tag {
  readonly system: string;
  readonly code: string;
  readonly display: string;
}

type Kind = 'add' | 'remove';

function hasTag(record: JsonObject, { system, code }: Tag): boolean {
  const meta = isObject(record['meta']) ? record['meta'] : {};
  return objectsOf(meta['tag']).some(
    (tag) => (textOf(tag['system']) ?? '') === system && textOf(tag['code']) === code,
  );
}

/** The records whose tags change. */
export function toChange(records: readonly JsonObject[], tag: Tag, kind: Kind): readonly JsonObject[] {
  return records.filter((record) => hasTag(record, tag) === (kind === 'remove'));
}

function toPlanned(
  type: string,
  record: JsonObject,
  { line, tag, kind }: { line: number; tag: Tag; kind: Kind },
): Planned {
  const url = `${type}/${idOf(record)}/$meta-${kind === 'add' ? 'add' : 'delete'}`;
  const { system, code, display } = tag;
  const coding = { ...(system === '' ? {} : { system }), code, ...(display === '' ? {} : { display }) };
  const resource = {
    resourceType: 'Parameters',
    parameter: [{ name: 'meta', valueMeta: { tag: [coding] } }],
  };
  const entry = JSON.stringify({ request: { method: 'POST', url }, resource });
  return { line, method: 'POST', url, type: '', entry, resource: undefined };
}

export function TagRecords(props: RecordsDialogProps) {
  const { records, isOpen } = props;
  const dialog = useRunDialog(props);
  return (
    <Modal
      opened={isOpen}
      onClose={dialog.close}
      size="lg"
      title={words.tagTitle(records.length)}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {isOpen ? <Tagging {...props} onClose={dialog.close} onBegun={dialog.begun} /> : null}
    </Modal>
  );
}

function Tagging({ space, type, records, onClose, onBegun }: RecordsRunProps) {
  const { run, start, cancel } = useBatchRun(space);
  const [tag, setTag] = useState<Tag>({ system: '', code: '', display: '' });
  const [kind, setKind] = useState<Kind>('add');
  const [sent, setSent] = useState<readonly JsonObject[]>([]);
  if (run !== undefined)
    return (
      <RunResult
        run={run}
        nameOf={(line) => `${type}/${idOf(sent[line - 1] ?? {})}`}
        onCancel={cancel}
        onClosed={onClose}
      />
    );
  const code = tag.code.trim();
  const trimmed = { system: tag.system.trim(), code, display: tag.display.trim() };
  const changed = code === '' ? [] : toChange(records, trimmed, kind);
  const change = (name: keyof Tag) => (event: React.ChangeEvent<HTMLInputElement>) =>
    setTag({ ...tag, [name]: event.currentTarget.value });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setSent(changed);
        onBegun();
        const planned = changed.map((record, index) =>
          toPlanned(type, record, { line: index + 1, tag: trimmed, kind }),
        );
        void start({ purpose: 'send', planned });
      }}
    >
      <Stack gap="sm">
        <SegmentedControl
          aria-label={words.what}
          value={kind}
          data={[
            { value: 'add', label: words.add },
            { value: 'remove', label: words.removeTag },
          ]}
          onChange={(value) => setKind(value === 'remove' ? 'remove' : 'add')}
        />
        <TextInput
          label={words.system}
          description={words.systemHint}
          value={tag.system}
          onChange={change('system')}
          data-autofocus
        />
        <TextInput label={words.code} value={tag.code} onChange={change('code')} required />
        {kind === 'add' ? (
          <TextInput label={words.display} value={tag.display} onChange={change('display')} />
        ) : null}
        <Text size="sm" role="status">
          {code === '' ? '' : words.change(changed.length, records.length)}
        </Text>
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" disabled={changed.length === 0}>
            {words.tagNow(changed.length)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
