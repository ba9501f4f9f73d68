/** The tables for kysely, with the names of migrations/. 64-bit keys are passed as text. */
export interface Tables {
  'andiron.installation': {
    only_row: boolean;
    id: string;
    hash_key: Buffer;
    cursor_key: Buffer;
    definitions_digest: string | null;
  };
  'andiron.tenant': {
    number: number;
    name: string;
    status: 'active' | 'disabled' | 'importing' | 'deleting';
    display: string | null;
    created: Date;
    settings: Record<string, string>;
    policies: object;
  };
  'andiron.space': {
    number: number;
    tenant: number | null;
    release: string;
    kind: 'data' | 'audit';
    counter: number | null;
  };
  'andiron.space_state': {
    space: number;
    rows_made_with: string[];
    last_parameter: number;
    unversioned_changes: number;
    purged_to: number;
  };
  'andiron.erasure': { number: string; spaces: number[]; made: Date };
  'andiron.server_process': { id: string; beat: Date; forgotten: string };
  'andiron.change_counter': { tenant: number; last_sequence: number; search_parameters: number };
  'andiron.access_record': {
    space: number;
    batch: string;
    records: number;
    accesses: string;
  };
  'andiron.search_parameter': {
    space: number;
    number: number;
    resource_type: number;
    slot: number;
    code: string;
    url: string;
    owner: string;
    state: 'indexing' | 'active' | 'removing' | 'failed';
    pending: boolean;
    changed: Date;
    after_key: string | null;
    resources: number;
    indexed: number;
    failure: string | null;
    definition: object;
  };
  'andiron.resource': {
    space: number;
    resource_type: number;
    deleted: boolean;
    resource_key: string;
    last_updated: number;
    sort_date: string;
    version: number;
    id: string | null;
    presence: Buffer;
    target_keys: string[];
  };
  'andiron.content': {
    space: number;
    id: string;
    store: 'database' | 'folder' | 'bucket';
    size: number | null;
    digest: Buffer | null;
    beat: Date;
    dead: boolean;
    resource_type: number | null;
    resource_key: string | null;
    version: number | null;
    job: string | null;
    file: string | null;
  };
  'andiron.content_chunk': { space: number; content: string; number: number; bytes: Buffer };
  'andiron.content_removal': { of_space: number; store: string; object: string; due: Date; again: boolean };
  'andiron.unopened_reference': {
    space: number;
    resource_type: number;
    resource_key: string;
    version: number;
    target_type: number;
    target_key: string;
  };
  'andiron.resource_version': {
    space: number;
    version: number;
    resource_key: string;
    last_updated: number;
    sequence: number;
    meta_offset: number;
    resource_type: number;
    change: number;
    id: string | null;
    author: string | null;
    body: string | null;
  };
}
