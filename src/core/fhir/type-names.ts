/** The resource types that the server itself works with: what they hold changes how it answers. */

/** Defines search parameters. */
export const SEARCH_PARAMETER = 'SearchParameter';

/** May define named queries. */
export const OPERATION_DEFINITION = 'OperationDefinition';

export const SUBSCRIPTION = 'Subscription';

export const AUDIT_EVENT = 'AuditEvent';
