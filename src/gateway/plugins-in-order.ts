import type { ApolloServerPlugin } from '@apollo/server';
import type { GatewayContext } from '../resolvers/index';

/** Apollo Server calls a hook of all plugins at the same time; those that change one response are called in this order. */
export function inOrder(
  plugins: readonly ApolloServerPlugin<GatewayContext>[],
): ApolloServerPlugin<GatewayContext> {
  return {
    async requestDidStart(request) {
      const started = await Promise.all(plugins.map(async (plugin) => plugin.requestDidStart?.(request)));
      return {
        async didResolveOperation(context) {
          for (const listener of started) await listener?.didResolveOperation?.(context);
        },
        async willSendResponse(context) {
          for (const listener of started) await listener?.willSendResponse?.(context);
        },
      };
    },
  };
}
