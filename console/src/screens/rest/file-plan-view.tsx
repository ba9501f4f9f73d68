/** What would be sent from a file, and what became of it. */
import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Part } from '../../layout/heading';
import { NUMBER, RecordTable } from '../../layout/record-table';
import type { Space } from '../../place';
import type { FilePlan } from '../../rest/file/read-file';
import type { Planned, Progress } from '../../rest/run-batch';
import { useBatchRun } from '../../rest/use-batch-run';
import { texts } from '../../texts';
import { LineList, RunView } from '../batch/run-view';

const { rest, common } = texts;
const MOST_KINDS = 100;

function countKinds(
  planned: readonly Planned[],
): readonly { readonly kind: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { method, type, url } of planned) {
    const kind = `${method} ${type === '' ? url.replace(/[/?].*$/, '') : type}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts]
    .map(([kind, count]) => ({ kind, count }))
    .toSorted((one, other) => other.count - one.count);
}

export function FilePlanView({ space, plan }: { readonly space: Space; readonly plan: FilePlan }) {
  const kinds = useMemo(() => countKinds(plan.planned), [plan]);
  return (
    <Stack gap="md">
      <Part title={rest.willSend}>
        <Stack gap="sm">
          <Text size="sm">{rest.kinds[plan.kind]}</Text>
          <RecordTable
            rows={kinds.slice(0, MOST_KINDS)}
            caption={rest.willSend}
            look={{ verticalSpacing: 4 }}
            minWidth={240}
            maxHeight={320}
            group={rest.willSend}
            keyOf={({ kind }) => kind}
            columns={[
              { title: rest.requestKind, cell: ({ kind }) => kind },
              { title: rest.requests, ...NUMBER, cell: ({ count }) => count.toLocaleString('en') },
            ]}
          />
          {plan.faults.length === 0 ? null : (
            <Alert color="orange">
              <Text size="sm">{rest.notSent(plan.faults.length)}</Text>
              <LineList
                title={rest.faults}
                lines={plan.faults.map(({ line, text }) => ({ line, text: text || rest.noResource }))}
              />
            </Alert>
          )}
        </Stack>
      </Part>
      {plan.planned.length === 0 ? null : <Runner space={space} plan={plan} />}
    </Stack>
  );
}

function Runner({ space, plan }: { readonly space: Space; readonly plan: FilePlan }) {
  const { run, start, cancel } = useBatchRun(space);
  const [trial, setTrial] = useState<Progress>();
  const [isLeft, setIsLeft] = useState(true);
  const isWhole = plan.whole !== undefined;
  const failed = trial?.failed ?? new Set<number>();
  const isReduced = isLeft && !isWhole && failed.size > 0;
  const sendable = isReduced ? plan.planned.filter(({ line }) => !failed.has(line)) : plan.planned;
  const isRunning = run?.end === 'running';
  const isSent = run?.purpose === 'send' && run.end === 'done';
  const tryIt = async (): Promise<void> => setTrial(await start({ purpose: 'try', planned: plan.planned }));
  const send = (): void => void start({ purpose: 'send', planned: sendable, whole: plan.whole });
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed" maw={760}>
        {rest.tryHint}
      </Text>
      {!isWhole && failed.size > 0 ? (
        <Checkbox
          label={rest.leaveOut(failed.size)}
          checked={isLeft}
          disabled={isRunning}
          onChange={({ currentTarget }) => setIsLeft(currentTarget.checked)}
        />
      ) : null}
      <Group gap="sm">
        <Button
          variant={trial === undefined ? 'filled' : 'default'}
          disabled={isRunning}
          onClick={() => void tryIt()}
        >
          {rest.tryFirst}
        </Button>
        <Button
          variant={trial === undefined ? 'default' : 'filled'}
          disabled={isRunning || isSent || trial === undefined || sendable.length === 0}
          onClick={send}
        >
          {isWhole ? rest.sendWhole : rest.sendAll(sendable.length)}
        </Button>
        {isRunning ? (
          <Button variant="default" onClick={cancel}>
            {common.cancel}
          </Button>
        ) : null}
      </Group>
      <RunView run={run} />
    </Stack>
  );
}
