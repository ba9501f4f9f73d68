/** A client of the WebSockets of Subscriptions. */
import { WebSocket } from 'ws';
import type { Release } from '../../src/core';
import { eventually } from './eventually';
import type { TestServer } from './server';
import { readNotification, type Notified } from './subscriptions';

export interface NotificationSocket {
  readonly socket: WebSocket;
  /** The messages of the server. */
  readonly received: readonly string[];
  /** The code and the reason with which the connection was closed. */
  readonly closed: Promise<readonly [code: number, reason: string]>;
  /** Sends a message. */
  send(message: string | Buffer): void;
  /** Waits until so many messages have come. */
  until(count: number): Promise<readonly string[]>;
  /** The messages as notifications. */
  notified(): readonly Notified[];
}

/** Opens a connection; rejects where the server refuses it. */
export async function openNotificationSocket(
  server: TestServer,
  tenant: string,
  release: Release,
  headers: Readonly<Record<string, string>> = {},
): Promise<NotificationSocket> {
  const url = `${server.root(tenant, release).replace(/^http/, 'ws')}/websocket`;
  const socket = new WebSocket(url, { headers });
  const received: string[] = [];
  socket.on('message', (data: Buffer) => received.push(data.toString()));
  const closed = new Promise<readonly [number, string]>((resolve) =>
    socket.once('close', (code, reason) => resolve([code, reason.toString()])),
  );
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    ...{ socket, received, closed },
    send: (message) => socket.send(message),
    async until(count) {
      await eventually(async () => received.length >= count);
      return received;
    },
    notified: () => received.map((body) => readNotification(release, { body })),
  };
}
