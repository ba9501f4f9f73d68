/** The Subscriptions of a space that run, each with its plan and its delivery. */
import { permissionsOf } from '../../authorization/visibility';
import type { StoredVersion } from '../../storage/read/stored-version';
import { turns } from '../../concurrency/turns';
import type { TenantSpace } from '../../context';
import { ERROR_CATALOGUE, FhirError } from '../../errors';
import { parseStoredObject } from '../../fhir/json';
import { SUBSCRIPTION } from '../../fhir/type-names';
import type { TestedVersion } from '../../search/matching/version-test';
import { forgetSubscriptions } from '../../storage/notifications/events';
import type { StoredSubscription } from '../../storage/notifications/feeds';
import type { Run } from '../../storage/connection/database';
import { SubscriptionRewritten } from '../../storage/notifications/subscription-state';
import type { PageRow } from '../../storage/read/version-row';
import { CandidateIndex } from '../candidate-index';
import { Delivery, type DeliveryTools } from './delivery';
import { topicType } from '../../topics/find-topic';
import { planSubscription, type SubscriptionPlan } from '../subscription-plan';
import { readSubscription, type SubscriptionRequest } from '../../fhir/subscription/subscription-request';

/** Errors for a Subscription that does not exist (any more). */
const IS_MISSING: ReadonlySet<string> = new Set(['notFound', 'gone']);

export interface RunningTools extends DeliveryTools {
  /** The current version of a Subscription, without regard to rights. Throws notFound, gone. */
  readSubscription(space: TenantSpace, id: string): Promise<StoredVersion>;
}

export interface RunningSubscription {
  readonly delivery: Delivery;
  readonly plan: SubscriptionPlan;
  /** The permissions of the author for which it was planned. */
  readonly permissions: string | undefined;
  /** `#topicChanges` when it was planned. */
  readonly topicChanges: number;
}

export class RunningSubscriptions {
  readonly #all = new Map<string, RunningSubscription>();
  #candidates = new CandidateIndex<string>();
  /** Counts the changes of topics of the tenant. */
  #topicChanges = 0;

  constructor(
    private readonly tools: RunningTools,
    private readonly number: number,
  ) {}

  get size(): number {
    return this.#all.size;
  }

  get failing(): number {
    return [...this.#all.values()].filter(({ delivery }) => delivery.isFailing).length;
  }

  /** Those that the server has given up. */
  get inError(): number {
    return [...this.#all.values()].filter(({ delivery }) => delivery.subscription.status === 'error').length;
  }

  /** By the key of the resource in decimal form. */
  get(key: string): RunningSubscription | undefined {
    return this.#all.get(key);
  }

  /** The numbers of the types whose changes matter, those that decide about plans too. */
  types({ release }: TenantSpace): ReadonlySet<number> {
    const definitions = this.tools.services.definitions(release);
    const types = new Set<number>();
    for (const name of [SUBSCRIPTION, topicType(release)]) types.add(definitions.typeNumber(name) ?? 0);
    for (const { plan } of this.#all.values())
      for (const { filter } of plan.triggers) types.add(filter.typeNumber ?? 0);
    return types;
  }

  /** True: `collect` needs the version of a change of this type. */
  needsVersion(type: number): boolean {
    return this.#candidates.needsVersion(type);
  }

  /** Adds the keys of the Subscriptions that a change may concern. */
  collect(keys: Set<string>, type: number, version: TestedVersion | undefined): void {
    this.#candidates.collect(keys, type, version);
  }

  /** Aborts all deliveries, and forgets them. */
  clear(): void {
    for (const { delivery } of this.#all.values()) delivery.close();
    this.#all.clear();
  }

  /** Aborts all deliveries; resolves when no call is under way. */
  async close(): Promise<void> {
    const deliveries = [...this.#all.values()].map(({ delivery }) => delivery);
    for (const delivery of deliveries) delivery.close();
    await Promise.all(deliveries.map((delivery) => delivery.ended()));
  }

  /** Notes changes of Subscriptions and topics. True: there are some, and `load` must follow. */
  noteChanges({ release }: TenantSpace, rows: readonly PageRow[]): boolean {
    const definitions = this.tools.services.definitions(release);
    let isDecisive = false;
    for (const { type, body } of rows) {
      const name = definitions.typeName(type);
      const mayBeTopic = name !== 'Basic' || body === '' || body.includes('SubscriptionTopic');
      const isTopic = name === topicType(release) && mayBeTopic;
      if (isTopic) this.#topicChanges++;
      isDecisive ||= isTopic || name === SUBSCRIPTION;
    }
    return isDecisive;
  }

  /** Takes the stored state over: plans what is new or has other rights, and ends what runs no more. */
  async load(space: TenantSpace, stored: readonly StoredSubscription[]): Promise<void> {
    const found = new Set<string>();
    for (const one of stored) {
      found.add(one.key);
      await turns.take();
      await this.#take(space, one);
    }
    for (const [key, { delivery }] of this.#all) {
      if (found.has(key)) continue;
      delivery.close();
      this.#all.delete(key);
    }
    this.#candidates = new CandidateIndex();
    for (const [key, { plan }] of this.#all)
      for (const { filter } of plan.triggers) this.#candidates.add(key, filter);
  }

  readonly #run: Run = (statement, bound) =>
    this.tools.services.database.run({ lane: 'read', space: this.number }, statement, bound);

  async #take(space: TenantSpace, stored: StoredSubscription): Promise<void> {
    const before = this.#all.get(stored.key);
    const isSame =
      before?.delivery.subscription.version === stored.version &&
      before.delivery.subscription.status === stored.status;
    try {
      const context = await this.tools.contextOf(stored);
      const permissions = permissionsOf(this.tools.services, context)?.key;
      const topicChanges = this.#topicChanges;
      if (isSame && before.permissions === permissions) {
        const isOwnTopic = before.plan.topic?.isBuiltIn === false;
        if (isOwnTopic && before.topicChanges !== topicChanges) {
          const plan = await planSubscription(this.tools.services, context, before.plan.request);
          this.#all.set(stored.key, { ...before, plan, topicChanges });
        }
        before.delivery.continueWith(stored);
        return;
      }
      const request = isSame ? before.plan.request : await this.#requestOf(space, stored);
      const plan = await planSubscription(this.tools.services, context, request);
      before?.delivery.close();
      const delivery = new Delivery(this.tools, stored, plan);
      this.#all.set(stored.key, { delivery, plan, permissions, topicChanges });
    } catch (error) {
      await this.fail(stored, error);
    }
  }

  /**
   * Ends what cannot run any more: with `off` if its author has lost all access, else with `error`. Throws errors that may
   * pass.
   */
  async fail(stored: StoredSubscription, error: unknown): Promise<void> {
    if (!(error instanceof FhirError) || !isLasting(error)) throw error;
    const status = error.key === 'unauthorized' || IS_MISSING.has(error.key) ? 'off' : 'error';
    if (stored.status === status) return;
    this.#all.get(stored.key)?.delivery.close();
    this.#all.delete(stored.key);
    const reason = error.issues.map(({ diagnostics }) => diagnostics).join('; ');
    try {
      await this.tools.setStatus(stored, status, reason);
    } catch (other) {
      if (other instanceof SubscriptionRewritten) return;
      if (!(other instanceof FhirError) || !IS_MISSING.has(other.key)) throw other;
      await forgetSubscriptions(this.#run, this.number, [stored.key]);
    }
  }

  /** The Subscription as its client wrote it. */
  async #requestOf(space: TenantSpace, { id }: StoredSubscription): Promise<SubscriptionRequest> {
    const { text } = await this.tools.readSubscription(space, id);
    const read = readSubscription(parseStoredObject(text), space.release);
    if ('issues' in read) throw new FhirError('ruleViolated', read.issues);
    return read.request;
  }
}

/** True: it will be the same tomorrow. A tenant that is disabled comes back. */
function isLasting({ key }: FhirError): boolean {
  const { status } = ERROR_CATALOGUE[key];
  return status >= 400 && status < 500 && status !== 429 && key !== 'unknownTenant';
}
