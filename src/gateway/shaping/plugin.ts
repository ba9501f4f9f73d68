import type { ApolloServerPlugin } from '@apollo/server';
import type { DocumentNode, GraphQLError, GraphQLFormattedError, GraphQLSchema } from 'graphql';
import type { GatewayContext } from '../../resolvers/index';
import { planShaping } from './plan';
import { shape } from './shape';

/**
 * Shapes responses by the directives of a document, independent of the executor. A document without them costs one
 * look-up. `format` makes an entry of `errors`.
 */
export function shapingPlugin(
  format: (error: GraphQLError) => GraphQLFormattedError,
): ApolloServerPlugin<GatewayContext> {
  const plans = new WeakMap<DocumentNode, { readonly planned: DocumentNode | undefined }>();

  function planOf(document: DocumentNode, schema: GraphQLSchema): DocumentNode | undefined {
    let plan = plans.get(document);
    if (!plan) plans.set(document, (plan = { planned: planShaping(document, schema) }));
    return plan.planned;
  }

  return {
    async requestDidStart() {
      let planned: DocumentNode | undefined;
      return {
        async didResolveOperation(context) {
          planned = planOf(context.document, context.schema);
          // The executed document selects what shaping needs; it is the same object each time.
          if (planned) Object.assign(context, { document: planned });
        },
        async willSendResponse({ request, response, schema, contextValue }) {
          if (!planned || response.body.kind !== 'single') return;
          const { singleResult } = response.body;
          const { data } = singleResult;
          if (!data) return;
          const shaped = await shape(schema, {
            document: planned,
            operationName: request.operationName,
            variables: request.variables ?? {},
            data,
          });
          singleResult.data = { ...shaped.data };
          contextValue.answer.characters += shaped.characters;
          if (shaped.errors.length > 0)
            singleResult.errors = [...(singleResult.errors ?? []), ...shaped.errors.map(format)];
        },
      };
    },
  };
}
