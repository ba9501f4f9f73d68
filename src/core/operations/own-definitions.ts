/** OperationDefinitions of this server, for operations that FHIR does not define; stored among the base resources. */
import { type OperationDefinition, type OperationParameter } from '../fhir/definitions';
import { type JsonObject } from '../fhir/json';

const BASE = 'https://andiron.example/fhir/OperationDefinition';
/** Must be raised with each change: servers then reload the base resources. */
export const OWN_OPERATIONS_VERSION = '3';

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

interface Own {
  readonly code: string;
  readonly name: string;
  readonly title: string;
  readonly affectsState: boolean;
  readonly description: string;
  readonly resource: string;
  readonly system: boolean;
  readonly parameters: readonly Parameter[];
}

const PROGRESS: readonly Parameter[] = [
  {
    name: 'status',
    use: 'out',
    min: 1,
    max: '1',
    documentation:
      'in-progress while any search parameter is in progress, otherwise failed if any has failed, otherwise completed',
    type: 'code',
  },
  {
    name: 'searchParameter',
    use: 'out',
    min: 0,
    max: '*',
    documentation: 'One entry for each search parameter and each resource type it applies to',
    parts: [
      { name: 'reference', type: 'uri', min: 1, documentation: 'SearchParameter/id' },
      { name: 'url', type: 'uri', min: 1, documentation: 'The canonical URL of the search parameter' },
      {
        name: 'type',
        type: 'code',
        min: 1,
        documentation: 'The resource type that the search parameter applies to',
      },
      { name: 'code', type: 'code', min: 1, documentation: 'The name of the search parameter in searches' },
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
        documentation: 'True if searches can use the parameter: it has been completely indexed at least once',
      },
      {
        name: 'resources',
        type: 'unsignedInt',
        min: 0,
        documentation:
          'The number of resources of the type when indexing began; only for clients that may see all of them',
      },
      {
        name: 'indexed',
        type: 'unsignedInt',
        min: 0,
        documentation: 'The number of resources that are indexed',
      },
      { name: 'reason', type: 'string', min: 0, documentation: 'The reason of the failure' },
    ],
  },
];

const REINDEX: Own = {
  code: 'reindex',
  name: 'Reindex',
  title: 'Index search parameters again',
  affectsState: true,
  description:
    "Completes the index of one or all of the tenant's own search parameters of this release. Indexing runs in the background; the response reports its progress, like $reindex-status. Searches can use the parameters that were searchable before.",
  resource: 'SearchParameter',
  system: true,
  parameters: PROGRESS,
};

const REINDEX_STATUS: Own = {
  code: 'reindex-status',
  name: 'ReindexStatus',
  title: 'Progress of the indexing of search parameters',
  affectsState: false,
  description:
    "Returns the progress of the indexing of one or all of the tenant's own search parameters of this release.",
  resource: 'SearchParameter',
  system: true,
  parameters: PROGRESS,
};

const PURGE: Own = {
  code: 'purge',
  name: 'Purge',
  title: 'Remove permanently',
  affectsState: true,
  description:
    'Permanently removes a resource with all its versions, from the database and from all caches. For a Patient, also removes the resources that are in its compartment and in no other patient compartment. Only for administrators. The operation can be repeated, even if the resource no longer exists.',
  resource: 'Resource',
  system: false,
  parameters: [
    {
      name: 'compartment',
      use: 'in',
      min: 0,
      max: '1',
      documentation:
        'True to also purge the resources of the compartment. Only a Patient can have this parameter as true; the default for a Patient is true',
      type: 'boolean',
    },
    {
      name: 'complete',
      use: 'out',
      min: 1,
      max: '1',
      documentation:
        'False if data is left, or if other requests wrote more data meanwhile; then repeat the operation',
      type: 'boolean',
    },
    {
      name: 'resources',
      use: 'out',
      min: 1,
      max: '1',
      documentation: 'The number of resources that were purged',
      type: 'unsignedInt',
    },
    {
      name: 'purged',
      use: 'out',
      min: 0,
      max: '*',
      documentation: 'The number of resources that were purged, by resource type',
      parts: [
        { name: 'type', type: 'code', min: 1, documentation: 'The resource type' },
        {
          name: 'resources',
          type: 'unsignedInt',
          min: 1,
          documentation: 'The number of resources of the type that were purged',
        },
      ],
    },
    {
      name: 'table',
      use: 'out',
      min: 0,
      max: '*',
      documentation: 'One entry for each table of the database that stores data of tenants',
      parts: [
        { name: 'name', type: 'string', min: 1, documentation: 'The name of the table' },
        {
          name: 'removed',
          type: 'unsignedInt',
          min: 1,
          documentation: 'The number of rows that were removed',
        },
        {
          name: 'left',
          type: 'unsignedInt',
          min: 1,
          documentation: 'The number of rows of the purged resources that still exist, counted at the end',
        },
        {
          name: 'mentions',
          type: 'unsignedInt',
          min: 1,
          documentation:
            'The number of rows of other resources that contain Type/id of the resource to purge, counted at the end',
        },
      ],
    },
    {
      name: 'processes',
      use: 'out',
      min: 1,
      max: '1',
      documentation: 'The number of server processes that have invalidated their caches',
      type: 'unsignedInt',
    },
    {
      name: 'silentProcesses',
      use: 'out',
      min: 1,
      max: '1',
      documentation:
        'The number of server processes without a heartbeat for 20 seconds; the operation did not wait for them',
      type: 'unsignedInt',
    },
    {
      name: 'cachedTexts',
      use: 'out',
      min: 0,
      max: '1',
      documentation:
        'The number of cached texts that were removed from Redis. Absent if Redis could not be reached; its entries then expire within a day',
      type: 'unsignedInt',
    },
    {
      name: 'kept',
      use: 'out',
      min: 1,
      max: '1',
      documentation: 'The number of resources that refer to the resource to purge and were not purged',
      type: 'unsignedInt',
    },
    {
      name: 'keptResource',
      use: 'out',
      min: 0,
      max: '*',
      documentation: 'The first of the resources that were not purged',
      parts: [
        { name: 'reference', type: 'uri', min: 1, documentation: 'Type/id' },
        {
          name: 'reason',
          type: 'code',
          min: 1,
          documentation:
            'shared: the resource is also in the compartment of another patient; elsewhere: its current version is not in the compartment; mentions: its type is in no patient compartment',
        },
      ],
    },
  ],
};

const OWN: readonly Own[] = [REINDEX, REINDEX_STATUS, PURGE];

/** Returns the definitions as they are stored, with ids such as `andiron-reindex`. */
export function ownOperationResources(): readonly (JsonObject & { readonly id: string })[] {
  return OWN.map(({ code, name, title, affectsState, description, resource, system, parameters }) => ({
    resourceType: 'OperationDefinition',
    id: `andiron-${code}`,
    url: `${BASE}/${code}`,
    version: OWN_OPERATIONS_VERSION,
    name,
    title,
    status: 'active',
    kind: 'operation',
    publisher: 'Andiron',
    description,
    affectsState,
    code,
    resource: [resource],
    system,
    type: false,
    instance: true,
    parameter: parameters.map(({ name: named, use, min, max, documentation, type, parts }): JsonObject => {
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
    }),
  }));
}

export const reindexDefinition: OperationDefinition = toDefinition(REINDEX);
export const reindexStatusDefinition: OperationDefinition = toDefinition(REINDEX_STATUS);
export const purgeDefinition: OperationDefinition = toDefinition(PURGE);

function toDefinition({ code, affectsState, resource, system, parameters }: Own): OperationDefinition {
  return {
    id: `andiron-${code}`,
    code,
    url: `${BASE}/${code}`,
    kind: 'operation',
    system,
    type: false,
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
