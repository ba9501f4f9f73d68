import type { BuiltPages } from '../built-pages';
import type { AuthMode } from '../core';
import type { ConnectionLimits } from './connections/connection-limits';
import type { SocketSettings } from '../bounded-socket';

/** A setting of the process as the operator sees it; a secret is `********`. */
export interface SettingInForce {
  readonly name: string;
  readonly value: string;
  /** `default`, `the environment`, `.env`, `the quick start` */
  readonly source: string;
  readonly default: string;
  readonly meaning: string;
}

/** Limits of large content. */
export interface TransferLimits {
  readonly maxBinaryBytes: number;
  /** Milliseconds without a byte after which an upload or download ends. */
  readonly idleMs: number;
  readonly maxUploads: number;
  readonly maxTenantUploads: number;
}

/** The settings of REST; app.ts makes them from checked values. */
export interface RestSettings {
  /** Address that the server listens on. */
  readonly host: string;
  /** Public base addresses without a trailing slash; the first is used in responses. Empty: the request's Host. */
  readonly publicUrls: readonly string[];
  /** Senders whose `X-Forwarded-*` headers are trusted: none, all, or the listed addresses and networks. */
  readonly trustProxy: boolean | readonly string[];
  readonly authMode: AuthMode;
  /** True: clients may authenticate by private_key_jwt. */
  readonly takesAssertions: boolean;
  /** True: `GET {type}/{id}` with a JSON array as body is a patch (docs/reference/behaviour.md, Patch). */
  readonly patchByGet: boolean;
  /** Origins that browsers may call from; `*` for all. Empty: no CORS headers. */
  readonly corsOrigins: readonly string[];
  /** Limit on the nesting of JSON. */
  readonly maxDepth: number;
  /** Largest accepted bodies, in bytes. */
  readonly bodyLimits: { readonly resource: number; readonly bundle: number };
  readonly transfers: TransferLimits;
  readonly connection: ConnectionLimits;
  /** Milliseconds from a request's arrival until it fails with `timeout`. */
  readonly requestTimeoutMs: number;
  /** The same for an asynchronous request, from the start of its execution. */
  readonly asyncTimeoutMs: number;
  readonly sockets: SocketSettings;
  readonly pages: BuiltPages;
  /** All settings of the process as the operator sees them, without secrets. */
  readonly inForce: readonly SettingInForce[];
}
