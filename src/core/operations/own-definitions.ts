/** OperationDefinitions of our own, for what FHIR has no operation for; stored among the base resources. */
import { type OperationDefinition, type OperationParameter } from '../fhir/definitions';
import { type JsonObject } from '../fhir/json';

const BASE = 'https://andiron.example/fhir/OperationDefinition';
/** Raised with each change: servers then make the base resources anew. */
export const OWN_OPERATIONS_VERSION = '1';

interface Part {
  readonly name: string;
  readonly type: string;
  readonly min: 0 | 1;
  readonly documentation: string;
}

const PARTS: readonly Part[] = [
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
    min: 1,
    documentation: 'Resources of the type when the work began',
  },
  { name: 'indexed', type: 'unsignedInt', min: 1, documentation: 'How many of them are done' },
  { name: 'reason', type: 'string', min: 0, documentation: 'Why it failed' },
];

const STATUS_PARAMETER: JsonObject = {
  name: 'status',
  use: 'out',
  min: 1,
  max: '1',
  documentation: 'in-progress while any of them is, else failed if any has, else completed',
  type: 'code',
};

const EACH_PARAMETER: JsonObject = {
  name: 'searchParameter',
  use: 'out',
  min: 0,
  max: '*',
  documentation: 'One for each resource type that one of them is searched in',
  part: PARTS.map((part): JsonObject => ({ ...part, use: 'out', max: '1' })),
};

interface Own {
  readonly code: string;
  readonly name: string;
  readonly title: string;
  readonly affectsState: boolean;
  readonly description: string;
}

const REINDEX: Own = {
  code: 'reindex',
  name: 'Reindex',
  title: 'Index search parameters again',
  affectsState: true,
  description:
    "Has the index of the tenant's own search parameters of this release, or of one of them, made again where something is missing. The work goes on in the background; the answer says how far it is, as $reindex-status does. What could be searched by before can be meanwhile.",
};

const REINDEX_STATUS: Own = {
  code: 'reindex-status',
  name: 'ReindexStatus',
  title: 'How far the indexing of search parameters is',
  affectsState: false,
  description:
    "How far the indexing of the tenant's own search parameters of this release is, or of one of them.",
};

const OWN: readonly Own[] = [REINDEX, REINDEX_STATUS];

/** As they are stored, under the ids `andiron-reindex` and `andiron-reindex-status`. */
export function ownOperationResources(): readonly (JsonObject & { readonly id: string })[] {
  return OWN.map(({ code, name, title, affectsState, description }) => ({
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
    resource: ['SearchParameter'],
    system: true,
    type: false,
    instance: true,
    parameter: [STATUS_PARAMETER, EACH_PARAMETER],
  }));
}

export const reindexDefinition: OperationDefinition = toDefinition(REINDEX);
export const reindexStatusDefinition: OperationDefinition = toDefinition(REINDEX_STATUS);

function toDefinition({ code, affectsState }: Own): OperationDefinition {
  const parts = PARTS.map(({ name, type, min }): OperationParameter => {
    return { name, use: 'out', min, max: 1, type, parts: [] };
  });
  return {
    id: `andiron-${code}`,
    code,
    url: `${BASE}/${code}`,
    kind: 'operation',
    system: true,
    type: false,
    instance: true,
    resources: ['SearchParameter'],
    affectsState,
    parameters: [
      { name: 'status', use: 'out', min: 1, max: 1, type: 'code', parts: [] },
      { name: 'searchParameter', use: 'out', min: 0, max: Infinity, parts },
    ],
  };
}
