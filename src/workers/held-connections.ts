/** Connections of clients that are on their way to a worker. */
import type { ChildProcess } from 'node:child_process';

interface Handle {
  close(): void;
}

/**
 * Returns a function that closes the connections that a worker has been given and has not taken, for when it has ended: node:cluster
 * leaves them open, and their clients would wait. A connection that was taken is closed in this process already.
 */
export function holdConnections(worker: Pick<ChildProcess, 'send'>): () => void {
  /** The last one by the key of its listener: node:cluster gives the next one when it is taken. */
  const given = new Map<unknown, Handle>();
  const { send } = worker;
  worker.send = (message, ...rest: unknown[]): boolean => {
    const [handle] = rest;
    if (typeof message === 'object' && 'key' in message && isHandle(handle)) given.set(message.key, handle);
    return Reflect.apply(send, worker, [message, ...rest]) as boolean;
  };
  return () => {
    for (const handle of given.values()) handle.close();
  };
}

function isHandle(value: unknown): value is Handle {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function';
}
