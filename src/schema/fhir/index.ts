import type { GraphQLInputType, GraphQLNamedType } from 'graphql';
import type { SchemaDefinitions } from './definitions';
import { ElementTypes, type Fields } from './elements';
import type { Handlers } from './handlers';
import { mutationFields } from './mutations';
import { operationFields } from './operations';
import { ResourceFields } from './resource-fields';

export type { SchemaDefinitions } from './definitions';
export type { ChangeKind, ChangeResult, Handlers, ListRequest, TypedChange } from './handlers';

/** The generated part of the schema of one release. */
export interface FhirTypes<Context> {
  /** All types that other parts of the schema may name. */
  readonly types: readonly GraphQLNamedType[];
  /** Fields of Query: HL7's binding (http://hl7.org/fhir/R4/graphql.html). */
  readonly query: Fields<Context>;
  /** Fields of Mutation, named as HL7 names them. */
  readonly mutation: Fields<Context>;
}

/**
 * The types and root fields of a release, from its definitions alone. Cost: about a second when the schema is made of
 * them, and 30 MB.
 *
 * @param patchOperation the input type of the operations of a JSON Patch
 */
export function createFhirTypes<Context>(
  definitions: SchemaDefinitions,
  handlers: Handlers<Context>,
  patchOperation: GraphQLInputType,
): FhirTypes<Context> {
  const fields: ResourceFields<Context> = new ResourceFields(definitions, handlers, () => elements);
  const elements = new ElementTypes(definitions, handlers, (typeName) => fields.further(typeName));
  const operations = operationFields(definitions, elements, definitions.operations, (request, context) =>
    handlers.invoke(request, context),
  );
  const query = { ...fields.query(), ...operations.query };
  const changes = mutationFields(definitions.resourceTypes, elements, handlers, patchOperation);
  const mutation = { ...changes, ...operations.mutation };
  const types = [elements.resource, elements.ofType('Meta'), elements.ofType('Reference'), ...elements.made];
  return { types, query, mutation };
}
