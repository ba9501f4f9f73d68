/** Loads the package of an implementation guide into a tenant, through core like any write. */
import {
  isBusy,
  isValidId,
  parseJson,
  RELEASE_NAMES,
  RELEASES,
  stringifyJson,
  toResourceInput,
  turns,
  whileBusy,
  type Core,
  type ErrorKey,
  type JobBeginner,
  type JsonDocument,
  type JsonValue,
  type Log,
  type RetryPauses,
  type Release,
  type RequestContext,
  type ResourceInput,
} from '../core';
import { isOfSpecification, missingPackages, type MissingPackage } from './dependencies';
import { isObject } from './members';
import { PackageError, type PackageFile, type PackageManifest } from './package-file';
import { renameReferences } from './own-references';
import { IMPORTER, PackageIds, type PackageTarget } from './package-ids';
import { recordPackage } from './package-record';
import {
  inOrderOfNeed,
  inWords,
  readResources,
  reasonOf,
  type PackageResource,
  type Refusal,
} from './package-resource';
import { isSameContent, withMark } from './stored-content';
import { sumOf, type TypeCount } from './type-counts';

export interface ImportOptions {
  readonly tenant: string;
  /** Undefined: the release that the package is for. */
  readonly release?: Release;
  /** True: the resources in its folder `example` are loaded too. */
  readonly withExamples: boolean;
  /** Base of the urls of the server's own extensions in `meta`. */
  readonly extensionBase: string;
  readonly maxDepth: number;
  readonly log: Log;
  /** The administrator of the tenant who has begun the import, and is the author; undefined: the import itself is. */
  readonly by?: JobBeginner | undefined;
  /** Resources that are written at once; default 32, so that concurrent writes share a statement. */
  readonly inFlight?: number | undefined;
  /** Its reason is thrown when it is aborted. What is stored stays. */
  readonly signal?: AbortSignal | undefined;
  /** Between attempts while the server is busy. */
  readonly pauses?: RetryPauses | undefined;
  /** Called for each resource. */
  readonly report?: ((progress: ImportProgress) => void) | undefined;
}

/** The progress of the import of one package. */
export interface ImportProgress {
  /** `name@version` */
  readonly package: string;
  readonly resources: number;
  readonly stored: number;
  readonly unchanged: number;
  readonly refused: number;
}

export interface ImportSummary {
  readonly manifest: PackageManifest;
  /** The requested version, if it was not a number: `latest`. Undefined: the version itself. */
  readonly requested: string | undefined;
  readonly release: Release;
  readonly counts: ReadonlyMap<string, TypeCount>;
  /** Number of StructureDefinitions that came without a snapshot and got one. */
  readonly snapshots: number;
  /** StructureDefinitions for which no snapshot can be made, by file, with the reason. */
  readonly withoutSnapshot: readonly Refusal[];
  /** Number of examples that were not requested. */
  readonly examplesLeftOut: number;
  readonly missing: readonly MissingPackage[];
  /** Files that were not stored, with the reason. */
  readonly refused: readonly Refusal[];
  /** Files that were stored with a warning, with the warning. */
  readonly warned: readonly Refusal[];
  /** Files without a url that replaced different content of an earlier import, perhaps of another package. */
  readonly replaced: readonly Refusal[];
  /** Files stored under another id than their own, with that id. */
  readonly renamed: readonly Refusal[];
  /** Files of Subscriptions that request notifications; they are stored with the status `off`. */
  readonly switchedOff: readonly Refusal[];
}

const IN_FLIGHT = 32;
/** Characters from which a resource is prepared in the worker thread. */
const LONG_RESOURCE = 256 * 1024;
const PATIENCE_MS = 120_000;
/** Errors of the database itself: no other resource could be stored. */
const OF_ALL_WRITES: readonly ErrorKey[] = [
  'storageUnavailable',
  'storageRestarting',
  'storageExhausted',
  'storageFaulty',
  'storageReadOnly',
  'sequenceExhausted',
];

/**
 * Stores the resources of the package under their own ids. Where another resource has the id, it uses another one
 * (`PackageIds`). A resource that is stored already with the same content stays unchanged, so that a second import
 * writes nothing.
 * Throws PackageError when the package does not fit the release or the tenant does not exist, and any error that
 * prevents all writes.
 */
export async function importPackage(
  core: Core,
  file: PackageFile,
  options: ImportOptions,
): Promise<ImportSummary> {
  const { manifest, entries, requested } = file;
  const release = chooseRelease(manifest, options.release);
  const space = await core.access.findSpace(options.tenant, release);
  if (space === undefined) throw new PackageError(`The tenant '${options.tenant}' does not exist`);
  // Resources of a package are stored unchanged: other resources of the guide depend on them.
  const published = { ...space, storesAsPublished: true } as const;
  const context = { ...contextOf(options), space: published };
  const wanted = entries.filter(({ isExample }) => options.withExamples || !isExample);
  const { resources, refused } = await readResources(
    wanted,
    new Set(core.interactions.resourceTypes(release)),
    options.maxDepth,
  );
  const missing = await whileBusy(() => missingPackages(core, inTime(context), manifest), options);
  const isOfImporter = context.actor === IMPORTER;
  const work = new Import(
    core,
    context,
    { ...options, marks: isOfImporter ? undefined : manifest.name },
    {
      package: `${manifest.name}@${manifest.version}`,
      resources: resources.length + refused.length,
      refused: refused.length,
    },
  );
  await work.storeAll(await work.placeAll(resources, manifest.name));
  options.signal?.throwIfAborted();
  const record = {
    ...{ name: manifest.name, version: manifest.version, resources: work.count },
    ...{ requested, extensionBase: options.extensionBase },
  };
  await whileBusy(() => recordPackage(core, inTime(context), record), options);
  return {
    ...{ manifest, requested, release },
    counts: new Map([...work.counts].sort(([one], [other]) => (one < other ? -1 : 1))),
    snapshots: work.snapshots,
    withoutSnapshot: work.withoutSnapshot,
    examplesLeftOut: entries.length - wanted.length,
    missing,
    refused: [...refused, ...work.refused],
    warned: work.warned,
    replaced: work.replaced,
    renamed: work.renamed,
    switchedOff: resources
      .filter(({ isSwitchedOff }) => isSwitchedOff)
      .map(({ file }) => ({ file, reason: 'it requests notifications, which the server does not send' })),
  };
}

/** Returns the packages that a package needs and the tenant does not have. Throws as `importPackage`. */
export async function findMissing(
  core: Core,
  { manifest }: PackageFile,
  options: Pick<ImportOptions, 'tenant' | 'release' | 'log' | 'by'>,
): Promise<readonly MissingPackage[]> {
  const space = await core.access.findSpace(options.tenant, chooseRelease(manifest, options.release));
  if (space === undefined) throw new PackageError(`The tenant '${options.tenant}' does not exist`);
  return missingPackages(core, inTime({ ...contextOf(options), space }), manifest);
}

function contextOf({ by, log }: Pick<ImportOptions, 'by' | 'log'>): Omit<RequestContext, 'space'> {
  const { client: actor, ...others } = by ?? { client: IMPORTER, requestId: IMPORTER };
  return { ...others, actor, deadline: 0, log };
}

function chooseRelease(
  { name, version, fhirVersions }: PackageManifest,
  requested: Release | undefined,
): Release {
  if (isOfSpecification(name)) {
    throw new PackageError(`${name} is part of FHIR itself, whose definitions every tenant has already`);
  }
  const served = RELEASE_NAMES.map((release) => RELEASES[release]);
  const fits = (mimeVersion: string) => fhirVersions.some((each) => `${each}.`.startsWith(`${mimeVersion}.`));
  if (requested !== undefined && (fhirVersions.length === 0 || fits(RELEASES[requested].mimeVersion)))
    return requested;
  const fitting = served.find(({ mimeVersion }) => fits(mimeVersion));
  if (requested === undefined && fitting !== undefined) return fitting.name;
  if (fhirVersions.length === 0) {
    throw new PackageError(`${name} ${version} does not name its FHIR version; name the release`);
  }
  const known = served.map((each) => `${each.name} (${each.fhirVersion})`).join(' and ');
  const wanted =
    requested === undefined
      ? `, served are ${known}`
      : `, not for ${requested} (${RELEASES[requested].fhirVersion})`;
  throw new PackageError(`${name} ${version} is for FHIR ${fhirVersions.join(', ')}${wanted}`);
}

/** A resource of the package with the id under which it is stored. */
interface TargetedResource extends PackageResource {
  readonly id: string;
  /** The resource that is stored under this id. */
  readonly stored: JsonValue | undefined;
}

class Import {
  readonly counts = new Map<string, TypeCount>();
  readonly refused: Refusal[] = [];
  readonly warned: Refusal[] = [];
  readonly replaced: Refusal[] = [];
  readonly renamed: Refusal[] = [];
  readonly withoutSnapshot: Refusal[] = [];
  snapshots = 0;

  constructor(
    private readonly core: Core,
    private readonly context: RequestContext,
    private readonly options: ImportOptions & {
      /** The name of the package, by which resources without a url are marked; undefined: the author is the mark. */
      readonly marks: string | undefined;
    },
    private readonly begin: Pick<ImportProgress, 'package' | 'resources' | 'refused'>,
  ) {}

  /** The number of resources of the package that are stored. */
  get count(): number {
    return sumOf(this.counts, 'stored') + sumOf(this.counts, 'unchanged');
  }

  /** Gives the resources the ids under which they are stored, in themselves and in their references to each other. */
  async placeAll(
    resources: readonly PackageResource[],
    packageName: string,
  ): Promise<readonly TargetedResource[]> {
    const { core, context } = this;
    const { extensionBase, signal, pauses, marks } = this.options;
    const ids = new PackageIds({
      core,
      context: () => inTime(context),
      extensionBase,
      packageName,
      repeats: { signal, pauses },
    });
    const places = await this.inParallel(resources, (each) => this.placeOf(each, ids));
    const moved = new Map<string, string>();
    const own = new Set<string>();
    const all = resources.flatMap((each, index) => {
      const place = places[index];
      if (place === undefined) return [];
      const { type, id, file } = each;
      own.add(`${type}/${place.id}`);
      if (id === place.id) return [{ each, place }];
      if (id !== undefined) moved.set(`${type}/${id}`, `${type}/${place.id}`);
      const why =
        id === undefined
          ? 'it has no id'
          : isValidId(id)
            ? `${type}/${id} is another resource`
            : 'its id is not valid';
      this.renamed.push({ file, reason: `as ${type}/${place.id}, because ${why}` });
      return [{ each, place }];
    });
    // A reference to an id that another resource of the package keeps means that resource.
    for (const name of own) moved.delete(name);
    const placed: TargetedResource[] = [];
    for (const { each, place } of all) {
      await turns.take();
      const { id, stored } = place;
      const named = each.id === id ? each.resource : { ...each.resource, id };
      const linked = moved.size === 0 ? named : renameReferences(named, moved);
      const isFoundByUrl = each.url !== undefined;
      const resource = marks === undefined || isFoundByUrl ? linked : withMark(linked, marks, extensionBase);
      placed.push({ ...each, id, stored, resource, document: { ...each.document, value: resource } });
    }
    return placed;
  }

  /** Undefined: the server was busy for too long to find an id, so that the resource is not stored. */
  private async placeOf(each: PackageResource, ids: PackageIds): Promise<PackageTarget | undefined> {
    try {
      return await ids.placeOf(each);
    } catch (error) {
      this.options.signal?.throwIfAborted();
      if (!isBusy(error)) throw error;
      this.refuse(each, error);
      this.reportProgress();
      return undefined;
    }
  }

  /**
   * Stores the resources in the order of their dependencies:
   * - definitions;
   * - composite search parameters, after their components;
   * - profiles that need a snapshot, after all profiles they may be derived from;
   * - examples, which may claim to conform to the definitions;
   * - the ImplementationGuide.
   */
  async storeAll(resources: readonly TargetedResource[]): Promise<void> {
    const isGuide = ({ type, isExample }: PackageResource) => type === 'ImplementationGuide' && !isExample;
    const needsSnapshot = ({ type, resource }: PackageResource) =>
      type === 'StructureDefinition' && resource['snapshot'] === undefined;
    const isComposite = ({ type, resource }: PackageResource) =>
      type === 'SearchParameter' && resource['type'] === 'composite';
    const ready = resources.filter((each) => !isGuide(each) && !needsSnapshot(each));
    await this.storeTogether(ready.filter((each) => !each.isExample && !isComposite(each)));
    await this.storeTogether(ready.filter((each) => !each.isExample && isComposite(each)));
    for (const each of inOrderOfNeed(resources.filter(needsSnapshot))) {
      this.options.signal?.throwIfAborted();
      await this.storeWithSnapshot(each);
    }
    await this.storeTogether(ready.filter(({ isExample }) => isExample));
    await this.storeTogether(resources.filter(isGuide));
  }

  private async storeTogether(resources: readonly TargetedResource[]): Promise<void> {
    await this.inParallel(resources, async (each) => {
      await this.store(each);
    });
  }

  /** Stores a StructureDefinition with its snapshot, or unchanged where no snapshot can be made. */
  private async storeWithSnapshot(each: TargetedResource): Promise<void> {
    let document: JsonDocument;
    try {
      const result = await this.whileBusy((context) =>
        this.core.interactions.invoke(context, {
          level: 'type',
          type: 'StructureDefinition',
          code: 'snapshot',
          input: each.document,
          safe: false,
        }),
      );
      if (!('text' in result)) throw new Error('$snapshot returned no resource');
      document = parseJson(result.text, { maxDepth: this.options.maxDepth });
    } catch (error) {
      if (isBusy(error)) {
        this.options.signal?.throwIfAborted();
        this.refuse(each, error);
        this.reportProgress();
        return;
      }
      this.withoutSnapshot.push({ file: each.file, reason: reasonOf(error) });
      await this.store(each);
      return;
    }
    const resource = document.value;
    if (!isObject(resource)) throw new Error('$snapshot returned no resource');
    if (await this.store({ ...each, document, resource })) this.snapshots += 1;
  }

  /** Returns true when the resource was written. */
  private async store(placed: TargetedResource): Promise<boolean> {
    const isWritten = await this.attempt(placed);
    this.reportProgress();
    return isWritten;
  }

  private reportProgress(): void {
    const [stored, unchanged] = [sumOf(this.counts, 'stored'), sumOf(this.counts, 'unchanged')];
    const refused = this.begin.refused + this.refused.length;
    this.options.report?.({ ...this.begin, stored, unchanged, refused });
  }

  /** Lists a file that is not stored. Throws errors that prevent all writes. */
  private refuse({ file }: PackageResource, error: unknown): void {
    const isOfItem = isBusy(error) && !OF_ALL_WRITES.includes(error.key);
    const reason = isOfItem ? `not stored, because the server was busy: ${error.message}` : reasonOf(error);
    this.refused.push({ file, reason });
  }

  /** Repeats `work` while the server has too much to do, each time with a new deadline. */
  private whileBusy<Result>(work: (context: RequestContext) => Promise<Result>): Promise<Result> {
    return whileBusy(() => work(inTime(this.context)), this.options);
  }

  private async attempt(placed: TargetedResource): Promise<boolean> {
    const { file, type, id, url, resource, stored } = placed;
    try {
      if (stored !== undefined && isSameContent(stored, resource, this.options.extensionBase)) {
        this.countOf(type).unchanged += 1;
        return false;
      }
      const input = this.inputOf(placed);
      const { warnings } = await this.whileBusy((context) =>
        this.core.interactions.update(context, { type, id, input }),
      );
      this.countOf(type).stored += 1;
      const warning = inWords(warnings);
      if (stored !== undefined && url === undefined)
        this.replaced.push({ file, reason: `${type}/${id} had other content` });
      if (warning !== undefined) this.warned.push({ file, reason: warning });
      return true;
    } catch (error) {
      this.options.signal?.throwIfAborted();
      this.refuse(placed, error);
      return false;
    }
  }

  /** A long resource goes to the worker thread, as text. */
  private inputOf({ document, length }: TargetedResource): ResourceInput {
    if (length < LONG_RESOURCE) return document;
    const { maxDepth } = this.options;
    return toResourceInput(stringifyJson(document.value, document.marked), { maxDepth });
  }

  /** Runs `work` for several items at a time. Items begin in their order, and the results have the same order. */
  private async inParallel<Item, Result>(
    items: readonly Item[],
    work: (item: Item) => Promise<Result>,
  ): Promise<readonly Result[]> {
    const { inFlight = IN_FLIGHT, signal } = this.options;
    const results: Result[] = [];
    const left = items.entries();
    const run = async (): Promise<void> => {
      for (const [index, item] of left) {
        await turns.take();
        signal?.throwIfAborted();
        results[index] = await work(item);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, run));
    return results;
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
