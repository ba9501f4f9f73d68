import { permissionsOf } from '../access/visibility';
import type { RequestContext } from '../context';
import { defaultOrder, type HeadOrder } from '../search/order';
import type { Criterion } from '../search/predicate';
import type { Services } from '../services';
import { BY_KEY } from './gather-heads';

/** Whether the resources of a type lie by a date that is hidden from whoever asks, so that no order may come of it. */
export function hidesDate(services: Services, context: RequestContext, type: string): boolean {
  if (context.access === undefined) return false;
  const date = services.definitions(context.space.release).sortDateParameter(type);
  return date !== undefined && permissionsOf(services, context)?.elements.mayAsk(date) === false;
}

/** The order of matches of which none is asked for. */
export function usualOrder(
  services: Services,
  context: RequestContext,
  type: string,
  criteria: readonly Criterion[],
): HeadOrder {
  if (hidesDate(services, context, type)) return BY_KEY;
  return defaultOrder(criteria, services.definitions(context.space.release).sortDateParameter(type)?.number);
}
