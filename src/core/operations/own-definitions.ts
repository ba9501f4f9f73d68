/** OperationDefinitions of this program, for operations that FHIR does not define; stored among the base resources. */
import { type OperationDefinition, type OperationParameter } from '../fhir/definitions';
import { type JsonObject } from '../fhir/json';

const BASE = 'https://andiron.example/fhir/OperationDefinition';
/** Must be raised with each change: servers then reload the base resources. */
export const OWN_OPERATIONS_VERSION = '2';

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
    documentation: 'in-progress while any of them is, else failed if any has, else completed',
    type: 'code',
  },
  {
    name: 'searchParameter',
    use: 'out',
    min: 0,
    max: '*',
    documentation: 'One for each resource type that one of them is searched in',
    parts: [
      { name: 'reference', type: 'uri', min: 1, documentation: 'SearchParameter/id' },
      { name: 'url', type: 'uri', min: 1, documentation: 'Its canonical url' },
      { name: 'type', type: 'code', min: 1, documentation: 'The resource type that it is searched in' },
      { name: 'code', type: 'code', min: 1, documentation: 'Its name in searches' },
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
        documentation: 'Whether it can be searched by: false until it was complete for the first time',
      },
      {
        name: 'resources',
        type: 'unsignedInt',
        min: 0,
        documentation: 'Resources of the type when the work began, for clients that may see all of them',
      },
      { name: 'indexed', type: 'unsignedInt', min: 0, documentation: 'How many of them are done' },
      { name: 'reason', type: 'string', min: 0, documentation: 'Why it failed' },
    ],
  },
];

const REINDEX: Own = {
  code: 'reindex',
  name: 'Reindex',
  title: 'Index search parameters again',
  affectsState: true,
  description:
    "Has the index of the tenant's own search parameters of this release, or of one of them, made again where something is missing. The work goes on in the background; the answer says how far it is, as $reindex-status does. What could be searched by before can be meanwhile.",
  resource: 'SearchParameter',
  system: true,
  parameters: PROGRESS,
};

const REINDEX_STATUS: Own = {
  code: 'reindex-status',
  name: 'ReindexStatus',
  title: 'How far the indexing of search parameters is',
  affectsState: false,
  description:
    "How far the indexing of the tenant's own search parameters of this release is, or of one of them.",
  resource: 'SearchParameter',
  system: true,
  parameters: PROGRESS,
};

const PURGE: Own = {
  code: 'purge',
  name: 'Purge',
  title: 'Remove for ever',
  affectsState: true,
  description:
    'Removes a resource with all its versions and whatever is remembered of them, for ever; of a Patient also all that is in its compartment and in that of no other patient. For administrators. It may be asked for again, also where the resource is not there any more.',
  resource: 'Resource',
  system: false,
  parameters: [
    {
      name: 'compartment',
      use: 'in',
      min: 0,
      max: '1',
      documentation:
        'Whether all that is in the compartment goes too: true unless it is said otherwise of a Patient, and of no other type',
      type: 'boolean',
    },
    {
      name: 'complete',
      use: 'out',
      min: 1,
      max: '1',
      documentation: 'False: something is left, or others made more of it meanwhile; ask again',
      type: 'boolean',
    },
    {
      name: 'resources',
      use: 'out',
      min: 1,
      max: '1',
      documentation: 'Resources that were purged',
      type: 'unsignedInt',
    },
    {
      name: 'purged',
      use: 'out',
      min: 0,
      max: '*',
      documentation: 'The same for each resource type',
      parts: [
        { name: 'type', type: 'code', min: 1, documentation: 'The resource type' },
        { name: 'resources', type: 'unsignedInt', min: 1, documentation: 'Resources of it that were purged' },
      ],
    },
    {
      name: 'table',
      use: 'out',
      min: 0,
      max: '*',
      documentation: 'One for each table of the database that keeps something of tenants',
      parts: [
        { name: 'name', type: 'string', min: 1, documentation: 'Its name' },
        { name: 'removed', type: 'unsignedInt', min: 1, documentation: 'Rows that were removed' },
        {
          name: 'left',
          type: 'unsignedInt',
          min: 1,
          documentation: 'Rows of what was purged, counted at the end',
        },
        {
          name: 'mentions',
          type: 'unsignedInt',
          min: 1,
          documentation:
            'Rows of others in which Type/id of what was asked to be purged stands, counted at the end',
        },
      ],
    },
    {
      name: 'processes',
      use: 'out',
      min: 1,
      max: '1',
      documentation: 'Server processes that have forgotten what they remembered',
      type: 'unsignedInt',
    },
    {
      name: 'silentProcesses',
      use: 'out',
      min: 1,
      max: '1',
      documentation: 'Server processes that gave no sign of life for 20 seconds and were not waited for',
      type: 'unsignedInt',
    },
    {
      name: 'cachedTexts',
      use: 'out',
      min: 0,
      max: '1',
      documentation:
        'Texts that were removed from Redis; absent where it could not be reached: what it holds, it holds for a day at most',
      type: 'unsignedInt',
    },
    {
      name: 'kept',
      use: 'out',
      min: 1,
      max: '1',
      documentation: 'Resources that mention what was asked to be purged and were kept',
      type: 'unsignedInt',
    },
    {
      name: 'keptResource',
      use: 'out',
      min: 0,
      max: '*',
      documentation: 'The first of them',
      parts: [
        { name: 'reference', type: 'uri', min: 1, documentation: 'Type/id' },
        {
          name: 'reason',
          type: 'code',
          min: 1,
          documentation:
            'shared: it is in the compartment of another patient too; elsewhere: it is not in the compartment now; mentions: its type is in no compartment of patients',
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
