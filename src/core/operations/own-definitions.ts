/** OperationDefinitions of this program, for operations that FHIR does not define; stored among the base resources. */
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
