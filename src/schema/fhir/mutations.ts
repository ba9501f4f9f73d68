/** The mutations of each resource type, with HL7's names: PatientCreate, PatientUpdate, PatientPatch, PatientDelete. */
import {
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  type GraphQLInputType,
  GraphQLBoolean,
  GraphQLID,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import { resourceInputScalar } from '../scalars';
import type { ElementTypes, Field } from './elements';
import type { ChangeKind, ChangeResult, Handlers } from './handlers';
import type { FieldMakers, TypeMaker } from './own-types';

const DRY_RUN = { dryRun: { type: GraphQLBoolean } };
const GUARD: GraphQLFieldConfigArgumentMap = {
  ifMatch: { type: new GraphQLList(new GraphQLNonNull(GraphQLID)) },
  ifVersion: { type: GraphQLID },
  ...DRY_RUN,
};
/** The target: a resource by its id, or by a search. */
const TARGET: GraphQLFieldConfigArgumentMap = { id: { type: GraphQLID }, criteria: { type: GraphQLString } };
const RESOURCE: GraphQLFieldConfigArgumentMap = { res: { type: new GraphQLNonNull(resourceInputScalar) } };
const NAME: GraphQLFieldConfigArgumentMap = { as: { type: GraphQLString } };

interface MutationField {
  /** The resource type. */
  readonly type: string;
  readonly description: string;
  /** The result type. */
  readonly answer: GraphQLObjectType;
  readonly args: GraphQLFieldConfigArgumentMap;
}

/**
 * The fields of Mutation and their result types. The arguments are those of `create`, `update`, `patch` and `delete`,
 * whose descriptions explain them.
 */
export class MutationFields<Context> {
  private readonly answers = new Map<string, GraphQLObjectType>();
  private readonly operations: GraphQLInputType;

  /** @param patchOperation the input type of the operations of a JSON Patch */
  constructor(
    private readonly resourceTypes: readonly string[],
    private readonly elements: ElementTypes<Context>,
    private readonly handlers: Handlers<Context>,
    patchOperation: GraphQLInputType,
  ) {
    this.operations = new GraphQLList(new GraphQLNonNull(patchOperation));
  }

  /** Returns the fields by name; each is made on demand. */
  fields(): FieldMakers<Context> {
    const makers = new Map<string, () => Field<Context>>();
    for (const type of this.resourceTypes) {
      makers.set(`${type}Create`, () =>
        this.field('create', {
          type,
          description: `Stores a new ${type}; see \`create\`.`,
          answer: this.creation(type),
          args: {
            ...RESOURCE,
            ifNoneExist: { type: GraphQLString },
            ...NAME,
            ...DRY_RUN,
          },
        }),
      );
      makers.set(`${type}Update`, () =>
        this.field('update', {
          type,
          description: `Stores the next version of a ${type}; see \`update\`.`,
          answer: this.update(type),
          args: {
            ...TARGET,
            ...RESOURCE,
            ...NAME,
            ...GUARD,
          },
        }),
      );
      makers.set(`${type}Patch`, () =>
        this.field('patch', {
          type,
          description: `Changes a ${type} by a patch; see \`patch\`.`,
          answer: this.update(type),
          args: {
            ...TARGET,
            patch: { type: this.operations },
            fhirPathPatch: { type: resourceInputScalar },
            ...GUARD,
          },
        }),
      );
      makers.set(`${type}Delete`, () =>
        this.field('delete', {
          type,
          description: `Deletes a ${type}; see \`delete\`.`,
          answer: this.deletion(type),
          args: {
            ...TARGET,
            ...GUARD,
          },
        }),
      );
    }
    return makers;
  }

  /** Returns the types by name. */
  *makers(): Iterable<TypeMaker> {
    for (const type of this.resourceTypes) {
      yield [`${type}Creation`, () => this.creation(type)];
      yield [`${type}Update`, () => this.update(type)];
      yield [`${type}Delete`, () => this.deletion(type)];
    }
  }

  private field(kind: ChangeKind, { type, description, answer, args }: MutationField): Field<Context> {
    const { resolve, extensions } = this.handlers.change(kind, type);
    return {
      type: answer,
      description,
      args,
      extensions,
      resolve: (_root, given, context, info) => resolve(given, context, info),
    };
  }

  private creation(type: string): GraphQLObjectType {
    return this.answer(`${type}Creation`, () => ({
      location: { type: GraphQLString },
      resource: this.resource(type),
      information: this.information(),
    }));
  }

  private update(type: string): GraphQLObjectType {
    return this.answer(`${type}Update`, () => ({
      resource: this.resource(type),
      information: this.information(),
    }));
  }

  private deletion(type: string): GraphQLObjectType {
    return this.answer(`${type}Delete`, () => ({ information: this.information() }));
  }

  private answer(
    name: string,
    fields: () => GraphQLFieldConfigMap<ChangeResult, Context>,
  ): GraphQLObjectType {
    let answer = this.answers.get(name);
    if (answer === undefined) {
      answer = new GraphQLObjectType<ChangeResult, Context>({ name, fields });
      this.answers.set(name, answer);
    }
    return answer;
  }

  private resource(type: string): Field<Context> {
    return { type: this.elements.ofType(type) };
  }

  private information(): Field<Context> {
    return {
      type: this.elements.ofType('OperationOutcome'),
      description: 'The outcome, with the warnings about the resource.',
    };
  }
}
