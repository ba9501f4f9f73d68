import type { GatewayContext } from '../context';

/** Clears the loaders of the request after a change, so that later fields do not get results from before it. */
export function clearLoaders({ loaders }: Pick<GatewayContext, 'loaders'>): void {
  for (const loader of Object.values<{ clearAll(): unknown }>({ ...loaders })) loader.clearAll();
}
