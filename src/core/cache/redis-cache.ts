import { randomBytes } from 'node:crypto';
import { Cluster, type Redis, ReplyError } from 'ioredis';
import type { Log } from '../context';
import type { BucketAnswer, BucketRequest } from '../memory/token-bucket';
import { isCacheable } from '../memory/cache-registry';
import { VERSION } from '../version';
import { isTraced, recordCall } from '../tracing';
import {
  createCommands,
  createSubscriber,
  findKeyHolders,
  MAX_RETRY_MS,
  isTimeout,
  reasonOf,
  reconnect,
  type RedisCommands,
  type RedisOptions,
} from './redis-connection';
import { settingsBehind } from './redis-settings';
import { takeTokens } from './take-tokens';

/** A message between the processes of an installation. It may be lost: listeners must be correct without it. */
export interface Notice {
  /**
   * tenant-changed: subject is the tenant's name. definitions-changed: subject is the digest of the definitions in
   * the database. erased: subject is the number of an erasure.
   */
  readonly kind: 'tenant-changed' | 'definitions-changed' | 'erased';
  readonly subject: string;
}

/** No space has this number: its channel is that of background work. */
const WORK = 0;
/** Interval of the notices to itself by which a process learns whether notices arrive. */
const ECHO_MS = 5_000;
/** More spaces with writes while Redis is away are found by polls alone. */
const MAX_UNANNOUNCED = 10_000;
/** Several keys, because a node of a cluster serves only some keys. */
const TRIAL_KEYS = 16;
const TIME_TO_LIVE_SECONDS = 24 * 60 * 60;
/** Each round removes keys that were added during the previous one. */
const MAX_REMOVAL_ROUNDS = 5;
/** Larger texts are not worth the transfer. */
const MAX_TEXT_LENGTH = 4 * 1024 * 1024;

/**
 * A cache in Redis for the texts of costly answers, and notices to the other processes. Every failure is a miss;
 * nothing waits for Redis to return, and it is used again as soon as it does. Texts never become stale, because their
 * keys name the version of all that they were made from.
 */
export class RedisCache {
  private readonly commands: RedisCommands;
  private readonly subscriber: Redis;
  private readonly channel: string;
  /** Channels that every new connection subscribes to. */
  private readonly channels = new Set<string>();
  /** Change listeners by the channel of their space. */
  private readonly changeListeners = new Map<string, Set<() => void>>();
  /** True: notices of other processes arrive. */
  private hasNotices = false;
  private wasReachable = true;
  /** True: a command failed on an open connection. Only trial commands are sent until one succeeds. */
  private isFailing = false;
  private trial: NodeJS.Timeout | undefined;
  /** Channels of changes whose notices Redis has not taken. */
  private readonly unannounced = new Set<string>();
  /** The channel on which this process notifies itself. */
  private readonly echoChannel: string;
  private readonly echoTimer: NodeJS.Timeout;
  /** The number of the last notice to itself that Redis has taken, and of the last that has arrived. */
  private echoSent = 0;
  private echoHeard = 0;
  private closed = false;

  /**
   * @param prefix installation and database; every key and channel begins with it
   * @param observe called for each lookup
   */
  constructor(
    private readonly options: RedisOptions,
    private readonly prefix: string,
    private readonly log: Log,
    private readonly observe: (outcome: 'hit' | 'miss' | 'unreachable') => void,
  ) {
    this.channel = `${prefix}:notices`;
    this.echoChannel = `${prefix}:echo:${randomBytes(8).toString('hex')}`;
    this.channels.add(this.echoChannel);
    this.commands = createCommands(options);
    this.subscriber = createSubscriber(options, this.commands);
    this.subscriber.on('message', (channel: string, message: string) => {
      if (channel === this.echoChannel) this.echoHeard = Number(message);
      else this.notifyListeners(channel);
    });
    this.subscriber.on('ready', () => this.subscribe([...this.channels]));
    this.subscriber.on('close', () => {
      if (!this.hasNotices) return;
      this.hasNotices = false;
      // From now on notices are lost.
      for (const channel of this.channels) this.notifyListeners(channel);
    });
    this.commands.on('ready', () => this.announceAgain());
    this.connect(this.commands);
    this.connect(this.subscriber);
    this.echoTimer = setInterval(() => this.checkNotices(), ECHO_MS).unref();
  }

  private connect(redis: RedisCommands): void {
    const isCluster = 'cluster' in this.options;
    let isUnanswered = false;
    redis.on('connect', () => (isUnanswered = true));
    redis.on('ready', () => {
      isUnanswered = false;
      this.found();
    });
    const lost = (error: unknown): void => {
      // Another node of the cluster takes its place.
      if (isCluster && redis === this.subscriber) return;
      const reason = reasonOf(error);
      // A TLS port closes a plain connection in one of several ways.
      const isCutOff = this.options.tls === false && isUnanswered && !(error instanceof ReplyError);
      this.lost(isCutOff ? `closed before it answered, as by a port for TLS: ${reason}` : reason);
    };
    redis.on('error', lost);
    // A cluster that is down closes without an error.
    if (redis instanceof Cluster)
      redis.on('close', () => this.lost('the cluster is down (cluster_state), or all of its nodes are lost'));
    redis.connect().catch(lost);
  }

  private found(): void {
    if (this.wasReachable || this.closed || !this.isReachable) return;
    this.wasReachable = true;
    this.log.info({}, 'Redis is reachable again');
  }

  private lost(reason: string): void {
    if (!this.wasReachable || this.closed) return;
    this.wasReachable = false;
    this.log.warn(
      { reason, settings: settingsBehind(reason, this.options) },
      'Redis cannot be reached; answers are computed each time until it returns',
    );
  }

  /** Handles failures of a connected Redis: CLUSTERDOWN, MOVED, READONLY, OOM, or a timeout. */
  private failed(error: unknown): void {
    if (this.isFailing || this.closed || this.commands.status !== 'ready') return;
    this.isFailing = true;
    const reason = `a command failed: ${reasonOf(error)}`;
    // It may also mean that this process was busy, and has not read the answer yet.
    if (isTimeout(error)) {
      void this.tryAgain(reason);
      return;
    }
    this.lost(reason);
    this.tryLater(reason);
  }

  private tryLater(reason: string): void {
    this.trial = setTimeout(() => void this.tryAgain(reason), MAX_RETRY_MS).unref();
  }

  /** Uses Redis again if it answers; else Redis is lost for `reason`, and is tried later. */
  private async tryAgain(reason: string): Promise<void> {
    try {
      await this.tryCommands();
    } catch {
      if (this.closed) return;
      this.lost(reason);
      reconnect(this.commands);
      this.tryLater(reason);
      return;
    }
    this.isFailing = false;
    this.found();
    this.announceAgain();
  }

  /** Sends one command of each kind that is used. */
  private async tryCommands(): Promise<void> {
    const request = {
      key: 'trial',
      quota: 1,
      windowMs: 1_000,
      requested: 0,
      wanted: 0,
      returned: 0,
      upperBound: undefined,
    };
    await takeTokens(this.commands, this.prefix, request);
    const keys = Array.from({ length: TRIAL_KEYS }, (_, number) => `${this.prefix}:trial:${number}`);
    await Promise.all(keys.map((key) => this.commands.get(key)));
    await this.commands.publish(this.channel, '');
  }

  /** Returns the cached text of a key in a space; undefined on a miss and on any failure. */
  async get(space: number, key: string): Promise<string | undefined> {
    if (this.isReachable) {
      try {
        const text = await traced('get', this.commands.get(this.keyOf(space, key)));
        this.observe(text === null ? 'miss' : 'hit');
        return text ?? undefined;
      } catch (error) {
        this.failed(error);
      }
    }
    this.observe('unreachable');
    return undefined;
  }

  /** Caches a text. Returns at once; on a failure the text is not cached. */
  put(space: number, key: string, text: string): void {
    if (text.length > MAX_TEXT_LENGTH || !isCacheable(space) || !this.isReachable) return;
    traced('set', this.commands.set(this.keyOf(space, key), text, 'EX', TIME_TO_LIVE_SECONDS)).catch(
      (error: unknown) => this.failed(error),
    );
  }

  /** Runs commands with the prefix of all keys; undefined: Redis is unavailable, or does not allow them to its user. */
  async run<T>(commands: (redis: RedisCommands, prefix: string) => Promise<T>): Promise<T | undefined> {
    if (!this.isReachable) return undefined;
    try {
      return await commands(this.commands, this.prefix);
    } catch (error) {
      const isRefused = error instanceof ReplyError && /NOPERM|unknown command/.test(reasonOf(error));
      if (!isRefused) this.failed(error);
      return undefined;
    }
  }

  /** Takes tokens of a bucket that all processes share; undefined: Redis is unavailable. */
  async takeTokens(request: BucketRequest): Promise<BucketAnswer | undefined> {
    if (!this.isReachable) return undefined;
    try {
      return await traced('evalsha', takeTokens(this.commands, this.prefix, request));
    } catch (error) {
      this.failed(error);
      return undefined;
    }
  }

  /**
   * Removes all texts of a space, of every version of the program, until a round finds none; returns their number.
   * Undefined: Redis is unavailable, and its texts last for a day at most. Cost: a scan of all keys of Redis.
   */
  async removeSpace(space: number): Promise<number | undefined> {
    const pattern = `${this.prefix.replace(/[\\*?[\]]/g, '\\$&')}:${space}:*`;
    try {
      let removed = 0;
      for (let round = 0; round < MAX_REMOVAL_ROUNDS; round++) {
        const found = await this.removeMatching(pattern);
        removed += found;
        if (found === 0) return removed;
      }
      return undefined;
    } catch (error) {
      this.failed(error);
      return undefined;
    }
  }

  private async removeMatching(pattern: string): Promise<number> {
    let removed = 0;
    for (const node of await findKeyHolders(this.commands)) {
      let cursor = '0';
      do {
        const [next, keys] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', 1000);
        // A command of a cluster is about keys of one slot.
        const counts = await Promise.all(keys.map((key) => this.commands.unlink(key)));
        removed += counts.reduce((sum, count) => sum + count, 0);
        cursor = next;
      } while (cursor !== '0');
    }
    return removed;
  }

  private keyOf(space: number, key: string): string {
    // Another version of the program may give a different answer.
    return `${this.prefix}:${space}:${VERSION} ${key}`;
  }

  /** Notifies the other processes of this installation as soon as Redis is available. Returns at once. */
  announce(notice: Notice): void {
    const publish = (): void => {
      this.commands
        .publish(this.channel, JSON.stringify(notice))
        .catch((error: unknown) => this.failed(error));
    };
    if (this.commands.status === 'ready') publish();
    else this.commands.once('ready', publish);
  }

  /** Calls `listener` with each notice of any process, including this one. */
  listen(listener: (notice: Notice) => void): void {
    this.subscriber.on('message', (channel: string, message: string) => {
      if (channel !== this.channel) return;
      const notice = toNotice(message);
      if (notice !== undefined) listener(notice);
    });
    this.subscribeTo(this.channel);
  }

  private subscribeTo(channel: string): void {
    this.channels.add(channel);
    this.subscribe([channel]);
  }

  /**
   * Subscribes only on a ready connection, which subscribes to every channel anyway. ioredis sends a subscription as
   * soon as it is connected; then its own check of the connection fails ("in subscriber mode"), and the subscription
   * is lost for good.
   */
  private subscribe(channels: readonly string[]): void {
    if (channels.length === 0 || this.subscriber.status !== 'ready') return;
    this.subscriber.subscribe(...channels).then(
      () => {
        this.hasNotices = true;
        this.echoHeard = this.echoSent;
        // Earlier notices were lost.
        channels.forEach((channel) => this.notifyListeners(channel));
      },
      () => undefined,
    );
  }

  /**
   * Connects the subscriber anew if its last notice to itself has not arrived: a connection to a host that has lost its
   * power, or to a node that has left the cluster, looks open and hears nothing.
   */
  private checkNotices(): void {
    if (!this.isReachable) return;
    if (this.echoHeard < this.echoSent) reconnect(this.subscriber);
    const number = Date.now();
    this.commands.publish(this.echoChannel, String(number)).then(
      () => (this.echoSent = number),
      (error: unknown) => this.failed(error),
    );
  }

  /** Notifies all processes of a write in the space, as soon as Redis is available. Returns at once. */
  announceChanges(space: number): void {
    this.publishChange(this.changeChannel(space));
  }

  private publishChange(channel: string): void {
    this.commands.publish(channel, '').catch((error: unknown) => {
      if (this.unannounced.size < MAX_UNANNOUNCED) this.unannounced.add(channel);
      this.failed(error);
    });
  }

  /** A subscriber may have returned before this process, and would not learn of the writes in between. */
  private announceAgain(): void {
    const channels = [...this.unannounced];
    this.unannounced.clear();
    for (const channel of channels) this.publishChange(channel);
  }

  /** Calls `listener` after possible writes in the space. Returns a function that ends the subscription. */
  listenForChanges(space: number, listener: () => void): () => void {
    const channel = this.changeChannel(space);
    const listeners = this.changeListeners.get(channel) ?? new Set();
    listeners.add(listener);
    if (listeners.size === 1) {
      this.changeListeners.set(channel, listeners);
      this.subscribeTo(channel);
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.changeListeners.get(channel) !== listeners) return;
      this.changeListeners.delete(channel);
      this.channels.delete(channel);
      if (this.subscriber.status === 'ready') this.subscriber.unsubscribe(channel).catch(() => undefined);
    };
  }

  /** Tells all processes of new background work, as soon as Redis is available. Returns at once. */
  announceWork(): void {
    this.announceChanges(WORK);
  }

  /** Calls `listener` when there may be new background work, and when notices begin and cease to arrive. */
  listenForWork(listener: () => void): void {
    this.listenForChanges(WORK, listener);
  }

  /** True: notices of all processes arrive, this one's included. */
  get receivesNotices(): boolean {
    return this.hasNotices && this.isReachable;
  }

  private notifyListeners(channel: string): void {
    for (const listener of this.changeListeners.get(channel) ?? []) listener();
  }

  private changeChannel(space: number): string {
    return `${this.prefix}:changes:${space}`;
  }

  get isReachable(): boolean {
    return this.commands.status === 'ready' && !this.isFailing;
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.trial);
    clearInterval(this.echoTimer);
    this.commands.disconnect();
    this.subscriber.disconnect();
  }
}

function toNotice(message: string): Notice | undefined {
  try {
    const parsed: unknown = JSON.parse(message);
    if (typeof parsed !== 'object' || parsed === null || !('kind' in parsed) || !('subject' in parsed))
      return undefined;
    const { kind, subject } = parsed;
    if (kind !== 'tenant-changed' && kind !== 'definitions-changed' && kind !== 'erased') return undefined;
    return typeof subject === 'string' ? { kind, subject } : undefined;
  } catch {
    return undefined;
  }
}

/** Records a command as a call of Redis, without its keys. */
async function traced<T>(command: string, answer: Promise<T>): Promise<T> {
  if (!isTraced()) return answer;
  const began = performance.now();
  try {
    return await answer;
  } finally {
    recordCall(`redis ${command}`, began, { 'db.system.name': 'redis', 'db.operation.name': command });
  }
}
