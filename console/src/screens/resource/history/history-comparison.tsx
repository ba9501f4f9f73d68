/** The difference between two versions that a person chooses. */
import { Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import type { Ref } from 'react';
import type { RecordVersion } from '../../../api/records';
import { formatDateTime } from '../../../fhir/format-date';
import type { Space } from '../../../place';
import { texts } from '../../../texts';
import { DiffView } from './diff-view';

const { history } = texts;

/** Numbers of the two versions. */
export interface Chosen {
  readonly from: string;
  readonly to: string;
}

export interface ComparisonProps {
  readonly space: Space;
  readonly versions: readonly RecordVersion[];
  readonly chosen: Chosen | undefined;
  readonly onChoose: (chosen: Chosen) => void;
  /** The heading, to which the focus moves when a version of the list is chosen. */
  readonly ref: Ref<HTMLHeadingElement>;
}

export function Comparison({ space, versions, chosen, onChoose, ref }: ComparisonProps) {
  const options = versions.map(({ versionId, lastUpdated, resource }) => ({
    value: versionId,
    label: (resource === undefined ? history.optionDeleted : history.option)(
      versionId,
      formatDateTime(lastUpdated),
    ),
    disabled: resource === undefined,
  }));
  const resourceOf = (versionId: string | undefined) =>
    versions.find((version) => version.versionId === versionId)?.resource;
  const [before, after] = [resourceOf(chosen?.from), resourceOf(chosen?.to)];
  return (
    <section aria-labelledby="compare">
      <Title order={2} size="h4" id="compare" ref={ref} tabIndex={-1} mb="sm">
        {history.compare}
      </Title>
      {chosen === undefined || before === undefined || after === undefined ? (
        <Text size="sm">{history.only}</Text>
      ) : (
        <Stack gap="sm">
          <Group gap="sm" align="end">
            <NativeSelect
              size="xs"
              label={history.from}
              data={options}
              value={chosen.from}
              onChange={({ currentTarget }) => onChoose({ ...chosen, from: currentTarget.value })}
            />
            <NativeSelect
              size="xs"
              label={history.to}
              data={options}
              value={chosen.to}
              onChange={({ currentTarget }) => onChoose({ ...chosen, to: currentTarget.value })}
            />
          </Group>
          <DiffView
            space={space}
            before={before}
            after={after}
            labels={[history.versionNumber(chosen.from), history.versionNumber(chosen.to)]}
          />
        </Stack>
      )}
    </section>
  );
}
