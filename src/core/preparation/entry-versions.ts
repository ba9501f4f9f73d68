import { turns } from '../concurrency/turns';
import { FhirError, type Issue } from '../errors';
import { findUrns, Links, rewriteLinks, type LinkTarget } from '../fhir/bundle/links';
import { rewritePatch } from '../fhir/bundle/patch-links';
import type { TenantSpace } from '../context';
import { loadDefinitions } from '../fhir/definitions';
import type { JsonObject } from '../fhir/json';
import type { CopyBudget, PathBudget } from '../fhir/patch';
import { identifyingValues } from '../search/requests/identifying-values';
import { encodeWrites, NO_ROWS, type VersionWrite } from '../storage/write/version-write';
import type {
  BundleLimits,
  EncodedWrites,
  EntryVersion,
  OutlinedEntry,
  PreparedEntry,
  PreparedVersions,
  RefusedEntry,
  VersionsTask,
} from './bundle';
import { readPatch } from './entry-patch';
import { inEntry, MOST_ISSUES, throwRefusals } from './entry-refusal';
import { prepareVersion, type PreparationTools, type PreparedVersion } from './prepare';
import type { Preparer } from './preparer';

/** An open Bundle. */
export interface OpenedBundle {
  readonly tools: PreparationTools;
  readonly preparer: Pick<Preparer, 'patch' | 'rows'>;
  readonly limits: BundleLimits;
  readonly marked: boolean;
  readonly resources: ReadonlyMap<number, JsonObject>;
  readonly outlined: readonly (OutlinedEntry | RefusedEntry)[];
  /** Shared by all JSON Patches of the Bundle. */
  readonly copies: CopyBudget;
  /** Shared by all FHIRPath Patches of the Bundle. */
  readonly paths: PathBudget;
}

/** Entries that are prepared concurrently; their database reads are batched. */
const AT_ONCE = 256;

/**
 * Makes the versions of a transaction's entries, as `OpenBundle.prepare`. Cost: that of a single write for each
 * entry; their database reads are batched.
 */
export async function prepareVersions(bundle: OpenedBundle, task: VersionsTask): Promise<PreparedVersions> {
  const references = bundle.tools.references(task.space);
  const links = new Links(targetsOf(bundle, task), references, new Map(task.conditional));
  const entries: PreparedEntry[] = [];
  const refused: RefusedEntry[] = [];
  const writer = new ChunkWriter(task.space.number);
  for (let start = 0; start < task.versions.length; start += AT_ONCE) {
    const slice = task.versions.slice(start, start + AT_ONCE);
    const prepare = async (version: EntryVersion): Promise<Outcome | RefusedEntry> => {
      await turns.take();
      return prepareEntry(bundle, task, version, links);
    };
    const outcomes = await Promise.all(slice.map(prepare));
    for (const outcome of outcomes) {
      if ('refusal' in outcome) {
        refused.push(outcome);
        continue;
      }
      const { write, prepared, index, member, identifying } = outcome;
      if (refused.length === 0 && prepared?.changesNothing !== true) writer.add(write, member);
      if (prepared === undefined) continue;
      const { text, metaOffset, warnings, pairs, subscription, targets, changesNothing } = prepared;
      const more = {
        ...(pairs === undefined ? {} : { pairs }),
        ...(subscription === undefined ? {} : { subscription }),
        ...(targets === undefined ? {} : { targets }),
        ...(changesNothing === undefined ? {} : { changesNothing }),
        ...(identifying === undefined ? {} : { identifying }),
      };
      entries.push({ index, member, text, metaOffset, warnings, ...more });
    }
    if (refused.length >= MOST_ISSUES) break;
  }
  throwRefusals(refused);
  return { entries, writes: writer.finish() };
}

/** Returns the targets of the entries' fullUrls. */
function* targetsOf({ outlined }: OpenedBundle, { targets, versionIds }: VersionsTask): Iterable<LinkTarget> {
  for (const [index, reference] of targets) {
    const entry = outlined[index];
    if (entry === undefined || 'refusal' in entry || entry.fullUrl === undefined) continue;
    const { fullUrl, isCanonical } = entry;
    yield { fullUrl, reference, version: versionIds.get(index), isCanonical };
  }
}

interface Outcome {
  readonly index: number;
  readonly member: number;
  readonly write: VersionWrite;
  readonly prepared: PreparedVersion | undefined;
  readonly identifying?: readonly string[];
}

async function prepareEntry(
  bundle: OpenedBundle,
  { space, author }: VersionsTask,
  version: EntryVersion,
  links: Links,
): Promise<Outcome | RefusedEntry> {
  const { index, member, type, change, replaced } = version;
  try {
    const prepared = change === 'delete' ? undefined : await prepareResource(bundle, space, version, links);
    const write: VersionWrite = {
      type: version.typeNumber,
      key: version.key,
      id: version.storedId,
      expected: version.expected,
      change,
      body: prepared?.text ?? null,
      metaOffset: prepared?.metaOffset ?? 0,
      author,
      rows: prepared?.rows ?? NO_ROWS,
      ...(version.expected === 0
        ? {}
        : {
            replaced:
              replaced === undefined ? NO_ROWS : await bundle.preparer.rows({ space, type, body: replaced }),
          }),
    };
    if (prepared === undefined || !version.isUnderCondition) return { index, member, write, prepared };
    const { definitions } = bundle.tools.searchContext(space);
    return {
      index,
      member,
      write,
      prepared,
      identifying: identifyingValues(definitions, type, prepared.rows),
    };
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    return { index, refusal: { key: error.key, issues: inEntry(error.issues, index, type) } };
  }
}

async function prepareResource(
  bundle: OpenedBundle,
  space: TenantSpace,
  { index, type, id, idMode, current }: EntryVersion,
  links: Links,
): Promise<PreparedVersion> {
  const { tools, preparer, limits, marked } = bundle;
  const definitions = loadDefinitions(space.release);
  const resource = bundle.resources.get(index) ?? {};
  if (current !== undefined) {
    const operations = rewritePatch(readPatch(resource, limits, marked), links, definitions);
    const { copies, paths } = bundle;
    return preparer.patch({ space, type, id, current, operations, copies, paths });
  }
  const entry = bundle.outlined[index];
  const fullUrl = entry === undefined || 'refusal' in entry ? undefined : entry.fullUrl;
  const value = rewriteLinks(resource, fullUrl, links, definitions);
  const prepared = await prepareVersion(tools, { space, type, id, idMode, document: { value, marked } });
  const dangling = danglingReferences(value);
  return dangling.length === 0 ? prepared : { ...prepared, warnings: [...prepared.warnings, ...dangling] };
}

/** Warnings for the urn references that are left after the links between the entries were replaced. */
function danglingReferences(resource: JsonObject): readonly Issue[] {
  return findUrns(resource, MOST_ISSUES).map(({ reference, expression }) => ({
    severity: 'warning',
    code: 'not-found',
    diagnostics: `No entry of this transaction has the fullUrl '${reference}', so the target of this reference does not exist`,
    expression,
  }));
}

/**
 * Limit on the versions in one statement, because the statement reads each text by a scan from the start of an array.
 */
const CHUNK_MEMBERS = 500;
/** Limit on the total length of the texts in one statement, in characters. */
const CHUNK_SIZE = 2 * 1024 * 1024;

/**
 * Combines writes into statements of bounded size. New and replaced resources are separate, because new ones alone
 * are faster.
 */
class ChunkWriter {
  private readonly chunks: EncodedWrites[] = [];
  private writes: VersionWrite[] = [];
  private members: number[] = [];
  private size = 0;

  constructor(private readonly space: number) {}

  add(write: VersionWrite, member: number): void {
    const size = write.body?.length ?? 0;
    const [first] = this.writes;
    const isOther = first !== undefined && (first.expected === 0) !== (write.expected === 0);
    if (isOther || this.writes.length >= CHUNK_MEMBERS || this.size + size > CHUNK_SIZE) this.close();
    this.writes.push(write);
    this.members.push(member);
    this.size += size;
  }

  finish(): readonly EncodedWrites[] {
    this.close();
    return this.chunks;
  }

  private close(): void {
    if (this.writes.length === 0) return;
    this.chunks.push({ members: this.members, bound: encodeWrites(this.space, this.writes) });
    this.writes = [];
    this.members = [];
    this.size = 0;
  }
}
