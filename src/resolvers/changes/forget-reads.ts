import type { GatewayContext } from '../context';

/** To be called by what changes something: what fields behind it ask for is not what was read before it. */
export function forgetReads({ loaders }: Pick<GatewayContext, 'loaders'>): void {
  for (const loader of Object.values<{ clearAll(): unknown }>({ ...loaders })) loader.clearAll();
}
