/** The resource types that the server itself works with: what they hold changes how it answers. */

/** Defines search parameters. */
export const SEARCH_PARAMETER = 'SearchParameter';

/** May define named queries. */
export const OPERATION_DEFINITION = 'OperationDefinition';

export const SUBSCRIPTION = 'Subscription';

export const AUDIT_EVENT = 'AuditEvent';

/** The type whose compartments are the records of people: scopes, policies and purges go by them. */
export const PATIENT = 'Patient';

/** Its members are the Patients of an export. */
export const GROUP = 'Group';

/** May come with a write, and belongs to the patients of its targets. */
export const PROVENANCE = 'Provenance';

/** May have its concepts in tables. */
export const CODE_SYSTEM = 'CodeSystem';
