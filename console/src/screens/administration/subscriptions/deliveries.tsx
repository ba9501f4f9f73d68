/** The Subscriptions of a tenant, or of all tenants, with their deliveries. */
import { Anchor, Button, Select, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { listDeliveries, type Delivery } from '../../../api/administration';
import { formatDateTime } from '../../../fhir/format-date';
import { FailureView } from '../../../layout/failure-view';
import { Loading } from '../../../layout/loaded';
import { ANYWHERE, moreOf, NUMBER, RecordTable } from '../../../layout/record-table';
import { operatorPath, resourcePath } from '../../../place';
import { texts } from '../../../texts';
import { StateBadge } from '../status-badge';
import { formatCount } from '../tenants/amounts';
import { DeliveryDetailsView } from './delivery-details';
import { isUnderWay, stateOf } from './delivery-words';

const words = texts.administration.subscriptionScreens;
const STATUSES = ['requested', 'active', 'error', 'off'] as const;
const ALL = 'all';
const REFRESH_MS = 15_000;
const SOON_MS = 2_000;

export function Deliveries({ tenant }: { readonly tenant?: string }) {
  const [chosen, setChosen] = useState<string>(ALL);
  const status = STATUSES.find((one) => one === chosen);
  const deliveries = useInfiniteQuery({
    queryKey: ['administration', tenant ?? '', 'subscriptions', chosen],
    queryFn: ({ pageParam }) =>
      listDeliveries(tenant, {
        ...(status === undefined ? {} : { status }),
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    // Only while the page is visible.
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ subscriptions }) =>
        subscriptions.some((one) => isUnderWay(one, Date.now())),
      ) === true
        ? SOON_MS
        : REFRESH_MS,
  });
  return (
    <Stack gap="sm">
      <Select
        label={words.status}
        w={180}
        allowDeselect={false}
        data={[
          { value: ALL, label: words.all },
          ...STATUSES.map((value) => ({ value, label: words.statuses[value] })),
        ]}
        value={chosen}
        onChange={(value) => setChosen(value ?? ALL)}
      />
      {deliveries.isPending ? (
        <Loading />
      ) : deliveries.data === undefined ? (
        <FailureView error={deliveries.error} retry={() => void deliveries.refetch()} />
      ) : (
        <DeliveryTable
          isOfAll={tenant === undefined}
          rows={deliveries.data.pages.flatMap(({ subscriptions }) => subscriptions)}
          more={moreOf(deliveries, words.more)}
        />
      )}
    </Stack>
  );
}

interface TableProps {
  readonly isOfAll: boolean;
  readonly rows: readonly Delivery[];
  readonly more: ReturnType<typeof moreOf>;
}

function DeliveryTable({ isOfAll, rows, more }: TableProps) {
  return (
    <RecordTable
      rows={rows}
      empty={<Nothing more={more} />}
      caption={words.caption}
      group={words.caption}
      hasCaption
      minWidth={820}
      more={more}
      keyOf={({ tenant, release, id }) => `${tenant} ${release} ${id}`}
      details={{
        title: words.details,
        label: ({ id }) => words.detailsOf(id),
        view: (delivery) => <DeliveryDetailsView delivery={delivery} />,
      }}
      columns={[
        ...(isOfAll
          ? [
              {
                title: words.tenant,
                cell: ({ tenant }: Delivery) => (
                  <Anchor component={Link} to={operatorPath(tenant, 'subscriptions')} size="sm">
                    {tenant}
                  </Anchor>
                ),
              },
            ]
          : []),
        {
          title: words.subscription,
          ...ANYWHERE,
          cell: ({ tenant, release, id }) => (
            <Anchor
              component={Link}
              to={resourcePath({ tenant, release }, 'Subscription', id)}
              aria-label={words.open(id)}
              size="sm"
            >
              {id}
            </Anchor>
          ),
        },
        { title: words.release, cell: ({ release }) => release.toUpperCase() },
        { title: words.status, cell: (row) => <StateBadge {...stateOf(row)} /> },
        { title: words.endpoint, ...ANYWHERE, cell: ({ endpoint }) => endpoint ?? words.websocket },
        {
          title: words.delivered,
          ...NUMBER,
          cell: ({ delivered, events }) => words.deliveredOf(formatCount(delivered), formatCount(events)),
        },
        { title: words.waiting, ...NUMBER, cell: ({ waiting }) => formatCount(waiting) },
        {
          title: words.lastArrival,
          cell: ({ lastArrival }) => (lastArrival === undefined ? '' : formatDateTime(lastArrival)),
        },
        { title: words.lastError, cell: (row) => <LastError row={row} /> },
      ]}
    />
  );
}

function LastError({ row }: { readonly row: Delivery }) {
  const { failure, attempts, failingSince, nextAttempt } = row;
  const times = [
    ...(attempts === 0 ? [] : [words.attempts(attempts)]),
    ...(failingSince === undefined ? [] : [words.since(formatDateTime(failingSince))]),
    ...(nextAttempt === undefined ? [] : [words.next(formatDateTime(nextAttempt))]),
  ];
  return (
    <>
      {failure === undefined ? null : (
        <Text size="sm" miw={160}>
          {failure}
        </Text>
      )}
      {times.map((time) => (
        <Text key={time} size="xs" c="dimmed">
          {time}
        </Text>
      ))}
    </>
  );
}

function Nothing({ more }: Pick<TableProps, 'more'>) {
  return (
    <Stack gap={4} role="status">
      <Text>{more === undefined ? words.empty : words.noneWithStatus}</Text>
      {more === undefined ? (
        <Text size="sm" c="dimmed">
          {words.emptyHint}
        </Text>
      ) : (
        <Button variant="default" style={{ alignSelf: 'start' }} onClick={more.load}>
          {more.label}
        </Button>
      )}
    </Stack>
  );
}
