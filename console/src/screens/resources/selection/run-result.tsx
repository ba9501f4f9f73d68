/** What a run over selected records does or has done, with the button that stops it or closes its dialog. */
import { Button, Group, Stack } from '@mantine/core';
import { useState, type ComponentProps } from 'react';
import { texts } from '../../../texts';
import { RunView } from '../../batch/run-view';

export interface RunResultProps extends ComponentProps<typeof RunView> {
  readonly onCancel: () => void;
  readonly onClosed: () => void;
}

/** Closes a dialog of a run: `close` also tells that records may have changed, once the run has `begun`. */
export function useRunDialog({
  onClose,
  onDone,
}: {
  readonly onClose: () => void;
  readonly onDone: () => void;
}): { readonly begun: () => void; readonly close: () => void } {
  const [hasBegun, setBegun] = useState(false);
  return {
    begun: () => setBegun(true),
    close: () => {
      onClose();
      if (hasBegun) onDone();
      setBegun(false);
    },
  };
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
