/** OperationDefinitions of operations that FHIR itself does not define; stored among the base resources. */
import { type OperationDefinition, type OperationParameter } from '../fhir/definitions';
import { type JsonObject } from '../fhir/json';

const BASE = 'https://andiron.example/fhir/OperationDefinition';
/** Must be raised with each change: servers then reload the base resources. */
export const OWN_OPERATIONS_VERSION = '4';

interface Parameter {
  readonly name: string;
  readonly use: 'in' | 'out';
  readonly min: 0 | 1;
  readonly max: '1' | '*';
  readonly documentation: string;
  /** Undefined for a parameter with parts. */
  readonly type?: string;
  readonly parts?: readonly Part[];
}

/** A part of a parameter; at most one of each. */
type Part = Pick<Parameter, 'name' | 'min' | 'documentation'> & { readonly type: string };

/** An implementation guide that defines the operation; without one, this program does. */
interface Published {
  readonly id: string;
  readonly url: string;
  /** The version of the guide. */
  readonly version: string;
}

interface Own {
  readonly published?: Published;
  readonly code: string;
  readonly name: string;
  readonly title: string;
  readonly affectsState: boolean;
  readonly description: string;
  readonly resource: string;
  readonly system: boolean;
  readonly type: boolean;
  readonly parameters: readonly Parameter[];
}

const PROGRESS: readonly Parameter[] = [
  {
    name: 'status',
    use: 'out',
    min: 1,
    max: '1',
    documentation:
      'in-progress while a parameter is being indexed, else failed if one has failed, else completed',
    type: 'code',
  },
  {
    name: 'searchParameter',
    use: 'out',
    min: 0,
    max: '*',
    documentation: 'One entry for each search parameter and resource type',
    parts: [
      { name: 'reference', type: 'uri', min: 1, documentation: 'SearchParameter/id' },
      { name: 'url', type: 'uri', min: 1, documentation: 'Canonical url of the search parameter' },
      { name: 'type', type: 'code', min: 1, documentation: 'The resource type' },
      { name: 'code', type: 'code', min: 1, documentation: 'Name of the parameter in searches' },
      {
        name: 'status',
        type: 'code',
        min: 1,
        documentation: 'in-progress, completed or failed (http://hl7.org/fhir/task-status)',
      },
      {
        name: 'searchable',
        type: 'boolean',
        min: 1,
        documentation:
          'True if searches can use the parameter: from the moment when its first indexing is complete',
      },
      {
        name: 'resources',
        type: 'unsignedInt',
        min: 0,
        documentation:
          'Number of resources of the type at the start of the work; only for clients that may read all of them',
      },
      { name: 'indexed', type: 'unsignedInt', min: 0, documentation: 'Number of resources that are indexed' },
      { name: 'reason', type: 'string', min: 0, documentation: 'Reason of the failure' },
    ],
  },
];

const REINDEX: Own = {
  code: 'reindex',
  name: 'Reindex',
  title: 'Reindex search parameters',
  affectsState: true,
  description:
    "Reindexes the tenant's own search parameters of this release, or one of them, where rows are missing. The work is done in the background. The answer reports the progress, as $reindex-status does. Parameters that are searchable stay searchable meanwhile.",
  resource: 'SearchParameter',
  system: true,
  type: false,
  parameters: PROGRESS,
};

const REINDEX_STATUS: Own = {
  code: 'reindex-status',
  name: 'ReindexStatus',
  title: 'Progress of the indexing of search parameters',
  affectsState: false,
  description:
    "Reports the progress of the indexing of the tenant's own search parameters of this release, or of one of them.",
  resource: 'SearchParameter',
  system: true,
  type: false,
  parameters: PROGRESS,
};

const PURGE: Own = {
  code: 'purge',
  name: 'Purge',
  title: 'Remove permanently',
  affectsState: true,
  description:
    'Permanently removes a resource with all its versions, index rows and cached copies. For a Patient it also removes the resources in its compartment that are in no compartment of another patient. Only for administrators. It can be repeated, also after the resource was removed.',
  resource: 'Resource',
  system: false,
  type: false,
  parameters: [
    {
      name: 'compartment',
      use: 'in',
      min: 0,
      max: '1',
      documentation:
        'True: the resources of the compartment are removed too. Default: true for a Patient, false for other types',
      type: 'boolean',
    },
    {
      name: 'complete',
      use: 'out',
      min: 1,
      max: '1',
      documentation: 'False: something is left, or new resources were created meanwhile; repeat the request',
      type: 'boolean',
    },
    {
      name: 'resources',
      use: 'out',
      min: 1,
      max: '1',
      documentation: 'Number of purged resources',
      type: 'unsignedInt',
    },
    {
      name: 'purged',
      use: 'out',
      min: 0,
      max: '*',
      documentation: 'Number of purged resources by type',
      parts: [
        { name: 'type', type: 'code', min: 1, documentation: 'The resource type' },
        {
          name: 'resources',
          type: 'unsignedInt',
          min: 1,
          documentation: 'Number of purged resources of the type',
        },
      ],
    },
    {
      name: 'table',
      use: 'out',
      min: 0,
      max: '*',
      documentation: 'One entry for each database table with data of tenants',
      parts: [
        { name: 'name', type: 'string', min: 1, documentation: 'Name of the table' },
        { name: 'removed', type: 'unsignedInt', min: 1, documentation: 'Number of removed rows' },
        {
          name: 'left',
          type: 'unsignedInt',
          min: 1,
          documentation: 'Rows of purged resources that exist at the end',
        },
        {
          name: 'mentions',
          type: 'unsignedInt',
          min: 1,
          documentation: 'Rows of other resources that contain Type/id of a purged resource at the end',
        },
      ],
    },
    {
      name: 'processes',
      use: 'out',
      min: 1,
      max: '1',
      documentation: 'Number of server processes that have cleared their caches',
      type: 'unsignedInt',
    },
    {
      name: 'silentProcesses',
      use: 'out',
      min: 1,
      max: '1',
      documentation:
        'Number of server processes without a heartbeat for 20 seconds; their caches are not confirmed',
      type: 'unsignedInt',
    },
    {
      name: 'cachedTexts',
      use: 'out',
      min: 0,
      max: '1',
      documentation:
        'Number of entries removed from Redis; absent if Redis could not be reached. Entries expire after a day at most',
      type: 'unsignedInt',
    },
    {
      name: 'kept',
      use: 'out',
      min: 1,
      max: '1',
      documentation: 'Number of resources that refer to a purged resource and were not removed',
      type: 'unsignedInt',
    },
    {
      name: 'keptResource',
      use: 'out',
      min: 0,
      max: '*',
      documentation: 'The first of these resources',
      parts: [
        { name: 'reference', type: 'uri', min: 1, documentation: 'Type/id' },
        {
          name: 'reason',
          type: 'code',
          min: 1,
          documentation:
            'shared: the resource is in the compartment of another patient too; elsewhere: it is not in the compartment now; mentions: its type is in no patient compartment',
        },
      ],
    },
  ],
};

/** https://hl7.org/fhir/uv/subscriptions-backport/OperationDefinition-backport-subscription-status.html */
const SUBSCRIPTION_STATUS: Own = {
  published: published('backport-subscription-status'),
  code: 'status',
  name: 'R5SubscriptionStatus',
  title: 'Status of Subscriptions',
  affectsState: false,
  description:
    'Returns the status of a Subscription, or of those that the client may find, each with the number of its events. Defined by the guide Subscriptions R5 Backport.',
  resource: 'Subscription',
  system: false,
  type: true,
  parameters: [
    {
      name: 'id',
      use: 'in',
      min: 0,
      max: '*',
      documentation:
        'At type level, the id of a Subscription; several mean any of them, none means all. Ignored at instance level',
      type: 'id',
    },
    {
      name: 'status',
      use: 'in',
      min: 0,
      max: '*',
      documentation:
        'At type level, a status of Subscriptions; several mean any of them, none means all. Ignored at instance level',
      type: 'code',
    },
    {
      name: 'return',
      use: 'out',
      min: 1,
      max: '1',
      documentation:
        'A searchset with one entry for each Subscription: Parameters in R4, SubscriptionStatus in R4B',
      type: 'Bundle',
    },
  ],
};

const SUBSCRIPTION_EVENTS: Own = {
  published: published('backport-subscription-events'),
  code: 'events',
  name: 'R5SubscriptionEvents',
  title: 'Events of a Subscription',
  affectsState: false,
  description:
    'Returns events of a Subscription that are still kept, also those that were not delivered: at most 500, after which the client continues with the next number. Defined by the guide Subscriptions R5 Backport.',
  resource: 'Subscription',
  system: false,
  type: false,
  parameters: [
    {
      name: 'eventsSinceNumber',
      use: 'in',
      min: 0,
      max: '1',
      documentation: 'Number of the first event, included. Default: the first that is kept',
      type: 'string',
    },
    {
      name: 'eventsUntilNumber',
      use: 'in',
      min: 0,
      max: '1',
      documentation: 'Number of the last event, included. Default: the last one',
      type: 'string',
    },
    {
      name: 'content',
      use: 'in',
      min: 0,
      max: '1',
      documentation:
        'Content level of the answer: empty, id-only or full-resource; never more than that of the Subscription, which is the default',
      type: 'code',
    },
    {
      name: 'return',
      use: 'out',
      min: 1,
      max: '1',
      documentation: 'A history: first the status of the Subscription, then the resources of the events',
      type: 'Bundle',
    },
  ],
};

const SUBSCRIPTION_BINDING_TOKEN: Own = {
  published: published('backport-subscription-get-ws-binding-token'),
  code: 'get-ws-binding-token',
  name: 'R5SubscriptionGetWsBindingToken',
  title: 'Token for a WebSocket',
  affectsState: false,
  description:
    'Returns a token that binds Subscriptions with the channel websocket to a WebSocket, once and within 30 seconds. Only for their author. Defined by the guide Subscriptions R5 Backport.',
  resource: 'Subscription',
  system: false,
  type: true,
  parameters: [
    {
      name: 'id',
      use: 'in',
      min: 0,
      max: '*',
      documentation: 'At type level, the id of a Subscription; at least one. Ignored at instance level',
      type: 'id',
    },
    {
      name: 'token',
      use: 'out',
      min: 1,
      max: '1',
      documentation: 'The token, for the message bind-with-token',
      type: 'string',
    },
    {
      name: 'expiration',
      use: 'out',
      min: 1,
      max: '1',
      documentation: 'Until when the token can be used',
      type: 'dateTime',
    },
    {
      name: 'subscription',
      use: 'out',
      min: 0,
      max: '*',
      documentation: 'The id of a Subscription that the token is for',
      type: 'string',
    },
    {
      name: 'websocket-url',
      use: 'out',
      min: 1,
      max: '1',
      documentation: 'The address of the WebSocket',
      type: 'url',
    },
  ],
};

const OWN: readonly Own[] = [
  ...[REINDEX, REINDEX_STATUS, PURGE],
  ...[SUBSCRIPTION_STATUS, SUBSCRIPTION_EVENTS, SUBSCRIPTION_BINDING_TOKEN],
];

function published(id: string): Published {
  const url = `http://hl7.org/fhir/uv/subscriptions-backport/OperationDefinition/${id}`;
  return { id, url, version: '1.1.0' };
}

/** Id and url, such as `andiron-reindex`. */
function namesOf({ published: of, code }: Own): Pick<Published, 'id' | 'url'> {
  return of === undefined ? { id: `andiron-${code}`, url: `${BASE}/${code}` } : { id: of.id, url: of.url };
}

/** Returns the definitions as they are stored. */
export function ownOperationResources(): readonly (JsonObject & { readonly id: string })[] {
  return OWN.map((own) => ({
    resourceType: 'OperationDefinition',
    ...namesOf(own),
    version: own.published?.version ?? OWN_OPERATIONS_VERSION,
    name: own.name,
    title: own.title,
    status: 'active',
    kind: 'operation',
    ...(own.published === undefined ? { publisher: 'Andiron' } : {}),
    description: own.description,
    affectsState: own.affectsState,
    code: own.code,
    resource: [own.resource],
    system: own.system,
    type: own.type,
    instance: true,
    parameter: own.parameters.map(
      ({ name: named, use, min, max, documentation, type, parts }): JsonObject => {
        const part = parts?.map((one): JsonObject => ({ ...one, use, max: '1' }));
        return {
          name: named,
          use,
          min,
          max,
          documentation,
          ...(type === undefined ? {} : { type }),
          ...(part === undefined ? {} : { part }),
        };
      },
    ),
  }));
}

export const reindexDefinition: OperationDefinition = toDefinition(REINDEX);
export const reindexStatusDefinition: OperationDefinition = toDefinition(REINDEX_STATUS);
export const purgeDefinition: OperationDefinition = toDefinition(PURGE);
export const subscriptionStatusDefinition: OperationDefinition = toDefinition(SUBSCRIPTION_STATUS);
export const subscriptionEventsDefinition: OperationDefinition = toDefinition(SUBSCRIPTION_EVENTS);
export const subscriptionBindingTokenDefinition: OperationDefinition =
  toDefinition(SUBSCRIPTION_BINDING_TOKEN);

function toDefinition(own: Own): OperationDefinition {
  const { code, affectsState, resource, system, type: isOfType, parameters } = own;
  return {
    ...namesOf(own),
    code,
    kind: 'operation',
    system,
    type: isOfType,
    instance: true,
    resources: [resource],
    affectsState,
    parameters: parameters.map(({ name, use, min, max, type, parts = [] }): OperationParameter => {
      return {
        name,
        use,
        min,
        max: max === '*' ? Infinity : 1,
        ...(type === undefined ? {} : { type }),
        parts: parts.map((part): OperationParameter => {
          return { name: part.name, use, min: part.min, max: 1, type: part.type, parts: [] };
        }),
      };
    }),
  };
}
