/** The interface of preparation, in this thread or another. */
import type { TenantSpace } from '../context';
import type { JsonDocument } from '../fhir/json';
import type { JsonOutline, OutlineLimits } from '../fhir/json/outline';
import type { CopyBudget, PathBudget } from '../fhir/patch';
import type { IdMode } from '../fhir/resource';
import type { Finding } from '../fhir/validate';
import type { IndexRows } from '../search/rows/index-rows';
import type { BundleTask, OpenBundle } from './bundle';
import type { PreparedVersion } from './prepare';
import type { ResourceInput } from '../api/resource-input';
import type { ValidationReport, ValidationTask } from '../operation-types/validation';

/** A resource from a client. */
export interface ResourceTask {
  readonly space: TenantSpace;
  readonly type: string;
  readonly id: string;
  readonly idMode: IdMode;
  readonly input: ResourceInput;
  /** The number of the version, if the input has a content that is stored apart: its address names it. Default 1. */
  readonly versionId?: number;
}

/** A JSON Patch or a FHIRPath Patch on a stored version. */
export interface PatchTask {
  readonly space: TenantSpace;
  readonly type: string;
  readonly id: string;
  /** The resource as a read returns it. */
  readonly current: string;
  readonly operations: ResourceInput;
  /** The budget for copies of a JSON Patch, if it is shared with other patches. */
  readonly copies?: CopyBudget;
  /** The budget for paths of a FHIRPath Patch, if it is not the default. */
  readonly paths?: PathBudget;
  /** True: the server itself changes the status of a Subscription. */
  readonly byServer?: boolean;
}

/** A request to recompute the index rows of a stored version; they are a function of its text. */
export interface RowsTask {
  readonly space: TenantSpace;
  readonly type: string;
  /** The text as it is stored. */
  readonly body: string;
}

/** The body of a request of another protocol, which may contain resources. */
export interface OutlineTask {
  readonly text: string;
  readonly limits: OutlineLimits;
}

/** Two complete versions of a resource. */
export interface DifferenceTask {
  readonly from: string;
  readonly to: string;
}

/** Prepares versions. Throws the errors of `prepareVersion`, the parser and the patch. */
export interface Preparer {
  resource(task: ResourceTask): Promise<PreparedVersion>;
  patch(task: PatchTask): Promise<PreparedVersion>;
  rows(task: RowsTask): Promise<IndexRows>;
  /** Validates the input of an operation as fully as the tenant's setting requires. */
  inspect(space: TenantSpace, input: JsonDocument): Promise<readonly Finding[]>;
  /** Runs $validate; throws the errors of the request itself. */
  validateOperation(task: ValidationTask): Promise<ValidationReport>;
  outline(task: OutlineTask): Promise<JsonOutline>;
  /** Returns the JSON Patch between two versions, as text. */
  difference(task: DifferenceTask): Promise<string>;
  /** Parses a batch or transaction; see `openBundle`. The result must be closed. */
  bundle(task: BundleTask): Promise<OpenBundle>;
}
