import type { FastifyInstance, FastifyReply } from 'fastify';
import { fhirError } from '../core';
import { cancel, isAnsweredLater, status, submit } from './async';
import { announcesBody } from './requests/body';
import { varyByReader } from './pages/console';
import type { RestContext } from './rest-context';
import type { Exchange } from './exchange';
import type { FhirRequest } from './requests/fhir-request';
import { FHIR_ROOT, INTERACTIONS, METHODS, type Interaction, type Method } from './interaction-names';
import { bulkCancel, bulkFile, bulkStatus } from './interactions/bulk';
import { exportGroup, exportPatients, exportSystem } from './interactions/bulk-export';
import { runBundle } from './interactions/bundle';
import { history } from './interactions/history';
import { importCodeSystem, startImport } from './interactions/import';
import { capabilities } from './interactions/metadata';
import { openapi } from './interactions/openapi';
import { smartConfiguration } from './interactions/smart-configuration';
import { invoke } from './interactions/operation';
import { removeWhere, updateWhere } from './interactions/conditional';
import { patch, patchWhere } from './interactions/patch';
import { read, vread } from './interactions/read';
import { search } from './interactions/search';
import { create, remove, update } from './interactions/write';
import { refuseOtherMethods } from './requests/method';
import type { DescribedRoute } from './openapi';
import { openExchange } from './open-exchange';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True: long bodies may come as bytes. */
    takesLongBodies?: boolean;
  }
}

type Run = (exchange: Exchange) => Promise<FastifyReply>;

/** The interactions that have no FHIR address. */
type NonFhirInteraction = 'subscriptionSocket' | 'oidc' | 'tenants' | 'health' | 'console' | 'none';

/** The handler of each interaction, in the order of the OpenAPI document; `gateway`: src/gateway serves it. */
const RUNS: Readonly<Record<Exclude<keyof typeof INTERACTIONS, NonFhirInteraction>, Run | 'gateway'>> = {
  searchSystem: search,
  bundle: runBundle,
  asyncStatus: status,
  asyncCancel: cancel,
  bulkStatus,
  bulkCancel,
  bulkFile,
  exportSystem,
  exportSystemByPost: exportSystem,
  exportPatients,
  exportPatientsByPost: exportPatients,
  exportGroup,
  exportGroupByPost: exportGroup,
  startImport,
  importCodeSystem,
  smartConfiguration,
  capabilities,
  openapi: (exchange) => openapi(exchange, describedRoutes()),
  searchSystemByPost: search,
  historySystem: history,
  operationSystem: invoke,
  searchType: search,
  create,
  conditionalUpdate: updateWhere,
  conditionalPatch: patchWhere,
  conditionalDelete: removeWhere,
  searchTypeByPost: search,
  historyType: history,
  operationType: invoke,
  read,
  update,
  patch,
  delete: remove,
  historyInstance: history,
  operationInstance: invoke,
  vread,
  searchCompartmentByPost: search,
  searchCompartment: search,
  searchCompartmentTypeByPost: search,
  graphqlSystem: 'gateway',
  graphqlSystemByPost: 'gateway',
  graphqlInstance: 'gateway',
  graphqlInstanceByPost: 'gateway',
};
const ROUTES = Object.entries(RUNS).map(([name, run]) => ({
  interaction: INTERACTIONS[name as keyof typeof RUNS],
  run,
}));

/** Returns all routes for the OpenAPI document. */
function describedRoutes(): readonly DescribedRoute[] {
  return ROUTES.flatMap(({ interaction }) =>
    interaction.methods.map((method) => ({
      path: interaction.pattern.slice(FHIR_ROOT.length),
      method,
      interaction,
    })),
  );
}

/** Registers all FHIR addresses; other methods get 405 with `Allow`. */
export function registerFhirRoutes(server: FastifyInstance, restContext: RestContext): void {
  const served = new Map<string, Set<Method>>();
  for (const { interaction, run } of ROUTES) {
    if (run === 'gateway') continue;
    const { pattern: url, methods } = interaction;
    for (const method of methods) {
      const answer = serve(restContext, interaction, guardBody(method, interaction, run));
      const handler = method === 'GET' ? showConsole(restContext, interaction, answer) : answer;
      server.route({ method, url, config: { takesLongBodies: true }, handler });
    }
    served.set(url, new Set([...(served.get(url) ?? []), ...methods]));
  }
  for (const [url, methods] of served) {
    const none = { ...INTERACTIONS.none, pattern: url };
    const inOrder = METHODS.filter((method) => methods.has(method));
    refuseOtherMethods(server, url, inOrder, {
      before: (request: FhirRequest, reply) =>
        openExchange(restContext, request, reply, none).finally(() => request.logEntry.leave()),
    });
  }
}

type Handler = (request: FhirRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Answers people who open the address in a browser with the console, and all others with `answer`. */
function showConsole({ webConsole }: RestContext, interaction: Interaction, answer: Handler): Handler {
  if (!webConsole.shows(interaction)) return answer;
  return async (request, reply) => {
    varyByReader(reply);
    return webConsole.isWanted(request) ? webConsole.send(request, reply) : answer(request, reply);
  };
}

function serve(restContext: RestContext, interaction: Interaction, run: Run): Handler {
  return async (request: FhirRequest, reply: FastifyReply): Promise<FastifyReply> => {
    request.logEntry.begin();
    try {
      const exchange = await openExchange(restContext, request, reply, interaction);
      return await (isAnsweredLater(exchange, interaction) ? submit(exchange, interaction) : run(exchange));
    } finally {
      request.logEntry.leave();
    }
  };
}

/** Refuses the body of a GET, except on one resource, where `read` checks for a patch. */
function guardBody(method: Method, interaction: Interaction, run: Run): Run {
  if (method !== 'GET' || interaction === INTERACTIONS.read) return run;
  return (exchange) => {
    if (!announcesBody(exchange.request.headers)) return run(exchange);
    throw fhirError('invalidValue', { reason: 'A GET has no body, except a JSON Patch on one resource' });
  };
}
