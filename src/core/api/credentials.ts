import type { TenantSpace } from '../context';

/** What came with a request that says who asks. */
export interface Credentials {
  /** As it stands in the address. */
  readonly tenant: string;
  /** Undefined: there is no such tenant, or it is disabled. */
  readonly space: TenantSpace | undefined;
  /** The header of this name. */
  readonly authorization: string | undefined;
  /** Where it came from, so that guessing is slowed down. */
  readonly address: string;
  /** Of the request that they came with, for the record: its id, and its address as it was sent. */
  readonly requestId?: string;
  readonly asked?: string;
}
