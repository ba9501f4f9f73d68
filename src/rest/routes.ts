import type { FastifyInstance, FastifyReply } from 'fastify';
import { fhirError } from '../core';
import { cancel, isAnsweredLater, status, submit } from './async';
import { announcesBody } from './body';
import type { RestContext } from './rest-context';
import type { Exchange } from './exchange';
import type { FhirRequest } from './fhir-request';
import { FHIR_ROOT, INTERACTIONS, type Interaction } from './interaction-names';
import { runBundle } from './interactions/bundle';
import { history } from './interactions/history';
import { capabilities } from './interactions/metadata';
import { openapi } from './interactions/openapi';
import { smartConfiguration } from './interactions/smart-configuration';
import { invoke } from './interactions/operation';
import { removeWhere, updateWhere } from './interactions/conditional';
import { patch, patchWhere } from './interactions/patch';
import { read, vread } from './interactions/read';
import { search } from './interactions/search';
import { create, remove, update } from './interactions/write';
import { refuseOtherMethods } from './method';
import type { DescribedRoute } from './openapi';
import { openExchange } from './open-exchange';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True: long bodies may come as bytes. */
    takesLongBodies?: boolean;
  }
}

type Run = (exchange: Exchange) => Promise<FastifyReply>;
const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Verb = (typeof VERBS)[number];

/** The methods of one address below `{fhir_root}`; GET includes HEAD. */
interface Route {
  readonly path: string;
  readonly methods: Readonly<Partial<Record<Verb, readonly [Interaction, Run]>>>;
}

const ROUTES: readonly Route[] = [
  {
    path: '',
    methods: {
      GET: [INTERACTIONS.searchSystem, search],
      POST: [INTERACTIONS.bundle, runBundle],
    },
  },
  {
    path: '/_async/:job',
    methods: { GET: [INTERACTIONS.asyncStatus, status], DELETE: [INTERACTIONS.asyncCancel, cancel] },
  },
  {
    path: '/.well-known/smart-configuration',
    methods: { GET: [INTERACTIONS.smartConfiguration, smartConfiguration] },
  },
  { path: '/metadata', methods: { GET: [INTERACTIONS.capabilities, capabilities] } },
  {
    path: '/openapi.json',
    methods: { GET: [INTERACTIONS.openapi, (exchange) => openapi(exchange, describedRoutes())] },
  },
  { path: '/_search', methods: { POST: [INTERACTIONS.searchSystemByPost, search] } },
  { path: '/_history', methods: { GET: [INTERACTIONS.historySystem, history] } },
  operation('/$:code', INTERACTIONS.operationSystem),
  {
    path: '/:type',
    methods: {
      GET: [INTERACTIONS.searchType, search],
      POST: [INTERACTIONS.create, create],
      PUT: [INTERACTIONS.conditionalUpdate, updateWhere],
      PATCH: [INTERACTIONS.conditionalPatch, patchWhere],
      DELETE: [INTERACTIONS.conditionalDelete, removeWhere],
    },
  },
  { path: '/:type/_search', methods: { POST: [INTERACTIONS.searchTypeByPost, search] } },
  { path: '/:type/_history', methods: { GET: [INTERACTIONS.historyType, history] } },
  operation('/:type/$:code', INTERACTIONS.operationType),
  {
    path: '/:type/:id',
    methods: {
      GET: [INTERACTIONS.read, read],
      PUT: [INTERACTIONS.update, update],
      PATCH: [INTERACTIONS.patch, patch],
      DELETE: [INTERACTIONS.delete, remove],
    },
  },
  { path: '/:type/:id/_history', methods: { GET: [INTERACTIONS.historyInstance, history] } },
  operation('/:type/:id/$:code', INTERACTIONS.operationInstance),
  { path: '/:type/:id/_history/:vid', methods: { GET: [INTERACTIONS.vread, vread] } },
  { path: '/:type/:id/_search', methods: { POST: [INTERACTIONS.searchCompartmentByPost, search] } },
  { path: '/:type/:id/:member', methods: { GET: [INTERACTIONS.searchCompartment, search] } },
  {
    path: '/:type/:id/:member/_search',
    methods: { POST: [INTERACTIONS.searchCompartmentTypeByPost, search] },
  },
];

/** Addresses below `{fhir_root}` that src/gateway serves. */
const OF_GATEWAY: readonly DescribedRoute[] = [
  { path: '/$graphql', method: 'GET', interaction: INTERACTIONS.graphqlSystem },
  { path: '/$graphql', method: 'POST', interaction: INTERACTIONS.graphqlSystemByPost },
  { path: '/:type/:id/$graphql', method: 'GET', interaction: INTERACTIONS.graphqlInstance },
  { path: '/:type/:id/$graphql', method: 'POST', interaction: INTERACTIONS.graphqlInstanceByPost },
];

/** Returns all routes for the OpenAPI document. */
function describedRoutes(): readonly DescribedRoute[] {
  const own = ROUTES.flatMap(({ path, methods }) =>
    VERBS.flatMap((method) => {
      const entry = methods[method];
      return entry === undefined ? [] : [{ path, method, interaction: entry[0] }];
    }),
  );
  return [...own, ...OF_GATEWAY];
}

/** Registers all FHIR addresses; other methods get 405 with `Allow`. */
export function registerFhirRoutes(server: FastifyInstance, edge: RestContext): void {
  for (const route of ROUTES) {
    const url = FHIR_ROOT + route.path;
    const served: string[] = [];
    for (const method of VERBS) {
      const entry = route.methods[method];
      if (entry === undefined) continue;
      served.push(method);
      const config = { takesLongBodies: true };
      server.route({ method, url, config, handler: serve(edge, entry[0], guardBody(method, entry)) });
    }
    const none = { name: 'none', pattern: url };
    refuseOtherMethods(server, url, served, (request: FhirRequest, reply) =>
      openExchange(edge, request, reply, none).finally(() => request.visit.leave()),
    );
  }
}

function serve(edge: RestContext, interaction: Interaction, run: Run) {
  return async (request: FhirRequest, reply: FastifyReply): Promise<FastifyReply> => {
    request.visit.begin();
    try {
      const exchange = await openExchange(edge, request, reply, interaction);
      return await (isAnsweredLater(exchange, interaction) ? submit(exchange, interaction) : run(exchange));
    } finally {
      request.visit.leave();
    }
  };
}

/** Refuses the body of a GET, except on one resource, where `read` checks for a patch. */
function guardBody(method: Verb, [interaction, run]: readonly [Interaction, Run]): Run {
  if (method !== 'GET' || interaction === INTERACTIONS.read) return run;
  return (exchange) => {
    if (!announcesBody(exchange.request.headers)) return run(exchange);
    throw fhirError('invalidValue', { reason: 'A GET has no body, except a JSON Patch on one resource' });
  };
}

function operation(path: string, interaction: Interaction): Route {
  return { path, methods: { GET: [interaction, invoke], POST: [interaction, invoke] } };
}
