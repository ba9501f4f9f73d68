import type { TenantSpace } from '../context';

/** The credentials of a request, and its origin. */
export interface Credentials {
  /** The tenant name in the address. */
  readonly tenant: string;
  /** Undefined: the tenant does not exist or is disabled. */
  readonly space: TenantSpace | undefined;
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  /** Network address of the client; credential guessing is throttled by it. */
  readonly address: string;
  /** For the audit record: the request's id, and its address as it was sent. */
  readonly requestId?: string;
  readonly requestLine?: string;
}
