/** Makes versions of what clients send, in this thread or another: what is asked and what is given. */
import type { TenantSpace } from '../context';
import type { JsonDocument } from '../fhir/json';
import type { JsonOutline, OutlineLimits } from '../fhir/json/outline';
import type { CopyBudget, PathBudget } from '../fhir/patch';
import type { IdMode } from '../fhir/resource';
import type { Finding } from '../fhir/validate';
import type { IndexRows } from '../search/index-rows';
import type { BundleTask, OpenBundle } from './bundle';
import type { PreparedVersion } from './prepare';
import type { ResourceInput } from './resource-input';
import type { ValidationReport, ValidationTask } from './validation-report';

/** A resource that a client sent. */
export interface ResourceTask {
  readonly space: TenantSpace;
  readonly type: string;
  readonly id: string;
  readonly idMode: IdMode;
  readonly input: ResourceInput;
}

/** A JSON Patch or a FHIRPath Patch on a stored version. */
export interface PatchTask {
  readonly space: TenantSpace;
  readonly type: string;
  readonly id: string;
  /** The resource as a read gives it. */
  readonly current: string;
  readonly operations: ResourceInput;
  /** What the copies of a JSON Patch may add, where it is shared with others. */
  readonly copies?: CopyBudget;
  /** What the paths of a FHIRPath Patch may cost, where it is another sum than usual. */
  readonly paths?: PathBudget;
}

/** The index rows of a stored version, worked out again: they are a function of its text. */
export interface RowsTask {
  readonly space: TenantSpace;
  readonly type: string;
  /** As it is stored. */
  readonly body: string;
}

/** The body of a request of another protocol, which may hold resources somewhere. */
export interface OutlineTask {
  readonly text: string;
  readonly limits: OutlineLimits;
}

/** Two versions of a resource, whole. */
export interface DifferenceTask {
  readonly from: string;
  readonly to: string;
}

/** Makes versions of what clients send. Throws what `prepareVersion`, the parser and the patch throw. */
export interface Preparer {
  resource(task: ResourceTask): Promise<PreparedVersion>;
  patch(task: PatchTask): Promise<PreparedVersion>;
  rows(task: RowsTask): Promise<IndexRows>;
  /** What is wrong with the input of an operation, as fully as the tenant wants to know. */
  inspect(space: TenantSpace, input: JsonDocument): Promise<readonly Finding[]>;
  /** What $validate answers; throws what is wrong with the question. */
  judge(task: ValidationTask): Promise<ValidationReport>;
  outline(task: OutlineTask): Promise<JsonOutline>;
  /** The JSON Patch between two versions, as text. */
  difference(task: DifferenceTask): Promise<string>;
  /** Parses a batch or transaction; see `openBundle`. To be closed. */
  bundle(task: BundleTask): Promise<OpenBundle>;
}
