import { createHash } from 'node:crypto';
import { leadsFromAuditEvents } from '../audit/audit-event-search';
import { AUDIT_EVENT, OPERATION_DEFINITION, SUBSCRIPTION } from '../fhir/type-names';
import type { Capabilities, CapabilityMode } from '../api/capabilities';
import type { OperationInfo } from '../api/operation';
import type { RequestContext, Space, TenantSettings } from '../context';
import type { Definitions } from '../fhir/definitions';
import { RELEASES, type Release } from '../fhir/release';
import { readTopics, topicType } from '../topics/find-topic';
import { topicUrlOf } from '../topics/topic';
import { codeSystemImportDefinition, importDefinition } from '../operation-types/own-definitions';
import { operationsOf } from '../operations/invoke';
import { createCache, forEachDatabase } from '../memory/create-cache';
import { referenceParameters } from '../search/requests/include';
import { RESULT_PARAMETERS } from '../search/requests/parse-search';
import { searchableParameters } from '../search/parameters/searchable';
import type { NamedQuery } from '../search/requests/named-query';
import type { SearchServices, Services } from '../ports';
import { EXPORT_DEFINITIONS } from '../operation-types/own-definitions';
import { VERSION, VERSION_DATE } from '../version';
import { lastChangeOf } from '../storage/read/conformance';
import { listQueries } from '../search-execution/named-queries';
import { normativePortion } from './normative';
import { terminologyCapabilities } from './terminology-capabilities';

/** The interactions of src/core/interactions, by their codes in a CapabilityStatement. */
const INTERACTIONS = [
  'read',
  'vread',
  'update',
  'patch',
  'delete',
  'history-instance',
  'history-type',
  'create',
  'search-type',
].map((code) => ({ code }));

const SYSTEM_INTERACTIONS = ['transaction', 'batch', 'search-system', 'history-system'].map((code) => ({
  code,
}));

/** For AuditEvents in a space of their own (docs/run/audit.md): they are created and never changed. */
const OF_AUDIT_EVENTS = {
  interaction: INTERACTIONS.filter(({ code }) => !['update', 'patch', 'delete'].includes(code)),
  conditionalUpdate: false,
  conditionalDelete: 'not-supported',
};

/** Settings of the tenant and the server that a statement shows. */
interface StatedSettings {
  readonly isAuditApart: boolean;
  /** http://hl7.org/fhir/reference-handling-policy */
  readonly referencePolicy: readonly string[];
  /** http://hl7.org/fhir/conditional-delete-status */
  readonly conditionalDelete: TenantSettings['conditionalDelete'];
}

function toStatedSettings(
  { isAuditApart }: Pick<Services, 'isAuditApart'>,
  { referentialIntegrity, conditionalDelete }: TenantSettings,
): StatedSettings {
  const isEnforced = referentialIntegrity === 'on-write-and-delete';
  const referencePolicy = ['literal', 'logical', ...(isEnforced ? ['enforced'] : [])];
  return { isAuditApart, referencePolicy, conditionalDelete };
}

interface CachedStatement {
  readonly definitions: Definitions;
  readonly statedText: string;
  /** Version of the tenant's OperationDefinitions and topics. */
  readonly version: string;
  readonly capabilities: Capabilities;
}

/** Maximum number of cached statements of tenants, a megabyte or two each. */
const MAX_OWN = 20;
/** Maximum number of cached spaces without own parameters, queries and topics, with the version of their definitions. */
const MAX_CACHED = 1_000;

/** Cache by release and the settings that are shown. */
const ofReleases = new Map<string, Capabilities>();
const ofSpaces = forEachDatabase(() =>
  createCache<number, CachedStatement>({ name: 'capabilities', scope: 'data', max: MAX_OWN }),
);
const plainSpaces = forEachDatabase(() =>
  createCache<number, string>({ name: 'plain-spaces', scope: 'data', max: MAX_CACHED }),
);

/** Cache of normative portions and TerminologyCapabilities, by the texts that they were made from. */
const others = createCache<string, Capabilities>({
  name: 'portions-of-capabilities',
  scope: 'data',
  max: 2 * MAX_OWN,
});

/**
 * The capabilities of a space, in one of the modes of http.html#capabilities. Cost: one statement and two lookups.
 */
export async function capabilities(
  services: SearchServices & Pick<Services, 'isAuditApart'>,
  context: RequestContext,
  mode: CapabilityMode,
): Promise<Capabilities> {
  if (mode === 'terminology') {
    const text = await terminologyCapabilities(services, context);
    return cachedBase(text, () => text);
  }
  const full = await fullCapabilities(services, context);
  if (mode === 'full') return full;
  return cachedBase(full.etag, () => normativePortion(services, context, full.text));
}

async function cachedBase(key: string, make: () => string | Promise<string>): Promise<Capabilities> {
  const cached = others.get(key);
  if (cached !== undefined) return cached;
  const made = tagged(await make());
  others.set(key, made);
  return made;
}

function tagged(text: string): Capabilities {
  return { text, etag: createHash('sha256').update(text).digest('base64url').slice(0, 22) };
}

/**
 * The CapabilityStatement of a space (http.html#capabilities), generated from the tables that the server runs by, so
 * that it lists only types, search parameters and operations that work. Cached for a release and the settings shown;
 * for a space with search parameters, named queries or topics of its own, until they change. Cost: one statement and two
 * lookups; after a change, the searches for these.
 */
async function fullCapabilities(
  services: SearchServices & Pick<Services, 'isAuditApart'>,
  context: RequestContext,
): Promise<Capabilities> {
  const { space } = context;
  const definitions = services.definitionsOf(space);
  const version = await versionOf(services, space);
  const hasParameters = definitions.ofRelease !== undefined;
  const stated = toStatedSettings(services, space.settings);
  const statedText = JSON.stringify(stated);
  if (!hasParameters && plainSpaces(services).get(space.number) === version)
    return ofRelease(definitions, stated);
  const cached = ofSpaces(services).get(space.number);
  if (cached?.definitions === definitions && cached.statedText === statedText && cached.version === version)
    return cached.capabilities;
  const queries = await listQueries(services, context, services.searchContext(space));
  const topics = await topicsOf(services, context);
  if (!hasParameters && queries.length === 0 && topics.length === 0) {
    plainSpaces(services).set(space.number, version);
    return ofRelease(definitions, stated);
  }
  const made = tagged(JSON.stringify(statement(definitions, stated, { queries, topics })));
  ofSpaces(services).set(space.number, {
    definitions,
    statedText: statedText,
    version,
    capabilities: made,
  });
  return made;
}

/** Conformance resources of the tenant that a statement lists. */
interface OwnContent {
  readonly queries: readonly NamedQuery[];
  /** Canonicals of active topics. */
  readonly topics: readonly string[];
}

const NOTHING_OWN: OwnContent = { queries: [], topics: [] };

/** A text that differs after each change of what `OwnContent` is read from. Cost: one statement. */
function versionOf({ database, definitions }: SearchServices, { number, release }: Space): Promise<string> {
  const types = [OPERATION_DEFINITION, topicType(release)];
  return lastChangeOf(
    database,
    number,
    types.flatMap((type) => definitions(release).typeNumber(type) ?? []),
  );
}

/** Cost: a search. */
async function topicsOf(services: SearchServices, context: RequestContext): Promise<readonly string[]> {
  const found = await readTopics(services, context);
  const topics = found.flatMap(({ topic }) => (topic === undefined ? [] : [topic]));
  const canonicals = topics.map(({ url, version }) => (version === undefined ? url : `${url}|${version}`));
  return [...new Set(canonicals)].sort();
}

function ofRelease(definitions: Definitions, statedText: StatedSettings): Capabilities {
  const key = `${definitions.release} ${JSON.stringify(statedText)}`;
  let made = ofReleases.get(key);
  if (made === undefined)
    ofReleases.set(key, (made = tagged(JSON.stringify(statement(definitions, statedText, NOTHING_OWN)))));
  return made;
}

function statement(
  definitions: Definitions,
  statedText: StatedSettings,
  { queries, topics }: OwnContent,
): object {
  const { release } = definitions;
  const { isAuditApart, ...ofSettings } = statedText;
  const offered = [...operationsOf(definitions), ...servedByGateway(definitions), ...EXPORTS, ...IMPORTS];
  const named = ({ code, definition }: OperationInfo): object => ({ name: code, definition });
  return {
    resourceType: 'CapabilityStatement',
    extension: FEATURES,
    url: `https://andiron.example/fhir/CapabilityStatement/${release}`,
    version: VERSION,
    name: 'Andiron',
    title: `Andiron, FHIR ${RELEASES[release].fhirVersion}`,
    status: 'active',
    date: VERSION_DATE,
    publisher: 'Andiron',
    kind: 'instance',
    instantiates: [BACKPORT_SERVERS[release], BULK_DATA, TERMINOLOGY_SERVER],
    software: { name: 'Andiron', version: VERSION, releaseDate: VERSION_DATE },
    implementation: { description: `Andiron, FHIR ${RELEASES[release].fhirVersion}` },
    fhirVersion: RELEASES[release].fhirVersion,
    format: ['application/fhir+json', 'json'],
    patchFormat: ['application/json-patch+json', 'application/fhir+json'],
    rest: [
      {
        mode: 'server',
        security: SECURITY,
        resource: definitions.resourceTypes.map((type) => {
          const operations = offered
            .filter(({ levels }) => levels.includes('type') || levels.includes('instance'))
            .filter(({ types }) => types.some((ancestor) => definitions.conformsTo(type, ancestor)))
            .map(named);
          const ofType = queries.filter(({ types }) => types.includes(type));
          const all = [...operations, ...ofType.map(({ code, url }) => ({ name: code, definition: url }))];
          return {
            ...(type === SUBSCRIPTION ? { extension: topicExtensions(definitions, topics) } : {}),
            type,
            profile: `http://hl7.org/fhir/StructureDefinition/${type}`,
            ...(type === SUBSCRIPTION ? { supportedProfile: [`${BACKPORT}/backport-subscription`] } : {}),
            interaction: INTERACTIONS,
            versioning: 'versioned',
            readHistory: true,
            updateCreate: true,
            conditionalCreate: true,
            conditionalRead: 'full-support',
            conditionalUpdate: true,
            ...ofSettings,
            ...(isAuditApart && type === AUDIT_EVENT
              ? OF_AUDIT_EVENTS
              : includesOf(definitions, type, isAuditApart)),
            searchParam:
              isAuditApart && type === AUDIT_EVENT
                ? ofAuditEvents(definitions)
                : searchParameters(definitions, type),
            ...(all.length === 0 ? {} : { operation: all }),
          };
        }),
        interaction: SYSTEM_INTERACTIONS,
        searchParam: commonParameters(definitions),
        operation: offered.filter(({ levels }) => levels.includes('system')).map(named),
        compartment: [...definitions.compartments.values()].map(({ url }) => url),
      },
    ],
  };
}

/** Authentication in every mode (docs/run/access.md); .well-known/smart-configuration has the addresses. */
const SECURITY = {
  service: ['SMART-on-FHIR', 'Basic'].map((code) => ({
    coding: [{ system: 'http://terminology.hl7.org/CodeSystem/restful-security-service', code }],
  })),
  description:
    'A bearer token of this tenant, or HTTP Basic with the id and secret of a client; see .well-known/smart-configuration',
};

const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';
/** https://hl7.org/fhir/uv/subscriptions-backport/CapabilityStatement-backport-subscription-server.html */
const BACKPORT_SERVERS: Readonly<Record<Release, string>> = {
  r4: 'http://hl7.org/fhir/uv/subscriptions-backport/CapabilityStatement/backport-subscription-server-r4',
  r4b: 'http://hl7.org/fhir/uv/subscriptions-backport/CapabilityStatement/backport-subscription-server',
};

/** The topics of the server and those of the tenant. */
function topicExtensions({ resourceTypes }: Definitions, topics: readonly string[]): readonly object[] {
  const url = `${BACKPORT}/capabilitystatement-subscriptiontopic-canonical`;
  return [...resourceTypes.map(topicUrlOf), ...topics].map((valueCanonical) => ({ url, valueCanonical }));
}

/** https://hl7.org/fhir/uv/bulkdata/CapabilityStatement-bulk-data.html */
const BULK_DATA = 'http://hl7.org/fhir/uv/bulkdata/CapabilityStatement/bulk-data';

/** https://hl7.org/fhir/R4/capabilitystatement-terminology-server.html */
const TERMINOLOGY_SERVER = 'http://hl7.org/fhir/CapabilityStatement/terminology-server';

/**
 * What HL7's validator asks of a terminology server: the version of the terminology tests by which this program is measured (`npm
 * run test:tx`, with the differences), and that code systems may be handed along (`tx-resource`).
 */
const FEATURES = (
  [
    ['http://hl7.org/fhir/uv/tx-tests/FeatureDefinition/test-version', { valueCode: '1.9.3' }],
    ['http://hl7.org/fhir/uv/tx-ecosystem/FeatureDefinition/CodeSystemAsParameter', { valueBoolean: true }],
  ] as const
).map(([valueCanonical, value]) => ({
  url: 'http://hl7.org/fhir/uv/application-feature/StructureDefinition/feature',
  extension: [
    { url: 'definition', valueCanonical },
    { url: 'value', ...value },
  ],
}));

/** `$export`, an interaction of its own (docs/use/bulk-data.md). */
const EXPORTS: readonly OperationInfo[] = EXPORT_DEFINITIONS.map(
  ({ code, url, resources, system, type }) => ({
    ...{ code, definition: url, types: resources, affectsState: false, storesOnRequest: false },
    levels: [system ? 'system' : type ? 'type' : 'instance'],
  }),
);

const GRAPHQL = 'http://hl7.org/fhir/OperationDefinition/Resource-graphql';

/** `$import` and `CodeSystem/$import`, which begin jobs (jobs/imports.ts). */
const IMPORTS: readonly OperationInfo[] = [importDefinition, codeSystemImportDefinition].map(
  ({ code, url, resources, system }) => ({
    ...{ code, definition: url, types: resources, affectsState: true, storesOnRequest: false },
    levels: [system ? 'system' : 'type'],
  }),
);

/** `$graphql`, which src/gateway serves and not core (graphql.html#conformance). */
function servedByGateway({ operations }: Definitions): readonly OperationInfo[] {
  const definition = operations.get(GRAPHQL);
  if (definition === undefined) return [];
  const { code, url, resources, affectsState } = definition;
  return [
    {
      ...{ code, definition: url, types: resources, affectsState },
      levels: ['system', 'instance'],
      storesOnRequest: false,
    },
  ];
}

/** Parameters with more target types are left out of `searchRevInclude`, because they would double the statement. */
const MOST_TARGETS = 30;

/** `searchInclude`: reference parameters of the type; `searchRevInclude`: those of other types that may refer to it. */
function includesOf(definitions: Definitions, type: string, isAuditApart: boolean): object {
  const searchInclude = referenceParameters(definitions, type).map(({ code }) => `${type}:${code}`);
  const sources = definitions.resourceTypes.filter((source) => !isAuditApart || source !== AUDIT_EVENT);
  const searchRevInclude = sources.flatMap((source) =>
    referenceParameters(definitions, source)
      .filter(({ targets }) => targets.length <= MOST_TARGETS && targets.includes(type))
      .map(({ code }) => `${source}:${code}`),
  );
  return {
    ...(searchInclude.length === 0 ? {} : { searchInclude: ['*', ...searchInclude] }),
    ...(searchRevInclude.length === 0 ? {} : { searchRevInclude: ['*', ...searchRevInclude] }),
  };
}

/**
 * Parameters of searches over all types: those of every type, `_type`, a token in R4 (search.html#type), and those of
 * results, which searches of one type have too.
 */
function commonParameters(definitions: Definitions): SearchParam[] {
  const [first = [], ...others] = definitions.resourceTypes.map((type) =>
    searchParameters(definitions, type),
  );
  const common = first.filter(({ name }) =>
    others.every((parameters) => parameters.some((parameter) => parameter.name === name)),
  );
  const ofResults = RESULT_PARAMETERS.map(({ name, kind }) => ({ name, type: kind }));
  return [...common, { name: '_type', type: 'token' }, ...ofResults];
}

/** CapabilityStatement.rest.searchParam */
interface SearchParam {
  readonly name: string;
  readonly definition?: string;
  readonly type: string;
}

/** For AuditEvents in a space of their own: no parameters that lead to other resources, none of the tenant. */
function ofAuditEvents(definitions: Definitions): SearchParam[] {
  const listed = searchParameters(definitions.ofRelease ?? definitions, AUDIT_EVENT);
  return listed.filter(({ name }) => !leadsFromAuditEvents(name));
}

function searchParameters(definitions: Definitions, type: string): SearchParam[] {
  return searchableParameters(definitions, type).map(({ code, kind, url }) => ({
    name: code,
    ...(url === undefined ? {} : { definition: url }),
    type: kind,
  }));
}
