import { isRelease, type Core, type DeliveryScope, type SubscriptionDelivery } from '../core';
import { type Arguments, type Command, type CommandGroup } from './command';
import { textOf, wrongValue } from './option-values';
import { JSON_OPTION, print, toInstant } from './output';
import { withApp } from './with-app';
import { TENANT_OPTION, withTenant } from './with-tenant';

const STATUSES = ['error', 'active', 'requested'] as const;

function statusOf({ options }: Arguments): DeliveryScope['status'] {
  const given = textOf(options['status']);
  const status = STATUSES.find((one) => one === given);
  if (given !== undefined && status === undefined) throw wrongValue('status', STATUSES);
  return status;
}

function releaseOf({ options }: Arguments): DeliveryScope['release'] {
  const release = textOf(options['release']);
  if (release === undefined || isRelease(release)) return release;
  throw wrongValue('release', ['r4', 'r4b']);
}

function toDocument(delivery: SubscriptionDelivery): object {
  const { endpoint = null, failingSince, nextAttempt, failure = null, ...rest } = delivery;
  return {
    ...rest,
    endpoint,
    failingSince: failingSince === undefined ? null : toInstant(failingSince),
    nextAttempt: nextAttempt === undefined ? null : toInstant(nextAttempt),
    failure,
  };
}

function toLines(delivery: SubscriptionDelivery): readonly string[] {
  const { tenant, release, id, status, endpoint, events, delivered, waiting } = delivery;
  const { attempts, failingSince, nextAttempt, failure } = delivery;
  const times = [
    ...(attempts === 0 ? [] : [`${attempts} attempts failed`]),
    ...(failingSince === undefined ? [] : [`since ${toInstant(failingSince)}`]),
    ...(nextAttempt === undefined ? [] : [`next attempt ${toInstant(nextAttempt)}`]),
  ];
  return [
    `${tenant}  ${release}  ${id}  ${status}  ${endpoint ?? 'websocket'}`,
    `  ${events} events, ${delivered} delivered, ${waiting} waiting`,
    ...(times.length === 0 ? [] : [`  ${times.join(', ')}`]),
    ...(failure === undefined ? [] : [`  last failure: ${failure}`]),
  ];
}

const list: Command = {
  name: 'list',
  usage: '',
  summary: 'List the Subscriptions that are not off, with their deliveries.',
  options: {
    tenant: { ...TENANT_OPTION.tenant, help: 'only those of one tenant', isRequired: false },
    status: { type: 'string', value: 'STATUS', help: 'only those that are error, active or requested' },
    ...JSON_OPTION,
  },
  examples: [
    { line: 'andiron subscription list', does: 'Print all Subscriptions of all tenants.' },
    {
      line: 'andiron subscription list --tenant acme --status error',
      does: 'Print those of one tenant that the server has given up.',
    },
    { line: 'andiron subscription list --json', does: 'Print them for a program.' },
  ],
  run: async (given) => {
    const status = statusOf(given);
    const tenant = textOf(given.options['tenant']);
    const show = async ({ tenants: { subscriptions: deliveries } }: Core): Promise<void> => {
      const subscriptions = await deliveries.list({ tenant, status });
      print(given, { subscriptions: subscriptions.map(toDocument) }, subscriptions.flatMap(toLines));
    };
    await (tenant === undefined ? withApp(({ core }) => show(core)) : withTenant(given, show));
  },
};

const retry: Command = {
  name: 'retry',
  usage: '[ID]',
  summary: 'Deliver failing Subscriptions of a tenant now, and request those in error again.',
  options: {
    ...TENANT_OPTION,
    release: { type: 'string', value: 'RELEASE', help: 'only those of r4 or r4b' },
    ...JSON_OPTION,
  },
  examples: [
    {
      line: 'andiron subscription retry --tenant acme',
      does: 'Try all that fail again, for example after an endpoint was repaired.',
    },
    {
      line: 'andiron subscription retry --tenant acme --release r4b',
      does: 'Try those of one release again.',
    },
  ],
  run: async (given) => {
    const [id] = given.words;
    const release = releaseOf(given);
    await withTenant(given, async ({ tenants: { subscriptions } }, tenant) => {
      const retried = await subscriptions.retry(tenant, { release, id });
      if (id !== undefined && retried.length === 0)
        throw new Error(
          `Subscription/${id} of tenant ${tenant} is not retried: it does not exist, is off, or does not fail`,
        );
      print(given, { retried }, [
        ...retried.map((one) =>
          one.status === 'requested'
            ? `${one.release} ${one.id} is requested again and begins with a handshake`
            : `${one.release} ${one.id} is delivered now`,
        ),
        ...(retried.length === 0 ? [`No Subscription of tenant ${tenant} fails`] : []),
      ]);
    });
  },
};

export const subscription: CommandGroup = {
  name: 'subscription',
  summary: 'List the deliveries of Subscriptions, or retry those that fail.',
  commands: [list, retry],
};
