/** The budget of the expressions of a tenant's search parameters together in one resource. */
import type { JsonValue } from '../../fhir/json';
import { MAX_FOREIGN_STEPS, renewAllowance } from '../parameters/parameter-path';
import type { PathAllowance } from '../../fhir/path';

/** Limit on the steps of all expressions: some 50 ms. */
const MAX_TOGETHER = 2 * MAX_FOREIGN_STEPS;

/** A resource with more values is itself the cause of the cost of its expressions. */
const LARGE_RESOURCE = 20_000;

export class ForeignBudget {
  /** Number of the parameter that exhausted the budget, or else of the costliest; undefined: the budget suffices. */
  exceeded: number | undefined;
  private left = MAX_TOGETHER;
  private costliest = { parameter: 0, steps: -1 };

  /** Runs one rule; returns false without running it once the budget is spent. */
  run(parameter: number, allowance: PathAllowance, rule: () => boolean): boolean {
    if (this.left < 0) return false;
    renewAllowance(allowance);
    const isPresent = rule();
    const steps = MAX_FOREIGN_STEPS - allowance.left;
    this.left -= steps;
    if (steps > this.costliest.steps) this.costliest = { parameter, steps };
    if (allowance.left >= 0 && this.left >= 0) return isPresent;
    this.exceeded ??= allowance.left < 0 ? parameter : this.costliest.parameter;
    return false;
  }
}

/** True for a resource with many values. Cost: at most that of a pass over 20,000 values. */
export function isLargeResource(resource: JsonValue): boolean {
  let count = 0;
  const rest: JsonValue[] = [resource];
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (++count > LARGE_RESOURCE) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const member of Object.values(value)) rest.push(member);
  }
  return false;
}
