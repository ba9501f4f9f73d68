/** Exports and imports of the data of a tenant. */
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useBulkJobs } from '../../../api/bulk-jobs';
import { useSpace } from '../../../layout/current-screen';
import { Part, ScreenHeading } from '../../../layout/heading';
import { texts } from '../../../texts';
import { useTenant } from '../queries';
import { ReleaseChoice } from '../release-choice';
import { BulkJob } from './bulk-job';
import { ExportForm } from './export-form';
import { ImportForm } from './import-form';
import { TenantJobs } from './tenant-jobs';

const words = texts.administration.bulkScreen;

export function BulkScreen() {
  const tenant = useTenant();
  const [release, setRelease] = useState(useSpace().release);
  const space = { tenant, release };
  const jobs = useBulkJobs(space);
  const key = `${tenant}/${release}`;
  return (
    <Stack gap="xl">
      <ScreenHeading place={tenant} intro={words.intro}>
        <ReleaseChoice value={release} onChange={setRelease} />
      </ScreenHeading>
      <Text size="sm" maw={760}>
        {words.whose}
      </Text>
      <Part title={words.exportTitle}>
        <ExportForm key={key} space={space} />
      </Part>
      <Part title={words.importTitle} hint={words.importHint}>
        <ImportForm key={key} space={space} />
      </Part>
      <Part title={words.jobs} hint={words.jobsHint}>
        {jobs.length === 0 ? <Text size="sm">{words.none}</Text> : null}
        <Stack gap="sm">
          {jobs.map((job) => (
            <BulkJob key={job.id} space={space} job={job} />
          ))}
        </Stack>
      </Part>
      <Part title={words.allJobs} hint={words.allJobsHint}>
        <TenantJobs tenant={tenant} />
      </Part>
    </Stack>
  );
}
