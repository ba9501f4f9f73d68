/** The last events of a Subscription, and what an administrator can do about its deliveries. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  changeDelivery,
  readDelivery,
  type Delivery,
  type DeliveryDetails,
} from '../../../api/administration';
import { eventsOf } from '../../../api/records';
import { formatDateTime } from '../../../fhir/format-date';
import { FailureView } from '../../../layout/failure-view';
import { Loaded } from '../../../layout/loaded';
import { NUMBER, RecordTable } from '../../../layout/record-table';
import { texts } from '../../../texts';
import { RecordLink } from '../audit/record-link';
import { Confirm } from '../confirm';
import { useChange } from '../queries';
import { StateBadge } from '../status-badge';
import { formatCount } from '../tenants/amounts';
import { wayToDeliver } from './delivery-words';

const words = texts.administration.subscriptionScreens;
/** Pixels of the table of events, which scrolls. */
const HEIGHT = 320;

export function DeliveryDetailsView({ delivery }: { readonly delivery: Delivery }) {
  const { tenant, release, id } = delivery;
  const details = useQuery({
    queryKey: ['administration', tenant, 'subscriptions', 'one', release, id, delivery],
    queryFn: () => readDelivery(delivery),
    placeholderData: (before) => before,
  });
  return <Loaded query={details}>{(shown) => <Details details={shown} />}</Loaded>;
}

function Details({ details }: { readonly details: DeliveryDetails }) {
  const { tenant, release, id, status, resumable, recent } = details;
  const change = useChange((to: 'requested' | 'off') => changeDelivery(details, to));
  const [isAsked, setIsAsked] = useState(false);
  const way = wayToDeliver(details);
  const oldest = recent.at(-1);
  return (
    <Stack gap="sm" py="xs">
      <Group gap="sm">
        {way === undefined ? null : (
          <Button
            size="xs"
            aria-label={way.nameOf(id)}
            loading={change.isPending}
            onClick={() => change.mutate('requested')}
          >
            {way.label}
          </Button>
        )}
        {status === 'off' ? null : (
          <Confirm
            label={words.switchOff}
            name={words.switchOffOf(id)}
            title={words.switchOffTitle(id)}
            words={words.switchOffWords}
            action={words.switchOff}
            run={() => change.mutateAsync('off')}
          />
        )}
        {status === 'off' && !resumable ? <Text size="sm">{words.byClient}</Text> : null}
      </Group>
      {change.isError ? <FailureView error={change.error} /> : null}
      <RecordTable
        rows={recent}
        empty={words.noEvents}
        caption={words.events}
        hasCaption
        minWidth={320}
        maxHeight={HEIGHT}
        group={words.events}
        look={{ verticalSpacing: 4 }}
        keyOf={({ number }) => number}
        columns={[
          { title: words.number, ...NUMBER, cell: ({ number }) => formatCount(number) },
          { title: words.when, cell: ({ made }) => formatDateTime(made) },
          {
            title: words.state,
            cell: ({ delivered }) => (
              <StateBadge
                color={delivered ? 'teal' : 'gray'}
                label={delivered ? words.arrived : words.waits}
              />
            ),
          },
        ]}
      />
      {oldest === undefined ? null : isAsked ? (
        <EventRecords space={{ tenant, release }} id={id} since={oldest.number} />
      ) : (
        <Button size="xs" variant="default" style={{ alignSelf: 'start' }} onClick={() => setIsAsked(true)}>
          {words.about}
        </Button>
      )}
    </Stack>
  );
}

/** By the operation of FHIR, with the rights of the person in the tenant. */
function EventRecords({
  space,
  id,
  since,
}: {
  readonly space: Pick<Delivery, 'tenant' | 'release'>;
  readonly id: string;
  readonly since: number;
}) {
  const events = useQuery({
    queryKey: ['events', space, id, since],
    queryFn: () => eventsOf(space, id, since),
    retry: false,
  });
  if (events.isError)
    return <FailureView error={events.error} retry={() => void events.refetch()} isOfRecords />;
  return (
    <RecordTable
      query={events}
      empty={words.noEvents}
      caption={words.aboutCaption}
      hasCaption
      minWidth={420}
      maxHeight={HEIGHT}
      group={words.aboutCaption}
      look={{ verticalSpacing: 4 }}
      keyOf={({ number }) => number}
      columns={[
        { title: words.number, ...NUMBER, cell: ({ number }) => formatCount(number) },
        { title: words.when, cell: ({ timestamp }) => formatDateTime(timestamp) },
        {
          title: words.change,
          cell: ({ change }) => (change === undefined ? '' : words.changes[change]),
        },
        {
          title: words.record,
          cell: ({ reference }) =>
            reference === undefined ? words.untold : <RecordLink space={space} reference={reference} />,
        },
      ]}
    />
  );
}
