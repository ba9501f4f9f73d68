import type { AuthMode } from '../core';
import type { ConnectionLimits } from './connection-limits';

/** What the REST edge needs to know of the configuration; app.ts makes it, values are already checked. */
export interface RestSettings {
  /** Public base addresses without a trailing slash; the first is used in answers. Empty: the request's Host. */
  readonly publicUrls: readonly string[];
  /** Whose `X-Forwarded-*` headers are believed: nobody's, everybody's, or those of listed addresses and networks. */
  readonly trustProxy: boolean | readonly string[];
  readonly authMode: AuthMode;
  /** Whether `GET {type}/{id}` with a JSON array as body is a patch (specification, section 4.4). */
  readonly patchByGet: boolean;
  /** Origins that browsers may call from; `*` for all. Empty: no CORS headers. */
  readonly corsOrigins: readonly string[];
  /** Deepest nesting of JSON. */
  readonly maxDepth: number;
  /** Largest accepted bodies, in bytes. */
  readonly bodyLimits: { readonly resource: number; readonly bundle: number };
  readonly connection: ConnectionLimits;
  /** Milliseconds from a request's arrival until it is answered with `timeout`. */
  readonly requestTimeoutMs: number;
  /** The same for a request that is answered later, from when it is begun. */
  readonly asyncTimeoutMs: number;
}
