import type { TenantSpace } from '../context';
import { loadDefinitions } from '../fhir/definitions';
import { isJsonObject, parseJson, parseStoredObject, stringifyJson, type JsonDocument } from '../fhir/json';
import { outlineOf, type JsonOutline, type OutlineLimits } from '../fhir/json/outline';
import {
  applyFhirPathPatch,
  applyJsonPatch,
  differenceOf,
  dropGeneratedNarrative,
  isFhirPathPatch,
  type PatchLimits,
  type CopyBudget,
  type PathBudget,
} from '../fhir/patch';
import type { IdMode } from '../fhir/resource';
import type { Finding } from '../fhir/validate';
import type { IndexRows } from '../search/index-rows';
import type { Limits } from '../ports';
import { findInContent } from './content';
import { withoutEmptyList } from '../operations/parameters';
import { judgeResource, type ValidationReport, type ValidationTask } from './validation-report';
import { toDocument, type ResourceInput } from './resource-input';
import type { BundleTask, OpenBundle } from './bundle';
import { openBundle } from './open-bundle';
import { prepareVersion, type PreparationTools, type PreparedVersion } from './prepare';
import { refusalOf } from './refusal';

export type { ResourceInput } from './resource-input';

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

const STORED_DEPTH = { maxDepth: Number.MAX_SAFE_INTEGER };

/** The preparer of one thread. */
export function createPreparer(tools: PreparationTools, limits: Limits): Preparer {
  const preparer: Preparer = {
    async resource({ space, type, id, idMode, input }) {
      return prepareVersion(tools, { space, type, id, idMode, document: toDocument(input, limits) });
    },
    async patch({ space, type, id, current, operations, copies, paths }) {
      const before = parseJson(current, STORED_DEPTH);
      const patched = await applyPatch(tools, space, before, toDocument(operations, limits), {
        maxOperations: limits.maxPatchOperations,
        maxGrowthBytes: 2 * limits.maxBodyBytes,
        maxDepth: limits.maxDepth,
        ...(copies === undefined ? {} : { copies }),
        ...(paths === undefined ? {} : { paths }),
      });
      const document = dropGeneratedNarrative(before, patched);
      return prepareVersion(tools, { space, type, id, idMode: { id }, document });
    },
    async inspect(space, { value }) {
      if (!isJsonObject(value)) return [];
      const isFull = space.settings.validation === 'full';
      return findInContent(tools, space, withoutEmptyList(value), { isFull });
    },
    async judge(task) {
      const { input } = task.invocation;
      const document = input === undefined ? undefined : toDocument(input, limits);
      const stored = task.stored === undefined ? undefined : parseJson(task.stored, STORED_DEPTH);
      return judgeResource(tools, task, document, stored);
    },
    async outline({ text, limits }) {
      return outlineOf(parseJson(text, limits), limits.levels);
    },
    async difference({ from, to }) {
      const { value, marked } = differenceOf(parseJson(from, STORED_DEPTH), parseJson(to, STORED_DEPTH));
      return stringifyJson(value, marked);
    },
    rows({ space, type, body }) {
      return Promise.resolve(tools.extract(space, type, parseStoredObject(body)));
    },
    async bundle(task) {
      return openBundle(tools, preparer, limits, task);
    },
  };
  return preparer;
}

/** A FHIRPath Patch is a resource, and held to the structure of one; its content is judged where it ends up. */
async function applyPatch(
  tools: PreparationTools,
  space: TenantSpace,
  before: JsonDocument,
  patch: JsonDocument,
  limits: PatchLimits,
): Promise<JsonDocument> {
  if (!isFhirPathPatch(patch.value)) return applyJsonPatch(before, patch, limits);
  const parameters = withoutEmptyList(patch.value);
  const refusal = refusalOf(await findInContent(tools, space, parameters, { isFull: false }));
  if (refusal !== undefined) throw refusal;
  return applyFhirPathPatch(before, parameters, loadDefinitions(space.release), limits);
}
