/** Names of the extensions that the server writes into `meta`; the end of their urls, after `/StructureDefinition/`. */
export const SEQUENCE_EXTENSION = 'version-sequence';
/** In place of it where the number is no `integer` of FHIR: beyond 2^31 - 1. */
export const LONG_SEQUENCE_EXTENSION = 'version-sequence-long';
export const AUTHOR_EXTENSION = 'author';
export const FAILURE_EXTENSION = 'search-parameter-failed';
export const SERVER_EXTENSIONS: readonly string[] = [
  ...[SEQUENCE_EXTENSION, LONG_SEQUENCE_EXTENSION, AUTHOR_EXTENSION, FAILURE_EXTENSION],
];

/** Extensions of the `data` of a Binary whose content is stored apart. */
export const CONTENT_ADDRESS_EXTENSION = 'content-address';
export const CONTENT_SIZE_EXTENSION = 'content-size';
export const CONTENT_VERSION_EXTENSION = 'content-version';

const CLIENT = 'ClientApplication/';

/** Returns the reference to a client application in versions and audit events. It is not the address of a resource. */
export function clientReference(id: string): string {
  return CLIENT + id;
}

/** Returns the id of the client application that a reference names; undefined: it names something else. */
export function clientOfReference(reference: string): string | undefined {
  return reference.startsWith(CLIENT) ? reference.slice(CLIENT.length) : undefined;
}
