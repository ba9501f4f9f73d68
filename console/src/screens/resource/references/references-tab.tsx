/** What a record refers to, and what refers to it. */
import { Anchor, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'react-router';
import type { JsonObject } from '../../../api/json';
import type { TypeCapability } from '../../../fhir/capabilities';
import { referencesIn } from '../../../fhir/references-in';
import { ReferenceView } from '../../../fhir/render/reference-view';
import { useCapabilities } from '../../../fhir/search-definitions';
import { Loaded } from '../../../layout/loaded';
import { fhirPath, type Space } from '../../../place';
import { texts } from '../../../texts';
import { ReferrerRecords } from './referrer-records';
import { useReferrers, type Target } from './use-referrers';

export interface ReferencesTabProps {
  readonly space: Space;
  readonly type: string;
  readonly id: string;
  readonly record: JsonObject;
}

export default function ReferencesTab({ space, type, id, record }: ReferencesTabProps) {
  return (
    <Stack gap="xl">
      <section aria-labelledby="refers-to">
        <Title order={2} size="h4" id="refers-to" mb="sm">
          {texts.record.refersTo}
        </Title>
        <OwnReferences record={record} />
      </section>
      <section aria-labelledby="referred-by">
        <Title order={2} size="h4" id="referred-by" mb="sm">
          {texts.record.referredBy}
        </Title>
        <Referrers space={space} type={type} id={id} />
      </section>
    </Stack>
  );
}

function OwnReferences({ record }: { readonly record: JsonObject }) {
  const references = useMemo(() => referencesIn(record), [record]);
  if (references.length === 0) return <Text c="dimmed">{texts.record.refersToNothing}</Text>;
  return (
    <Table.ScrollContainer minWidth={280} type="native">
      <Table verticalSpacing={4} fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{texts.record.place}</Table.Th>
            <Table.Th scope="col">{texts.record.target}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {references.map(({ path, label, reference }, index) => (
            <Table.Tr key={`${path}${index}`}>
              <Table.Td title={path}>{label}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <ReferenceView value={reference} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Referrers({ space, type, id }: Omit<ReferencesTabProps, 'record'>) {
  const capabilities = useCapabilities(space);
  return (
    <Loaded query={capabilities}>
      {(known) => <ReferrerGroups space={space} target={{ type, id }} capability={known.get(type)} />}
    </Loaded>
  );
}

interface ReferrerGroupsProps {
  readonly space: Space;
  readonly target: Target;
  readonly capability: TypeCapability | undefined;
}

function ReferrerGroups({ space, target, capability }: ReferrerGroupsProps) {
  const query = useReferrers(space, target, capability);
  const key = `${target.type}/${target.id}`;
  return (
    <Loaded query={query}>
      {(referrers) =>
        referrers.length === 0 ? (
          <Text c="dimmed">{texts.record.referredByNothing}</Text>
        ) : (
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
            {referrers.map((referrer) => (
              <div key={`${referrer.type}:${referrer.parameter}`}>
                <Title order={3} size="h6">
                  {referrer.type}{' '}
                  <Text span size="sm" c="dimmed" fw={400}>
                    {texts.record.through(referrer.parameter)}
                  </Text>
                </Title>
                <ReferrerRecords space={space} referrer={referrer} target={key} />
                <Anchor
                  component={Link}
                  to={`${fhirPath(space, referrer.type)}?${referrer.parameter}=${key}`}
                  size="sm"
                >
                  {texts.record.showAllOf(referrer.count, referrer.type)}
                </Anchor>
              </div>
            ))}
          </SimpleGrid>
        )
      }
    </Loaded>
  );
}
