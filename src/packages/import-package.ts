/** Loads the package of an implementation guide into a tenant, through core like any write. */
import {
  parseJson,
  RELEASE_NAMES,
  RELEASES,
  type Core,
  type JsonDocument,
  type JsonObject,
  type JsonValue,
  type Log,
  type Release,
  type RequestContext,
} from '../core';
import { isOfSpecification, missingPackages } from './dependencies';
import { isObject } from './members';
import { PackageError, type PackageFile, type PackageManifest } from './package-file';
import {
  inOrderOfNeed,
  readResources,
  reasonOf,
  type PackageResource,
  type Refusal,
} from './package-resource';
import { isSameContent, isWrittenBy } from './stored-content';

export interface ImportOptions {
  readonly tenant: string;
  /** Undefined: the one that the package is for. */
  readonly release?: Release;
  /** Whether what lies in its folder `example` is loaded too. */
  readonly withExamples: boolean;
  /** Of the server's own extensions in `meta`. */
  readonly extensionBase: string;
  readonly maxDepth: number;
  readonly log: Log;
}

/** What became of the resources of one type. */
export interface TypeCount {
  stored: number;
  unchanged: number;
}

export interface ImportSummary {
  readonly manifest: PackageManifest;
  readonly release: Release;
  readonly counts: ReadonlyMap<string, TypeCount>;
  /** StructureDefinitions that came without a snapshot and got one. */
  readonly snapshots: number;
  /** Those that none can be made for, by file, and why. */
  readonly withoutSnapshot: readonly Refusal[];
  /** Examples that were not asked for. */
  readonly examplesLeftOut: number;
  /** Packages that this one needs and the tenant does not have: `hl7.terminology.r4 6.5.0`. */
  readonly missing: readonly string[];
  /** What was not stored, by file, and why. */
  readonly refused: readonly Refusal[];
}

/** Whom stored versions name as their author. */
const ACTOR = 'import-package';
/** Enough that the writes of one moment share a statement. */
const IN_FLIGHT = 32;
const PATIENCE_MS = 120_000;

/**
 * Stores the resources of the package under their own ids; what is there already in the same words stays as it is, so
 * that a second import writes nothing. A resource of somebody else under the same id (another url, or none and another
 * author) is not replaced. Throws PackageError when the package does not fit the release or there is no such tenant, and
 * whatever hinders all writes.
 */
export async function importPackage(
  core: Core,
  file: PackageFile,
  options: ImportOptions,
): Promise<ImportSummary> {
  const { manifest, entries } = file;
  const release = chooseRelease(manifest, options.release);
  const space = await core.findSpace(options.tenant, release);
  if (space === undefined) throw new PackageError(`There is no tenant '${options.tenant}'`);
  const context = { space, actor: ACTOR, deadline: 0, requestId: ACTOR, log: options.log };
  const wanted = entries.filter(({ isExample }) => options.withExamples || !isExample);
  const { resources, refused } = readResources(
    wanted,
    new Set(core.resourceTypes(release)),
    options.maxDepth,
  );
  const missing = await missingPackages(core, inTime(context), manifest);
  const work = new Import(core, context, options);
  await work.storeAll(resources);
  return {
    manifest,
    release,
    counts: new Map([...work.counts].sort(([one], [other]) => (one < other ? -1 : 1))),
    snapshots: work.snapshots,
    withoutSnapshot: work.withoutSnapshot,
    examplesLeftOut: entries.length - wanted.length,
    missing,
    refused: [...refused, ...work.refused],
  };
}

function chooseRelease(
  { name, version, fhirVersions }: PackageManifest,
  asked: Release | undefined,
): Release {
  if (isOfSpecification(name)) {
    throw new PackageError(`${name} is part of FHIR itself, whose definitions every tenant has already`);
  }
  const served = RELEASE_NAMES.map((release) => RELEASES[release]);
  const fits = (mimeVersion: string) => fhirVersions.some((each) => `${each}.`.startsWith(`${mimeVersion}.`));
  if (asked !== undefined && (fhirVersions.length === 0 || fits(RELEASES[asked].mimeVersion))) return asked;
  const fitting = served.find(({ mimeVersion }) => fits(mimeVersion));
  if (asked === undefined && fitting !== undefined) return fitting.name;
  if (fhirVersions.length === 0) {
    throw new PackageError(
      `${name} ${version} does not say for which FHIR version it is; say so with --release`,
    );
  }
  const known = served.map((each) => `${each.name} (${each.fhirVersion})`).join(' and ');
  const wanted =
    asked === undefined ? `, served are ${known}` : `, not for ${asked} (${RELEASES[asked].fhirVersion})`;
  throw new PackageError(`${name} ${version} is for FHIR ${fhirVersions.join(', ')}${wanted}`);
}

class Import {
  readonly counts = new Map<string, TypeCount>();
  readonly refused: Refusal[] = [];
  readonly withoutSnapshot: Refusal[] = [];
  snapshots = 0;

  constructor(
    private readonly core: Core,
    private readonly context: RequestContext,
    private readonly options: ImportOptions,
  ) {}

  /**
   * Definitions before examples, which may claim to conform to them; profiles that need a snapshot after all that theirs
   * may rest on; and last the ImplementationGuide, which says that the package is here.
   */
  async storeAll(resources: readonly PackageResource[]): Promise<void> {
    const isGuide = ({ type, isExample }: PackageResource) => type === 'ImplementationGuide' && !isExample;
    const needsSnapshot = ({ type, resource }: PackageResource) =>
      type === 'StructureDefinition' && resource['snapshot'] === undefined;
    const ready = resources.filter((each) => !isGuide(each) && !needsSnapshot(each));
    await this.storeTogether(ready.filter(({ isExample }) => !isExample));
    for (const each of inOrderOfNeed(resources.filter(needsSnapshot))) await this.storeWithSnapshot(each);
    await this.storeTogether(ready.filter(({ isExample }) => isExample));
    await this.storeTogether(resources.filter(isGuide));
  }

  private async storeTogether(resources: readonly PackageResource[]): Promise<void> {
    let next = 0;
    const work = async (): Promise<void> => {
      for (let each = resources[next++]; each !== undefined; each = resources[next++]) await this.store(each);
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  }

  /** Where no snapshot can be made, the StructureDefinition is stored as it came. */
  private async storeWithSnapshot(each: PackageResource): Promise<void> {
    let document: JsonDocument;
    try {
      const result = await this.core.invoke(inTime(this.context), {
        level: 'type',
        type: 'StructureDefinition',
        code: 'snapshot',
        input: each.document,
        safe: false,
      });
      if (!('text' in result)) throw new Error('$snapshot gave no resource');
      document = parseJson(result.text, { maxDepth: this.options.maxDepth });
    } catch (error) {
      this.withoutSnapshot.push({ file: each.file, reason: reasonOf(error) });
      await this.store(each);
      return;
    }
    const resource = document.value;
    if (!isObject(resource)) throw new Error('$snapshot gave no resource');
    if (await this.store({ ...each, document, resource })) this.snapshots += 1;
  }

  /** True when it was written. */
  private async store({ file, type, id, document, resource }: PackageResource): Promise<boolean> {
    try {
      const present = await this.core.find(inTime(this.context), type, id);
      if (present !== undefined) {
        const stored = parseJson(present.text, { maxDepth: Number.MAX_SAFE_INTEGER }).value;
        if (isSameContent(stored, resource, this.options.extensionBase)) {
          this.countOf(type).unchanged += 1;
          return false;
        }
        const obstacle = whyNotReplaced(stored, resource, this.options.extensionBase);
        if (obstacle !== undefined) {
          this.refused.push({ file, reason: `there is another ${type}/${id} already, ${obstacle}` });
          return false;
        }
      }
      await this.core.update(inTime(this.context), type, id, document);
      this.countOf(type).stored += 1;
      return true;
    } catch (error) {
      this.refused.push({ file, reason: reasonOf(error) });
      return false;
    }
  }

  private countOf(type: string): TypeCount {
    let count = this.counts.get(type);
    if (count === undefined) this.counts.set(type, (count = { stored: 0, unchanged: 0 }));
    return count;
  }
}

function inTime(context: RequestContext): RequestContext {
  return { ...context, deadline: Date.now() + PATIENCE_MS };
}

/** Why the stored resource is not the package's to replace; undefined when it is. */
function whyNotReplaced(stored: JsonValue, resource: JsonObject, extensionBase: string): string | undefined {
  if (isWrittenBy(stored, ACTOR, extensionBase)) return undefined;
  const url = isObject(stored) ? stored['url'] : undefined;
  if (typeof url !== 'string') return 'which no import has written';
  return url === resource['url'] ? undefined : `with the url ${url.slice(0, 200)}`;
}
