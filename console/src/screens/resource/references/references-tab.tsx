/** What a record refers to, and what refers to it. */
import { Anchor, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useCallback } from 'react';
import { Link } from 'react-router';
import type { JsonObject } from '../../../api/json';
import type { TypeCapability } from '../../../fhir/capabilities';
import { referenceSteps } from '../../../fhir/references-in';
import { ReferenceView } from '../../../fhir/render/reference-view';
import { useCapabilities } from '../../../fhir/search/search-definitions';
import { Loaded, Loading } from '../../../layout/loaded';
import { ANYWHERE, RecordTable } from '../../../layout/record-table';
import { Part } from '../../../layout/heading';
import { useSliced } from '../../../layout/use-sliced';
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
      <Part title={texts.record.refersTo}>
        <OwnReferences record={record} />
      </Part>
      <Part title={texts.record.referredBy}>
        <Referrers space={space} type={type} id={id} />
      </Part>
    </Stack>
  );
}

function OwnReferences({ record }: { readonly record: JsonObject }) {
  const references = useSliced(useCallback(() => referenceSteps(record), [record]));
  if (references === undefined) return <Loading />;
  return (
    <RecordTable
      rows={references}
      empty={<Text c="dimmed">{texts.record.refersToNothing}</Text>}
      caption={texts.record.refersTo}
      look={{ verticalSpacing: 4 }}
      minWidth={280}
      keyOf={({ path }, index) => `${path}${index}`}
      columns={[
        { title: texts.record.place, cell: ({ path, label }) => <span title={path}>{label}</span> },
        {
          title: texts.record.target,
          ...ANYWHERE,
          cell: ({ reference }) => <ReferenceView value={reference} />,
        },
      ]}
    />
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
