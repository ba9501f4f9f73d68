import type { Core, RequestContext } from '../core/index';
import { createLoaders, type Loaders } from './loaders';

/** What every resolver is given: who asks where, and the reads of this request. */
export interface GatewayContext {
  readonly core: Core;
  readonly request: RequestContext;
  readonly loaders: Loaders;
  /** Base of the urls of our extensions, without a slash at its end (FHIR_EXTENSION_BASE). */
  readonly extensionBase: string;
}

export function createGatewayContext(
  core: Core,
  request: RequestContext,
  extensionBase: string,
): GatewayContext {
  return { core, request, extensionBase, loaders: createLoaders(core, request) };
}
