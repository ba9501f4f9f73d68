import { FhirError, toIssue } from '../core';

/** The error for a method that an address does not have; `allowed` is the value of `Allow`, such as `GET, HEAD`. */
export function methodNotAllowed(method: string, allowed: string): FhirError {
  return new FhirError('methodNotAllowed', [toIssue('methodNotAllowed', { method, allowed })], allowed);
}
