import { INTERACTIONS, type Interaction } from './interaction-names';

/**
 * What is known of one request for its log line and its metrics. Tenant, release and type are set only after they
 * were found to exist, so that nothing a client made up reaches a log.
 */
export class Visit {
  readonly startedAt = performance.now();
  interaction: Interaction = INTERACTIONS.none;
  tenant: string | undefined = undefined;
  release: string | undefined = undefined;
  type: string | undefined = undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    visit: Visit;
  }
}
