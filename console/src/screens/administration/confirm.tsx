/** A button whose action needs a second one, because it cannot be undone or others notice it. */
import { Button, Group, Modal, Stack, Text, TextInput, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { FailureView } from '../../layout/failure-view';
import { texts } from '../../texts';

export interface ConfirmProps {
  /** The words of the button. */
  readonly label: string;
  /** The same for screen readers where several buttons have the same words. */
  readonly name?: string;
  readonly title: string;
  readonly words: string;
  /** The words of the button that does it. */
  readonly action: string;
  /** What has to be typed first. */
  readonly typed?: { readonly label: string; readonly text: string };
  readonly button?: ButtonProps;
  readonly run: () => Promise<unknown>;
  /** True: nothing is asked. */
  readonly isDirect?: boolean;
  /** Shown while it runs. */
  readonly progress?: ReactNode;
}

export function Confirm(props: ConfirmProps) {
  const { label, name, button, run, isDirect = false } = props;
  const [isOpen, { open, close }] = useDisclosure(false);
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const start = async (): Promise<void> => {
    setIsRunning(true);
    setError(undefined);
    try {
      await run();
      close();
    } catch (failure) {
      setError(failure);
      open();
    } finally {
      setIsRunning(false);
    }
  };
  const begin = (): void => {
    setError(undefined);
    if (isDirect) void start();
    else open();
  };
  return (
    <>
      <Button size="xs" variant="default" aria-label={name ?? label} {...button} onClick={begin}>
        {label}
      </Button>
      <ConfirmDialog
        {...props}
        isOpen={isOpen}
        isRunning={isRunning}
        error={error}
        close={close}
        start={() => void start()}
      />
    </>
  );
}

export interface ConfirmDialogProps extends Pick<
  ConfirmProps,
  'title' | 'words' | 'action' | 'typed' | 'progress'
> {
  readonly isOpen: boolean;
  readonly isRunning: boolean;
  /** Why it did not work. */
  readonly error?: unknown;
  readonly close: () => void;
  readonly start: () => void;
}

/** The question by itself, where another control than a button of its own leads to it. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, isOpen, isRunning, close } = props;
  return (
    <Modal
      opened={isOpen}
      onClose={isRunning ? () => undefined : close}
      title={title}
      closeButtonProps={{ 'aria-label': texts.common.close }}
    >
      <Question {...props} />
    </Modal>
  );
}

/** Begins anew each time the dialog opens. */
function Question({ words, action, typed, progress, isRunning, error, close, start }: ConfirmDialogProps) {
  const [text, setText] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        // Events of a dialog go on to the form around its button, which must not be sent.
        event.stopPropagation();
        start();
      }}
    >
      <Stack gap="md">
        <Text size="sm">{words}</Text>
        {typed === undefined ? null : (
          <TextInput
            label={typed.label}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        {isRunning ? progress : null}
        {error === undefined ? null : <FailureView error={error} />}
        <Group justify="end" gap="sm">
          <Button variant="default" onClick={close} disabled={isRunning}>
            {texts.common.cancel}
          </Button>
          <Button
            type="submit"
            color="red"
            loading={isRunning}
            disabled={typed !== undefined && text !== typed.text}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
