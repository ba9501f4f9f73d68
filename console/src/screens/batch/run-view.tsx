/** How far a run of many requests has come, how it has ended, and the errors of each. */
import { Alert, Progress as Bar, Stack, Text } from '@mantine/core';
import { FailureView } from '../../layout/failure-view';
import { ANYWHERE, NUMBER, RecordTable } from '../../layout/record-table';
import { MOST_FAULTS, PartFailure, type LineFault, type Run } from '../../rest/run-batch';
import { texts } from '../../texts';

const { rest } = texts;

export interface RunViewProps {
  readonly run: Run | undefined;
  /** What stands at a place of the run; by default its number. */
  readonly nameOf?: ((line: number) => string) | undefined;
}

export function RunView({ run, nameOf }: RunViewProps) {
  if (run === undefined) return null;
  const { progress, end } = run;
  const { faults, failed, warnings } = progress;
  return (
    <Stack gap="sm">
      {end === 'running' ? <RunBar run={run} /> : <Ending run={run} />}
      <LineList title={rest.faults} lines={faults} nameOf={nameOf} />
      {failed.size > faults.length ? (
        <Text size="sm">{rest.moreFaults(failed.size - faults.length)}</Text>
      ) : null}
      {end === 'running' ? null : <LineList title={rest.warnings} lines={warnings} nameOf={nameOf} />}
    </Stack>
  );
}

function RunBar({ run: { purpose, all, progress } }: { readonly run: Run }) {
  const title = purpose === 'try' ? rest.trying : rest.sending;
  return (
    <div>
      <Bar.Root size="lg">
        <Bar.Section value={(100 * progress.done) / Math.max(all, 1)} aria-label={title} />
      </Bar.Root>
      <Text size="sm" mt={4}>
        {`${title}: ${rest.progress(progress.done, all)}`}
      </Text>
    </div>
  );
}

function Ending({ run: { purpose, progress, end } }: { readonly run: Run }) {
  const { done, failed } = progress;
  if (end === 'stopped')
    return (
      <Text size="sm" role="status">
        {rest.stopped(done)}
      </Text>
    );
  if (!(end instanceof Error))
    return (
      <Alert color={failed.size === 0 ? 'green' : 'orange'} role="status">
        {(purpose === 'try' ? rest.tried : rest.sent)(done, failed.size)}
      </Alert>
    );
  if (!(end instanceof PartFailure)) return <FailureView error={end} />;
  const words = purpose === 'send' && end.isUnknown ? rest.partUnknown : rest.partFailed;
  return (
    <div>
      <Text size="sm">{words(end.from, end.to)}</Text>
      <FailureView error={end.failure} />
    </div>
  );
}

export interface LineListProps extends Pick<RunViewProps, 'nameOf'> {
  readonly title: string;
  readonly lines: readonly LineFault[];
}

/** Messages by the lines of a file; nothing where there are none. */
export function LineList({ title, lines, nameOf }: LineListProps) {
  if (lines.length === 0) return null;
  return (
    <>
      <RecordTable
        rows={lines.slice(0, MOST_FAULTS)}
        caption={title}
        hasCaption
        look={{ verticalSpacing: 4 }}
        minWidth={280}
        maxHeight={320}
        group={title}
        keyOf={({ line }) => line}
        columns={[
          nameOf === undefined
            ? { title: rest.line, ...NUMBER, cell: ({ line }) => line }
            : { title: rest.record, cell: ({ line }) => nameOf(line) },
          { title: rest.message, ...ANYWHERE, cell: ({ text }) => text },
        ]}
      />
      {lines.length > MOST_FAULTS ? (
        <Text size="sm">{rest.moreFaults(lines.length - MOST_FAULTS)}</Text>
      ) : null}
    </>
  );
}
