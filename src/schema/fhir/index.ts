import type { GraphQLInputType, GraphQLInterfaceType, GraphQLNamedType } from 'graphql';
import type { OwnDefinitions, SchemaDefinitions } from './definitions';
import { contentFields } from './attachments';
import { displayFields } from './displays';
import { ElementTypes, type Fields } from './elements';
import type { Handlers } from './handlers';
import { MutationFields } from './mutations';
import { nodeFields } from './nodes';
import { operationFields, type OperationFields } from './operations';
import { type FieldMakers, toFields, type TypeMaker } from './own-types';
import { ResourceFields } from './resource-fields';
import type { Steps } from '../steps';

export type { OwnDefinitions, SchemaDefinitions } from './definitions';
export type { ChangeKind, ChangeResult, Handlers, ListPage, ListRequest, TypedChange } from './handlers';

/** The generated part of the schema of one release. */
export interface FhirTypes<Context> {
  /** All types that other parts of the schema may refer to. */
  readonly types: readonly GraphQLNamedType[];
  /** The interface of all resource types. */
  readonly node: GraphQLInterfaceType;
  /** Fields of Query, from HL7's binding (http://hl7.org/fhir/R4/graphql.html). */
  readonly query: Fields<Context>;
  /** Fields of Mutation, with HL7's names. */
  readonly mutation: Fields<Context>;
  /** Returns the types and fields that differ in a schema with other search parameters. Cost: a few milliseconds. */
  own(definitions: OwnDefinitions): OwnTypes<Context>;
}

/** The generated part of a schema with its own search parameters; all other types come from the release. */
export interface OwnTypes<Context> {
  /** New types, and types that replace those of the release with the same name. */
  readonly types: ReadonlyMap<string, TypeMaker[1]>;
  readonly query: FieldMakers<Context>;
  readonly mutation: FieldMakers<Context>;
}

interface Parts<Context> {
  readonly fields: ResourceFields<Context>;
  readonly elements: ElementTypes<Context>;
  readonly changes: MutationFields<Context>;
  readonly operations: OperationFields<Context>;
}

/**
 * Makes the types and root fields of a release from its definitions alone.
 * Cost: about a second when the schema is made from them, and 30 MB.
 *
 * @param patchOperation the input type of the operations of a JSON Patch
 */
export function* fhirTypeSteps<Context>(
  definitions: SchemaDefinitions,
  handlers: Handlers<Context>,
  patchOperation: GraphQLInputType,
): Steps<FhirTypes<Context>> {
  function partsOf(
    of: SchemaDefinitions,
    release?: Parts<Context>,
    changed?: ReadonlySet<string>,
  ): Parts<Context> {
    const shared = release && changed && { fields: release.fields, changed };
    const fields: ResourceFields<Context> = new ResourceFields(of, handlers, () => elements, shared);
    const contents = contentFields(handlers);
    const displays = displayFields(of, handlers);
    const further = (typeName: string): Fields<Context> => {
      if (typeName === 'Attachment') return contents.ofAttachment;
      if (typeName === 'Coding') return displays.ofCoding;
      if (typeName === 'CodeableConcept') return displays.ofConcept;
      const found = fields.further(typeName);
      return typeName === 'Binary' ? { ...found, ...contents.ofBinary } : found;
    };
    const elements: ElementTypes<Context> = new ElementTypes(of, handlers, further, release?.elements);
    const operations = operationFields(of, elements, of.operations, (request, context) =>
      handlers.invoke(request, context),
    );
    const changes = new MutationFields(of.resourceTypes, elements, handlers, patchOperation);
    return { fields, elements, changes, operations };
  }

  // The first call for each type takes some milliseconds.
  for (const type of definitions.resourceTypes) {
    definitions.searchParameters(type);
    yield;
  }
  const release = partsOf(definitions);
  yield;
  const { elements } = release;
  // The first element determines the name of a type that several elements share, so the order is significant.
  const queryOperations: Fields<Context> = yield* toFields(release.operations.query);
  const mutationOperations: Fields<Context> = yield* toFields(release.operations.mutation);
  const query = {
    ...nodeFields(elements.node, handlers),
    ...(yield* toFields(release.fields.query())),
    ...queryOperations,
  };
  const mutation = { ...(yield* toFields(release.changes.fields())), ...mutationOperations };
  const types = [
    release.fields.pageInfo,
    elements.node,
    elements.resource,
    elements.ofType('Meta'),
    elements.ofType('Reference'),
    ...elements.made,
    // Last: filters are named by their first use.
    release.fields.searchWhere,
  ];
  return {
    types,
    node: elements.node,
    query,
    mutation,
    own(definitionsOfOwn) {
      const own = partsOf(definitionsOfOwn, release, definitionsOfOwn.changed);
      const resources = definitionsOfOwn.resourceTypes.map((type): TypeMaker => [
        type,
        () => own.elements.ofType(type),
      ]);
      const makers = new Map<string, TypeMaker[1]>([
        ...resources,
        ...own.fields.makers(),
        ...own.changes.makers(),
      ]);
      const fieldNames = new Set([...Object.keys(query)]);
      const queries = own.fields.queriesOf(definitionsOfOwn.queries, (name) => fieldNames.has(name));
      const ofQuery = new Map([...own.fields.query(), ...own.operations.query, ...queries]);
      const mutation = new Map([...own.changes.fields(), ...own.operations.mutation]);
      return { types: makers, query: ofQuery, mutation };
    },
  };
}
