/** A form that sends a change: its fields, why the server has refused it, and its buttons. */
import { Button, Group, Modal, Stack, type ButtonProps, type MantineSpacing } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FailureView } from '../../layout/failure-view';
import { texts } from '../../texts';
import { Saved } from './saved';

export interface ChangeFormProps<Values> {
  readonly form: UseFormReturnType<Values>;
  /** The change that the form sends. */
  readonly change: Pick<
    UseMutationResult<unknown, Error, never>,
    'isError' | 'error' | 'isPending' | 'isSuccess'
  >;
  readonly send: (values: Values) => void;
  /** The words of the button that sends. */
  readonly action: string;
  readonly button?: ButtonProps;
  readonly gap?: MantineSpacing;
  /** Says when the change is stored. */
  readonly hasNotice?: boolean;
  /** In a dialog: closes it. */
  readonly close?: () => void;
  /** Other buttons. */
  readonly others?: ReactNode;
  /** In place of the alert of a refusal. */
  readonly failure?: ReactNode;
  readonly children: ReactNode;
}

export function ChangeForm<Values>(props: ChangeFormProps<Values>) {
  const {
    form,
    change,
    send,
    action,
    button,
    gap = 'lg',
    hasNotice = false,
    close,
    others,
    children,
  } = props;
  const { failure = change.isError ? <FailureView error={change.error} /> : null } = props;
  return (
    <form onSubmit={form.onSubmit(send)}>
      <Stack gap={gap}>
        {children}
        {failure}
        <Group gap="sm" justify={close === undefined ? 'start' : 'end'}>
          {close === undefined ? null : (
            <Button variant="default" onClick={close}>
              {texts.common.cancel}
            </Button>
          )}
          <Button type="submit" loading={change.isPending} {...button}>
            {action}
          </Button>
          {others}
          {hasNotice ? <Saved isSaved={change.isSuccess && !change.isPending} /> : null}
        </Group>
      </Stack>
    </form>
  );
}

/** The same in a dialog. */
export function ChangeDialog<Values>({
  title,
  size = 'md',
  ...form
}: ChangeFormProps<Values> & { readonly title: string; readonly size?: string; readonly close: () => void }) {
  return (
    <Modal
      opened
      onClose={form.close}
      title={title}
      size={size}
      closeButtonProps={{ 'aria-label': texts.common.close }}
    >
      <ChangeForm gap="sm" {...form} />
    </Modal>
  );
}
