/** The packages of implementation guides that a tenant has, and the import of others. */
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listPackages } from '../../../api/administration';
import { formatDateTime } from '../../../fhir/format-date';
import { NUMBER, RecordTable } from '../../../layout/record-table';
import { texts } from '../../../texts';
import { Part, ScreenHeading } from '../../../layout/heading';
import { useTenant } from '../queries';
import { formatCount } from '../tenants/amounts';
import { ImportForm } from './import-form';
import { JobList } from './job-list';

const words = texts.administration.jobs.packages;

export function PackagesScreen() {
  const tenant = useTenant();
  const packages = useQuery({
    queryKey: ['administration', tenant, 'packages'],
    queryFn: () => listPackages(tenant),
  });
  return (
    <Stack gap="xl">
      <ScreenHeading place={tenant} intro={words.intro} />
      <RecordTable
        query={packages}
        empty={words.empty}
        caption={words.caption}
        hasCaption
        minWidth={520}
        keyOf={({ name, version, release }) => `${release} ${name}@${version}`}
        columns={[
          { title: words.name, cell: ({ name }) => name },
          { title: words.version, cell: ({ version }) => version },
          { title: words.release, cell: ({ release }) => release.toUpperCase() },
          {
            title: words.resources,
            ...NUMBER,
            cell: ({ resources }) => (resources === undefined ? '' : formatCount(resources)),
          },
          { title: words.imported, cell: ({ imported }) => formatDateTime(imported) },
        ]}
      />
      <Part title={words.import} hint={words.importHint}>
        <ImportForm tenant={tenant} />
      </Part>
      <JobList tenant={tenant} kind="import-package" title={words.history} />
    </Stack>
  );
}
