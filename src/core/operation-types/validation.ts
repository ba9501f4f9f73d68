/** The work of $validate, as it is sent between threads. */
import type { Invocation } from '../api/operation';
import type { TenantSpace } from '../context';
import type { Issue } from '../errors';

/**
 * The checked interaction: whether a resource would be accepted for it, or whether a stored one conforms to a
 * profile.
 */
export const VALIDATION_MODES = ['create', 'update', 'delete', 'profile'] as const;

export type ValidationMode = (typeof VALIDATION_MODES)[number];

/** An invocation of $validate; plain values, so that it can be sent to another thread. */
export interface ValidationTask {
  readonly space: TenantSpace;
  /** Canonical url of the OperationDefinition. */
  readonly operation: string;
  readonly invocation: Invocation;
  /** The stored resource as a read returns it; validated when the client sent none. */
  readonly stored?: string;
}

export interface ValidationReport {
  readonly mode: ValidationMode | undefined;
  /** The issues found; undefined: there was no resource to validate. */
  readonly issues: readonly Issue[] | undefined;
}
