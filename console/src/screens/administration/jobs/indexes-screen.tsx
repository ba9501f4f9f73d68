/** Compares the search index of a tenant with its records, and repairs it. */
import { Button, Group, List, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { reindex } from '../../../api/administration';
import { FailureView } from '../../../layout/failure-view';
import { RELEASES, type Release } from '../../../place';
import { texts } from '../../../texts';
import { Part, ScreenHeading } from '../../../layout/heading';
import { useChange, useTenant } from '../queries';
import { JobList } from './job-list';

const words = texts.administration.jobs.indexes;

export function IndexesScreen() {
  const tenant = useTenant();
  const [release, setRelease] = useState<Release>();
  const starting = useChange(() => reindex(tenant, release === undefined ? {} : { release }));
  return (
    <Stack gap="xl">
      <ScreenHeading place={tenant} intro={words.intro} />
      <Part title={words.when}>
        <Stack gap="xs">
          <List size="sm">
            {words.reasons.map((reason) => (
              <List.Item key={reason}>{reason}</List.Item>
            ))}
          </List>
          <Text size="sm">{words.notNeeded}</Text>
          <Text size="sm">{words.harmless}</Text>
        </Stack>
      </Part>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          starting.mutate(undefined);
        }}
      >
        <Group gap="sm" align="end">
          <Select
            label={words.release}
            data={[
              { value: '', label: words.both },
              ...RELEASES.map((each) => ({ value: each, label: each.toUpperCase() })),
            ]}
            value={release ?? ''}
            onChange={(value) => setRelease(RELEASES.find((each) => each === value))}
            allowDeselect={false}
          />
          <Button type="submit" loading={starting.isPending}>
            {words.start}
          </Button>
        </Group>
        {starting.isError ? <FailureView error={starting.error} /> : null}
      </form>
      <JobList tenant={tenant} kind="reindex" title={words.history} />
    </Stack>
  );
}
