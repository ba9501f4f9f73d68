import type { AuthMode } from '../core';
import type { ConnectionLimits } from './connection-limits';

/** What the REST edge needs to know of the configuration; app.ts makes it, values are already checked. */
export interface RestSettings {
  /** Address that the server listens on. */
  readonly host: string;
  /** Public base addresses without a trailing slash; the first is used in answers. Empty: the request's Host. */
  readonly publicUrls: readonly string[];
  /** Whose `X-Forwarded-*` headers are believed: nobody's, everybody's, or those of listed addresses and networks. */
  readonly trustProxy: boolean | readonly string[];
  readonly authMode: AuthMode;
  /** Whether clients may prove themselves by private_key_jwt. */
  readonly takesAssertions: boolean;
  /** Whether `GET {type}/{id}` with a JSON array as body is a patch (docs/behaviour.md, Patch). */
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
