/** An attachment: a file that is chosen, and its title and type. */
import { Button, FileButton, Group, Progress, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { createBinary } from '../../../api/upload';
import { isObject } from '../../../api/json';
import { removeIn, setIn } from '../../../editor/json-edit';
import { formatAttachment } from '../../../fhir/format';
import { FailureView } from '../../../layout/failure-view';
import { texts } from '../../../texts';
import { useFormDraft } from './form-draft';
import { GroupInput } from './group-input';
import type { ValueProps } from './value-props';

const words = texts.form;
/** Bytes: what is in a record is read and sent with each of its versions. */
const INSIDE = 200_000;
/** Bytes: no server takes more; its own limit is lower (MAX_BINARY_BYTES), and the server says so. */
const MOST = 2_147_483_647;

function toBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const address = typeof reader.result === 'string' ? reader.result : '';
      resolve(address.slice(address.indexOf(',') + 1));
    };
    reader.onerror = () => reject(reader.error ?? new Error(file.name));
    reader.readAsDataURL(file);
  });
}

export function AttachmentInput(props: ValueProps) {
  const { path, value, label } = props;
  const { space, edit } = useFormDraft();
  const [share, setShare] = useState<number>();
  const [error, setError] = useState<unknown>();
  const [note, setNote] = useState('');
  const ending = useRef<AbortController>(undefined);
  // A file that is still sent belongs to nothing when the form is left.
  useEffect(() => () => ending.current?.abort(), []);
  const take = async (file: File): Promise<void> => {
    setError(undefined);
    if (file.size > MOST) {
      setNote(words.fileTooLarge(file.name));
      return;
    }
    setNote('');
    const isInside = file.size <= INSIDE;
    const controller = new AbortController();
    ending.current = controller;
    setShare(0);
    try {
      const content = isInside
        ? { data: await toBase64(file) }
        : { url: await createBinary(space, file, { tell: setShare, signal: controller.signal }) };
      const type = file.type === '' ? 'application/octet-stream' : file.type;
      const members = { contentType: type, ...content, size: file.size, title: file.name };
      edit((text) => {
        const cleared = ['data', 'url', 'hash', 'creation'].reduce(
          (rest, name) => removeIn(rest, [...path, name]),
          text,
        );
        return Object.entries(members).reduce(
          (rest, [name, each]) => setIn(rest, [...path, name], each),
          cleared,
        );
      });
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure);
    } finally {
      setShare(undefined);
    }
  };
  return (
    <div role="group" aria-label={label}>
      <Group gap="sm">
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {isObject(value) ? formatAttachment(value) : ''}
        </Text>
        <FileButton onChange={(file) => void (file === null ? undefined : take(file))}>
          {(button) => (
            <Button {...button} size="compact-xs" variant="default" loading={share !== undefined}>
              {words.chooseFile}
            </Button>
          )}
        </FileButton>
        {share === undefined ? null : (
          <Button size="compact-xs" variant="subtle" onClick={() => ending.current?.abort()}>
            {texts.common.cancel}
          </Button>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        {words.fileHint(INSIDE / 1_000)}
      </Text>
      {share === undefined ? null : (
        <Progress value={share * 100} aria-label={words.sending} mt={4} transitionDuration={0} />
      )}
      {note === '' ? null : (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {note}
        </Text>
      )}
      {error === undefined ? null : <FailureView error={error} />}
      <GroupInput {...props} isDetail />
    </div>
  );
}
