/** The cost of operations, and what is refused for it (docs/use/graphql-reference.md). */
import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { costOfIntrospection, costOfOperation, type OperationCost, refuseCost } from '../../schema/cost';
import type { PreparedRun } from './compile';

/** Limit on the cost of an introspection, as a multiple of the usual introspection of tools. */
const INTROSPECTION_FACTOR = 1.2;
/** Limit on the cost of introspection beside other fields: `__type` of a few types. */
const MOST_OF_SCHEMA = 500;

export class CostLimit {
  readonly #constantCosts = new WeakMap<OperationDefinitionNode, OperationCost>();
  #standardCost: number | undefined;

  constructor(
    private readonly schema: GraphQLSchema,
    /** Limit on the cost of one request (schema/cost.ts). */
    private readonly limit: number,
  ) {}

  /** Returns the cost of an operation. Cost: one walk through it; none if it has no variables and was asked for before. */
  of(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: PreparedRun['variables'],
  ): OperationCost {
    const cached = this.#constantCosts.get(operation);
    if (cached) return cached;
    const cost = costOfOperation(this.schema, document, operation, variables);
    if (!operation.variableDefinitions?.length) this.#constantCosts.set(operation, cost);
    return cost;
  }

  /**
   * Returns the error when the operation costs too much. An introspection runs once, in a worker thread, and has a
   * limit of its own; all else runs here.
   */
  refusalOf({ cost, ofSchema }: OperationCost, isIntrospection: boolean): GraphQLError | undefined {
    if (isIntrospection) {
      this.#standardCost ??= costOfIntrospection(this.schema);
      const limit = Math.ceil(INTROSPECTION_FACTOR * this.#standardCost);
      return cost > limit ? refuseCost(cost, limit) : undefined;
    }
    if (ofSchema > MOST_OF_SCHEMA) return refuseCost(ofSchema, MOST_OF_SCHEMA);
    return cost > this.limit ? refuseCost(cost, this.limit) : undefined;
  }
}
