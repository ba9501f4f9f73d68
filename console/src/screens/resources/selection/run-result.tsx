/** What a run over selected records does or has done, with the button that stops it or closes its dialog. */
import { Button, Group, Stack } from '@mantine/core';
import type { ComponentProps } from 'react';
import { texts } from '../../../texts';
import { RunView } from '../../batch/run-view';

export interface RunResultProps extends ComponentProps<typeof RunView> {
  readonly onCancel: () => void;
  readonly onClosed: () => void;
}

export function RunResult({ onCancel, onClosed, ...view }: RunResultProps) {
  const isRunning = view.run?.end === 'running';
  return (
    <Stack>
      <RunView {...view} />
      <Group justify="end">
        <Button variant="default" onClick={isRunning ? onCancel : onClosed}>
          {isRunning ? texts.common.cancel : texts.resources.selection.close}
        </Button>
      </Group>
    </Stack>
  );
}
