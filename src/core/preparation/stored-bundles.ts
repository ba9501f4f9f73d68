import { InFlight } from '../concurrency/in-flight';
import type { BundleOutline, BundleTask, OpenBundle, PreparedVersions, VersionsTask } from './bundle';
import { withTexts } from './open-bundle';
import type { Preparer } from './preparer';
import { lengthOf } from './resource-input';

/** A parsed Bundle takes some five times the memory of its text. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

interface StoredBundle {
  readonly bundle: OpenBundle;
  readonly size: number;
}

/** The open Bundles of the worker thread, oldest first; beyond the limit the oldest are evicted. */
export class StoredBundles {
  private readonly bundles = new InFlight<number, StoredBundle>();
  private size = 0;

  constructor(private readonly preparer: Preparer) {}

  async open(number: number, task: BundleTask): Promise<BundleOutline> {
    const bundle = await this.preparer.bundle(task);
    // The outline has resources as text; the parsed Bundle stays in this thread.
    const outline = withTexts(bundle.outline);
    // A batch is not stored, because the outline has its resources.
    if (outline.type === 'transaction') this.store(number, bundle, lengthOf(task.input));
    return outline;
  }

  /** `again`: the Bundle itself, in case it was evicted. */
  async prepare(
    number: number,
    versions: VersionsTask,
    again: BundleTask | undefined,
  ): Promise<PreparedVersions | 'evicted'> {
    if (again !== undefined) await this.open(number, again);
    const stored = this.bundles.get(number);
    return stored === undefined ? 'evicted' : stored.bundle.prepare(versions);
  }

  evict(number: number): void {
    this.size -= this.bundles.take(number)?.size ?? 0;
  }

  private store(number: number, bundle: OpenBundle, size: number): void {
    this.evict(number);
    this.bundles.add(number, { bundle, size });
    this.size += size;
    while (this.size > MAX_CHARACTERS) {
      const { oldestKey = number } = this.bundles;
      if (oldestKey === number) break;
      this.evict(oldestKey);
    }
  }
}
