/** The packages of implementation guides that a tenant has, and the import of others. */
import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listPackages, type PackageRecord } from '../../../api/administration';
import { formatDateTime } from '../../../fhir/format-date';
import { texts } from '../../../texts';
import { AdministrationLoaded } from '../failure';
import { Part, ScreenHeading } from '../heading';
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
      <AdministrationLoaded query={packages}>
        {(list) => (list.length === 0 ? <Text>{words.empty}</Text> : <PackageTable packages={list} />)}
      </AdministrationLoaded>
      <Part title={words.import} hint={words.importHint}>
        <ImportForm tenant={tenant} />
      </Part>
      <JobList tenant={tenant} kind="import-package" title={words.history} />
    </Stack>
  );
}

function PackageTable({ packages }: { readonly packages: readonly PackageRecord[] }) {
  return (
    <Table.ScrollContainer minWidth={520}>
      <Table highlightOnHover>
        <Table.Caption>{words.caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.name}</Table.Th>
            <Table.Th>{words.version}</Table.Th>
            <Table.Th>{words.release}</Table.Th>
            <Table.Th ta="right">{words.resources}</Table.Th>
            <Table.Th>{words.imported}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {packages.map(({ name, version, release, resources, imported }) => (
            <Table.Tr key={`${release} ${name}@${version}`}>
              <Table.Td>{name}</Table.Td>
              <Table.Td>{version}</Table.Td>
              <Table.Td>{release.toUpperCase()}</Table.Td>
              <Table.Td ta="right">{resources === undefined ? '' : formatCount(resources)}</Table.Td>
              <Table.Td>{formatDateTime(imported)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
