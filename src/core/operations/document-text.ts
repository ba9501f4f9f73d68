import type { DocumentContent } from '../api/operation';

/**
 * Returns a document Bundle (https://hl7.org/fhir/R4/documents.html#bundle). `root` is `{fhir_root}`: each resource has its
 * address on this server.
 */
export function documentText({ identifier, timestamp, versions }: DocumentContent, root: string): string {
  const entries = versions.map(
    ({ type, id, text }) => `{"fullUrl":"${root}/${type}/${id}","resource":${text}}`,
  );
  const name = `"identifier":{"system":"urn:ietf:rfc:3986","value":"${identifier}"}`;
  return `{"resourceType":"Bundle",${name},"type":"document","timestamp":"${timestamp}","entry":[${entries.join(',')}]}`;
}
