/**
 * Random requests of one tenant, of every kind that the server accepts. They are made from a seed and from the
 * initial data of the tenant, never from answers, so that another world gets the same.
 */
import { anyDefinition } from './requests/definitions';
import { anyRead } from './requests/reads';
import { anyWrite } from './requests/writes';
import type { Tenant } from './tenant';
import type { Sent } from './world';

export interface Step {
  /** Sent at the same time, but for a step that changes something, which is one request. */
  readonly requests: readonly Sent[];
  /** True: wait for search parameters. */
  readonly isDefinition: boolean;
  /** Nothing is changed. */
  readonly isRead: boolean;
}

/** The next step: some reads at once, or one request that changes something. */
export function generateStep(tenant: Tenant): Step {
  const { random, recent } = tenant;
  if (random.chance(0.45)) {
    const isDefinition = random.chance(0.04);
    return {
      requests: [isDefinition ? anyDefinition(tenant) : anyWrite(tenant)],
      isDefinition,
      isRead: false,
    };
  }
  const requests = Array.from({ length: random.below(5) + 1 }, () => {
    if (recent.length > 0 && random.chance(0.2)) return random.pick(recent);
    const made = anyRead(tenant);
    if (random.chance(0.3)) recent.push(made);
    if (recent.length > 40) recent.shift();
    return made;
  });
  return { requests, isDefinition: false, isRead: true };
}
