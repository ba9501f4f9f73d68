/** The Subscriptions that a connection may bind. */
import { SERVER_ACTOR } from '../../versions/stored-version';
import type { Caller } from '../../api/access';
import type { IssuedToken } from '../../api/notification-stream';
import type { Log, RequestContext, TenantSpace } from '../../context';
import { fhirError } from '../../errors';
import { parseStoredObject } from '../../fhir/json';
import { read } from '../../versions/read';
import { addressOf } from '../../versions/resource-address';
import type { SearchServices } from '../../ports';
import { SUBSCRIPTION } from '../../fhir/type-names';
import { useOnce } from '../../storage/accounts/used-values';
import { readStates, type StoredSubscription } from '../../storage/notifications/feeds';
import { keyText } from '../../storage/read/version-row';
import { requireAuthor, requireScopesOf } from '../../authorization/require-author';
import { openBindingToken, sealBindingToken, type TokenSubscription } from './socket-token';
import { readSubscription, type SubscriptionRequest } from '../../fhir/subscription/subscription-request';
import { workContext } from '../delivery/work-context';

/** A running Subscription with the channel websocket. */
export interface SocketSubscription {
  readonly stored: StoredSubscription;
  readonly request: SubscriptionRequest;
}

export interface SubscriptionTools {
  readonly services: SearchServices;
  readonly log: Log;
  /** Throws unauthorized where the caller has lost access. */
  renewCaller(space: TenantSpace, caller: Caller): Promise<Caller>;
}

/** The server reads what its author may no longer read. */
const SERVER: Caller = { actor: SERVER_ACTOR };

/**
 * Returns a Subscription that the caller may bind: it runs, has the channel websocket, and the caller has written it.
 * Throws notFound, gone, forbidden, unauthorized, ruleViolated. Cost: two reads.
 */
export async function findOwn(
  tools: SubscriptionTools,
  context: RequestContext,
  id: string,
): Promise<SocketSubscription> {
  const { services } = tools;
  // The state first: a Subscription that is written in between has another version then.
  const stored = await readState(services, context, id);
  const { text } = await read(services, context, SUBSCRIPTION, id);
  const request = requestOf(text, context.space, id);
  requireRunning(stored, id);
  const author = await tools.renewCaller(context.space, stored.author);
  requireAuthor(context, author, id);
  requireScopesOf(context, author, id);
  return { stored, request };
}

/** Makes a token for Subscriptions of the caller. Throws as `findOwn`, and requiredMissing for none. */
export async function issueToken(
  tools: SubscriptionTools & { readonly most: number; rootOf(space: TenantSpace): string },
  context: RequestContext,
  ids: readonly string[],
): Promise<IssuedToken> {
  const { space, actor } = context;
  const wanted = [...new Set(ids)];
  if (wanted.length === 0)
    throw fhirError('requiredMissing', { reason: "The parameter 'id' must name at least one Subscription" });
  if (wanted.length > tools.most)
    throw fhirError('tooCostly', { reason: `A token may be for at most ${tools.most} Subscriptions` });
  const subscriptions: TokenSubscription[] = [];
  for (const id of wanted) {
    const { stored } = await findOwn(tools, context, id);
    subscriptions.push({ id, version: stored.version });
  }
  const url = socketUrl(tools.rootOf(space));
  return { ...sealBindingToken(tools.services.secretKeys, space, { actor, subscriptions }), url };
}

/** The address of WebSockets below a FHIR root. */
export function socketUrl(root: string): string {
  return `${root.replace(/^http/, 'ws')}/websocket`;
}

/**
 * Uses a token up and returns its Subscriptions. `sender`: the caller that opened the connection. Throws unauthorized for
 * a token that is not valid, and ruleViolated where a Subscription has changed since.
 */
export async function redeemToken(
  { services, log }: Pick<SubscriptionTools, 'services' | 'log'>,
  space: TenantSpace,
  { token, sender }: { readonly token: string; readonly sender: Caller | undefined },
): Promise<readonly SocketSubscription[]> {
  const opened = openBindingToken(services.secretKeys, space, token);
  const isOfSender = sender?.access === undefined || sender.actor === opened?.actor;
  const isGood = opened !== undefined && isOfSender;
  if (!isGood || !(await useOnce(services.database, space.number, opened.mark)))
    throw fhirError('unauthorized', { reason: 'The token is not valid here, was used, or has expired' });
  const context = workContext(log, space, SERVER);
  return Promise.all(
    opened.subscriptions.map(async ({ id, version }) => {
      const stored = await readState(services, context, id);
      requireRunning(stored, id);
      if (stored.version !== version)
        throw fhirError('ruleViolated', { reason: `Subscription/${id} was written again: get a new token` });
      const { text } = await read(services, context, SUBSCRIPTION, id);
      return { stored, request: requestOf(text, space, id) };
    }),
  );
}

async function readState(
  services: SearchServices,
  context: RequestContext,
  id: string,
): Promise<StoredSubscription | undefined> {
  const { key } = addressOf(services, context, SUBSCRIPTION, id);
  const [state] = await readStates(services.database, context.space.number, [keyText(key)]);
  return state?.id === id ? state : undefined;
}

function requireRunning(
  stored: StoredSubscription | undefined,
  id: string,
): asserts stored is StoredSubscription {
  if (stored !== undefined && stored.status !== 'error') return;
  const reason =
    stored === undefined
      ? `Subscription/${id} does not run: its status must be requested or active`
      : `Subscription/${id} has the status error: ask for it again with the status requested`;
  throw fhirError('ruleViolated', { reason }, 'Subscription.status');
}

function requestOf(text: string, { release }: TenantSpace, id: string): SubscriptionRequest {
  const parsed = readSubscription(parseStoredObject(text), release);
  if ('request' in parsed && parsed.request.channel === 'websocket') return parsed.request;
  const reason = `Subscription/${id} has not the channel websocket`;
  throw fhirError('ruleViolated', { reason }, 'Subscription.channel.type');
}
