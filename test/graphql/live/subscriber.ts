/** Real clients of live queries: graphql-sse and graphql-ws, as front ends use them. */
import { type Client as EventClient, createClient as createEventClient } from 'graphql-sse';
import { type Client as SocketClient, createClient as createSocketClient } from 'graphql-ws';
import type { ExecutionResult } from 'graphql';
import { WebSocket } from 'ws';
import { eventually } from '../../support/eventually';
import type { Release } from '../../../src/core';
import { countLiveQueries } from '../../support/server';
import { gatewayPath, type GatewayError } from '../gateway-client';

export interface ChangeSeen {
  readonly action: string;
  readonly type: string;
  readonly id: string;
  readonly versionId: string;
  readonly sequence: number;
  readonly json?: { readonly [name: string]: unknown } | null;
}

export const SUBSCRIPTION = `subscription($type: ResourceType, $id: ID, $query: String, $after: SafeInt) {
  resourceChanged(type: $type, id: $id, query: $query, after: $after) { action type id versionId sequence json }
}`;

/** The results that a subscriber has received. */
export interface Subscriber {
  readonly changes: ChangeSeen[];
  readonly errors: GatewayError[];
  /** True when the server has ended it, or the client has closed it. */
  readonly isOver: boolean;
  /** The code with which the server closed the WebSocket. */
  readonly closed?: { readonly code: number } | undefined;
  /** `Patient/a 1 create`, in the order in which they came. */
  lines(): string[];
  /** Waits until so many changes have come. */
  received(count: number): Promise<readonly ChangeSeen[]>;
  close(): void;
}

export interface SubscribeOptions {
  readonly base: string;
  readonly tenant?: string;
  readonly release?: Release;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly document?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Collects the results of a client. */
export class CollectingSubscriber implements Subscriber {
  readonly changes: ChangeSeen[] = [];
  readonly errors: GatewayError[] = [];
  isOver = false;
  closed: { readonly code: number } | undefined;
  constructor(private readonly stop: () => void) {}

  take(result: ExecutionResult<Record<string, unknown>>): void {
    this.errors.push(...((result.errors ?? []) as unknown as GatewayError[]));
    const change = result.data?.['resourceChanged'];
    if (change) this.changes.push(change as ChangeSeen);
  }

  lines(): string[] {
    return this.changes.map(({ type, id, versionId, action }) => `${type}/${id} ${versionId} ${action}`);
  }

  async received(count: number): Promise<readonly ChangeSeen[]> {
    await eventually(() => this.changes.length >= count).catch(() => {
      throw new Error(
        `Told ${this.changes.length} of ${count}: ${this.lines().join(', ')} ${JSON.stringify(this.errors)}`,
      );
    });
    return this.changes;
  }

  close(): void {
    this.stop();
  }
}

/** Resolves when the server has subscribed: later writes are reported. */
export async function subscribeByEvents(options: SubscribeOptions): Promise<Subscriber> {
  const {
    base,
    tenant = 'system',
    release = 'r4',
    variables = {},
    document = SUBSCRIPTION,
    headers,
  } = options;
  let connected: () => void;
  const isConnected = new Promise<void>((resolve) => (connected = resolve));
  const client: EventClient = createEventClient({
    url: `${base}${gatewayPath(tenant, release)}/stream`,
    retryAttempts: 0,
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    on: { connected: () => connected() },
  });
  const subscriber = new CollectingSubscriber(() => client.dispose());
  client.subscribe<Record<string, unknown>>(
    { query: document, variables: { ...variables } },
    {
      next: (result) => subscriber.take(result as ExecutionResult<Record<string, unknown>>),
      error: () => {
        subscriber.isOver = true;
        connected();
      },
      complete: () => {
        subscriber.isOver = true;
        connected();
      },
    },
  );
  await isConnected;
  return subscriber;
}

/** A connection on which several subscriptions may be. */
export function connectSocket({ base, tenant = 'system', release = 'r4' }: SubscribeOptions): SocketClient {
  return createSocketClient({
    url: base.replace('http', 'ws') + gatewayPath(tenant, release),
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    lazy: true,
  });
}

/**
 * Resolves when the server follows for it, or has refused to. At a server of another process it resolves at once: its
 * metrics say how many live queries it follows, and `after` misses no change.
 */
export async function subscribeBySocket(
  options: SubscribeOptions,
  client: SocketClient = connectSocket(options),
): Promise<Subscriber> {
  const { variables = {}, document = SUBSCRIPTION } = options;
  const before = countLiveQueries(options.base)?.begun;
  let stop: () => void = () => undefined;
  const subscriber = new CollectingSubscriber(() => stop());
  stop = client.subscribe<Record<string, unknown>>(
    { query: document, variables: { ...variables } },
    {
      next: (result) => subscriber.take(result as ExecutionResult<Record<string, unknown>>),
      error(thrown) {
        subscriber.isOver = true;
        if (Array.isArray(thrown)) subscriber.errors.push(...(thrown as GatewayError[]));
        else subscriber.closed = thrown as { readonly code: number };
      },
      complete: () => (subscriber.isOver = true),
    },
  );
  // The protocol has no message for it: the first answer of a subscription is its first change.
  if (before !== undefined)
    await eventually(() => subscriber.isOver || countLiveQueries(options.base)?.begun !== before);
  return subscriber;
}
