/** Addresses of one version of a Binary that are signed in the query, so that a browser can load them without a header. */
import type { SignedRead } from '../../core';
import { BINARY } from '../binary';
import type { FhirRequest } from './fhir-request';
import { readQuery } from './query';

const SIGNATURE = '_signature';

/** Undefined: the request is not signed, or has credentials of its own. */
export function signatureOf({ params, headers, url }: FhirRequest): SignedRead | undefined {
  const { type, id, vid } = params;
  if (type !== BINARY || id === undefined || vid === undefined || headers.authorization !== undefined)
    return undefined;
  const [, signature] = readQuery(url).parameters.find(([name]) => name === SIGNATURE) ?? [];
  return signature === undefined ? undefined : { version: { type, id, versionId: vid }, signature };
}
