/** Descriptions of the interactions for the OpenAPI document. */
import { INTERACTIONS, type Interaction } from '../interaction-names';

/** The description of an interaction. An unlisted interaction responds with 200 and a resource. */
export interface Description {
  readonly summary: string;
  /** Kind of the body, which determines its content types and schema. */
  readonly body?: 'resource' | 'patch' | 'form' | 'parameters' | 'bundle' | 'graphql';
  readonly answers?: Readonly<Record<string, string>>;
  readonly schema?: 'Bundle' | 'Resource' | 'OperationOutcome' | 'Document';
  readonly headers?: readonly string[];
  readonly isSearch?: boolean;
  /** True: search parameters in the address select the resource. */
  readonly hasCriteria?: boolean;
  /** True: `_summary` and `_elements` reduce its response. */
  readonly hasParts?: boolean;
}

const WRITE_HEADERS = ['IfMatch', 'Prefer', 'XProvenance'];
const READ = {
  '200': 'The resource',
  '304': 'The client has this version',
  '404': 'Does not exist',
  '410': 'Deleted',
};
const SEARCH: Description = {
  summary: 'Search',
  schema: 'Bundle',
  headers: ['Prefer'],
  isSearch: true,
  answers: { '200': 'A page of matches', '202': 'Accepted; Content-Location has the address of the result' },
};
const SEARCH_BY_POST: Description = { ...SEARCH, body: 'form' };
const HISTORY: Description = { summary: 'History', schema: 'Bundle', hasParts: true };
const EXPORT: Description = {
  summary: 'Export of bulk data',
  schema: 'OperationOutcome',
  headers: ['Prefer'],
  answers: { '202': 'Accepted; Content-Location has the address of the state' },
};
const EXPORT_BY_POST: Description = { ...EXPORT, body: 'parameters' };
const INVOKE: Description = { summary: 'Operation' };
const GRAPHQL: Description = {
  summary: 'GraphQL: query',
  schema: 'Document',
  headers: ['query', 'variables', 'operationName'],
  answers: { '200': 'data, and errors where there are any' },
};
const GRAPHQL_BY_POST: Description = { ...GRAPHQL, summary: 'GraphQL', headers: [], body: 'graphql' };

export const DESCRIPTIONS = new Map<Interaction, Description>([
  [
    INTERACTIONS.capabilities,
    { summary: 'Capabilities of this server', answers: { '200': 'The statement', '304': 'Unchanged' } },
  ],
  [
    INTERACTIONS.openapi,
    { summary: 'This document', schema: 'Document', answers: { '200': 'The document', '304': 'Unchanged' } },
  ],
  [
    INTERACTIONS.smartConfiguration,
    { summary: 'How to get a token', schema: 'Document', answers: { '200': 'The document' } },
  ],
  [
    INTERACTIONS.read,
    { summary: 'Read', answers: READ, headers: ['IfNoneMatch', 'IfModifiedSince'], hasParts: true },
  ],
  [
    INTERACTIONS.vread,
    { summary: 'Read a version', answers: READ, headers: ['IfNoneMatch'], hasParts: true },
  ],
  [
    INTERACTIONS.create,
    {
      summary: 'Create',
      body: 'resource',
      answers: {
        '200': 'A resource already meets If-None-Exist',
        '201': 'Created',
        '412': 'Several meet it',
      },
      headers: ['IfNoneExist', 'Prefer', 'XProvenance'],
    },
  ],
  [
    INTERACTIONS.update,
    {
      summary: 'Update, or create with this id',
      body: 'resource',
      answers: { '200': 'Updated', '201': 'Created', '412': 'Not the current version' },
      headers: WRITE_HEADERS,
    },
  ],
  [
    INTERACTIONS.patch,
    {
      summary: 'Patch',
      body: 'patch',
      answers: { '200': 'Patched', '412': 'Not the current version' },
      headers: WRITE_HEADERS,
    },
  ],
  [
    INTERACTIONS.delete,
    {
      summary: 'Delete',
      schema: 'OperationOutcome',
      answers: { '200': 'Deleted', '204': 'Deleted, without a body' },
      headers: WRITE_HEADERS,
    },
  ],
  [
    INTERACTIONS.conditionalUpdate,
    {
      summary: 'Update the resource that meets the criteria, or create one',
      body: 'resource',
      answers: { '200': 'Updated', '201': 'Created', '412': 'Several meet them, or not this version' },
      headers: WRITE_HEADERS,
      hasCriteria: true,
    },
  ],
  [
    INTERACTIONS.conditionalPatch,
    {
      summary: 'Patch the resource that meets the criteria',
      body: 'patch',
      answers: { '200': 'Patched', '412': 'Several meet them, or not this version' },
      headers: WRITE_HEADERS,
      hasCriteria: true,
    },
  ],
  [
    INTERACTIONS.conditionalDelete,
    {
      summary: 'Delete the resources that meet the criteria',
      schema: 'OperationOutcome',
      answers: { '200': 'Deleted', '204': 'Deleted, without a body', '412': 'Several meet them' },
      headers: WRITE_HEADERS,
      hasCriteria: true,
    },
  ],
  [INTERACTIONS.searchType, SEARCH],
  [INTERACTIONS.searchTypeByPost, SEARCH_BY_POST],
  [INTERACTIONS.searchSystem, SEARCH],
  [INTERACTIONS.searchSystemByPost, SEARCH_BY_POST],
  [INTERACTIONS.searchCompartment, SEARCH],
  [INTERACTIONS.searchCompartmentByPost, SEARCH_BY_POST],
  [INTERACTIONS.searchCompartmentTypeByPost, SEARCH_BY_POST],
  [INTERACTIONS.historyInstance, HISTORY],
  [INTERACTIONS.historyType, HISTORY],
  [INTERACTIONS.historySystem, HISTORY],
  [
    INTERACTIONS.bundle,
    { summary: 'Batch or transaction', body: 'bundle', schema: 'Bundle', headers: ['Prefer'] },
  ],
  [INTERACTIONS.graphqlSystem, GRAPHQL],
  [INTERACTIONS.graphqlSystemByPost, GRAPHQL_BY_POST],
  [INTERACTIONS.graphqlInstance, GRAPHQL],
  [INTERACTIONS.graphqlInstanceByPost, GRAPHQL_BY_POST],
  [INTERACTIONS.operationSystem, INVOKE],
  [INTERACTIONS.operationType, INVOKE],
  [INTERACTIONS.operationInstance, INVOKE],
  [INTERACTIONS.exportSystem, EXPORT],
  [INTERACTIONS.exportSystemByPost, EXPORT_BY_POST],
  [INTERACTIONS.exportPatients, EXPORT],
  [INTERACTIONS.exportPatientsByPost, EXPORT_BY_POST],
  [INTERACTIONS.exportGroup, EXPORT],
  [INTERACTIONS.exportGroupByPost, EXPORT_BY_POST],
  [
    INTERACTIONS.bulkStatus,
    {
      summary: 'State of an export or import of bulk data',
      schema: 'Document',
      answers: { '200': 'The manifest or result', '202': 'Not done yet' },
    },
  ],
  [
    INTERACTIONS.bulkCancel,
    {
      summary: 'Cancel an export or import of bulk data, or remove its files',
      schema: 'OperationOutcome',
      answers: { '202': 'Cancelled' },
    },
  ],
  [
    INTERACTIONS.bulkFile,
    {
      summary: 'A file of an export of bulk data, or the errors of an import',
      schema: 'Document',
      answers: { '200': 'The lines' },
    },
  ],
  [
    INTERACTIONS.startImport,
    {
      summary: 'Import NDJSON: the lines, files of them, or a manifest with their addresses',
      schema: 'OperationOutcome',
      answers: { '202': 'Accepted; Content-Location has the address of its state' },
      headers: ['Prefer'],
    },
  ],
  [
    INTERACTIONS.importCodeSystem,
    {
      summary: 'Import a large code system from a file at an address',
      body: 'resource',
      schema: 'OperationOutcome',
      answers: { '202': 'Accepted; Content-Location has the address of its state' },
      headers: ['Prefer'],
    },
  ],
  [
    INTERACTIONS.asyncStatus,
    {
      summary: 'Status or result of an asynchronous request',
      answers: { '200': 'The result', '202': 'Not done yet' },
    },
  ],
  [
    INTERACTIONS.asyncCancel,
    {
      summary: 'Cancel an asynchronous request',
      schema: 'OperationOutcome',
      answers: { '202': 'Cancelled' },
    },
  ],
]);
