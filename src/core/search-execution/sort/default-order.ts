import { permissionsOf } from '../../authorization/visibility';
import type { RequestContext } from '../../context';
import { defaultOrder, type HeadOrder } from '../../search/sort/order';
import type { Criterion } from '../../search/predicate';
import type { Services } from '../../ports';
import { BY_KEY } from './fetch-heads';

/** True when the date that orders a type is hidden from the caller, so that no order may reveal it. */
export function hidesDate(
  services: Pick<Services, 'createExtractor' | 'definitions' | 'keys' | 'searchContext'>,
  context: RequestContext,
  type: string,
): boolean {
  if (context.access === undefined) return false;
  const date = services.definitions(context.space.release).sortDateParameter(type);
  return date !== undefined && permissionsOf(services, context)?.elements.mayAsk(date) === false;
}

/** The order of matches without `_sort`. */
export function defaultOrderFor(
  services: Pick<Services, 'createExtractor' | 'definitions' | 'keys' | 'searchContext'>,
  context: RequestContext,
  type: string,
  criteria: readonly Criterion[],
): HeadOrder {
  if (hidesDate(services, context, type)) return BY_KEY;
  return defaultOrder(criteria, services.definitions(context.space.release).sortDateParameter(type)?.number);
}
