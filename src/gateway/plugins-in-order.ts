import type { ApolloServerPlugin } from '@apollo/server';
import type { GatewayContext } from '../resolvers/index';

/**
 * Combines plugins so that their hooks run in this order. Apollo Server runs a hook of all plugins concurrently, which
 * does not suit plugins that change one response.
 */
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
