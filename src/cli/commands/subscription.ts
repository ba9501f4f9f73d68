import {
  isRelease,
  RELEASE_NAMES,
  type Core,
  type DeliveryScope,
  type Release,
  type SubscriptionAdministration,
  type SubscriptionDelivery,
  type SubscriptionPlace,
} from '../../core';
import { type Arguments, type Command, type CommandGroup, UsageError } from '../command';
import { textOf, wrongValue } from '../option-values';
import { JSON_OPTION, print, toInstant } from '../output';
import { withApp } from '../with-app';
import { TENANT_OPTION, withTenant } from '../with-tenant';

const STATUSES = ['error', 'active', 'requested', 'off'] as const;

function statusOf({ options }: Arguments): DeliveryScope['status'] {
  const given = textOf(options['status']);
  const status = STATUSES.find((one) => one === given);
  if (given !== undefined && status === undefined) throw wrongValue('status', STATUSES);
  return status;
}

function releaseOf({ options }: Arguments): Release | undefined {
  const release = textOf(options['release']);
  if (release === undefined || isRelease(release)) return release;
  throw wrongValue('release', ['r4', 'r4b']);
}

function toDocument(delivery: SubscriptionDelivery): object {
  const {
    endpoint = null,
    failingSince,
    nextAttempt,
    lastArrival,
    failure = null,
    canResume,
    ...rest
  } = delivery;
  const time = (at: number | undefined): string | null => (at === undefined ? null : toInstant(at));
  return {
    ...rest,
    endpoint,
    failingSince: time(failingSince),
    nextAttempt: time(nextAttempt),
    lastArrival: time(lastArrival),
    failure,
    resumable: canResume,
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

/** All pages: what needs a person first, then by tenant, release and id. Without a status those that are not off. */
async function listAll(
  deliveries: Pick<SubscriptionAdministration, 'list'>,
  scope: Omit<DeliveryScope, 'after'>,
): Promise<readonly SubscriptionDelivery[]> {
  const all: SubscriptionDelivery[] = [];
  for (let after: string | undefined; ;) {
    const { subscriptions, next } = await deliveries.list({ ...scope, after });
    all.push(...subscriptions.filter(({ status }) => status !== 'off' || scope.status === 'off'));
    if (next === undefined) break;
    after = next;
  }
  return all;
}

const list: Command = {
  name: 'list',
  usage: '',
  summary: 'List the Subscriptions that are not off, with their deliveries.',
  options: {
    tenant: { ...TENANT_OPTION.tenant, help: 'only those of one tenant', isRequired: false },
    status: { type: 'string', value: 'STATUS', help: 'only those that are error, active, requested or off' },
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
      const subscriptions = await listAll(deliveries, { tenant, status });
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

/** A command that switches the Subscription ID off, or on again. */
function switchCommand(
  name: 'off' | 'on',
  texts: Pick<Command, 'summary' | 'examples'>,
  change: (
    subscriptions: SubscriptionAdministration,
    tenant: string,
    place: SubscriptionPlace,
  ) => Promise<SubscriptionDelivery['status'] | undefined>,
): Command {
  return {
    ...{ name, usage: 'ID', ...texts },
    options: {
      ...TENANT_OPTION,
      release: { type: 'string', value: 'RELEASE', help: 'only that of r4 or r4b' },
      ...JSON_OPTION,
    },
    run: async (given) => {
      const [id = ''] = given.words;
      if (id === '')
        throw new UsageError(
          `The id of the Subscription is missing: npx --no-install andiron subscription ${name} ID`,
        );
      const only = releaseOf(given);
      await withTenant(given, async ({ tenants: { subscriptions } }, tenant) => {
        const changed = [];
        for (const release of only === undefined ? RELEASE_NAMES : [only]) {
          const status = await change(subscriptions, tenant, { release, id });
          if (status !== undefined) changed.push({ release, id, status });
        }
        if (changed.length === 0)
          throw new Error(
            `Subscription/${id} of tenant ${tenant} is not switched ${name}: it does not exist, or its client switched it off`,
          );
        print(
          given,
          { changed },
          changed.map((one) => `${one.release} ${one.id} is ${one.status}`),
        );
      });
    },
  };
}

const off = switchCommand(
  'off',
  {
    summary: 'Switch a Subscription off. What happens until it is on again is not delivered.',
    examples: [
      {
        line: 'andiron subscription off --tenant acme ward-7',
        does: 'Deliver nothing more for one Subscription.',
      },
    ],
  },
  async (subscriptions, tenant, place) =>
    (await subscriptions.switchOff(tenant, place)) ? 'off' : undefined,
);

const on = switchCommand(
  'on',
  {
    summary: 'Switch a Subscription on that an administrator has switched off.',
    examples: [
      { line: 'andiron subscription on --tenant acme ward-7', does: 'Begin again with a handshake.' },
    ],
  },
  (subscriptions, tenant, place) => subscriptions.switchOn(tenant, place),
);

export const subscription: CommandGroup = {
  name: 'subscription',
  summary: 'List the deliveries of Subscriptions, retry those that fail, or switch one off and on.',
  commands: [list, retry, off, on],
};
