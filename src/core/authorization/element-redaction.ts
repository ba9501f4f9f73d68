/** Redaction of core's results for clients from which elements are hidden. */
import type { BundleAnswer, EntryAnswer } from '../api/bundle';
import type { ExportedFile } from '../api/bulk-export';
import type { ChangeStream } from '../api/change-stream';
import type { DeleteResult, WriteResult } from '../api/version';
import type { StoredVersion } from '../storage/read/stored-version';
import type { HistoryPage } from '../api/history';
import type { InvocationResult } from '../api/operation';
import type { SearchPage } from '../api/search';
import type { ElementRules } from './elements';

const shown = new WeakMap<ElementRules, WeakMap<StoredVersion, StoredVersion>>();

/** Removes hidden elements from results; returns the same objects where nothing is hidden. */
export class ElementRedaction {
  private readonly redacted: WeakMap<StoredVersion, StoredVersion>;

  constructor(private readonly elements: ElementRules) {
    let redacted = shown.get(elements);
    if (redacted === undefined) shown.set(elements, (redacted = new WeakMap<StoredVersion, StoredVersion>()));
    this.redacted = redacted;
  }

  version(version: StoredVersion): StoredVersion {
    if (!this.elements.hidesAny) return version;
    let left = this.redacted.get(version);
    if (left === undefined) {
      const text = this.elements.strip(version.text);
      left = text === version.text ? version : { ...version, text };
      this.redacted.set(version, left);
    }
    return left;
  }

  versions(versions: readonly StoredVersion[]): readonly StoredVersion[] {
    return this.elements.hidesAny ? versions.map((version) => this.version(version)) : versions;
  }

  page(page: SearchPage): SearchPage {
    return { ...page, matches: this.versions(page.matches), included: this.versions(page.included) };
  }

  history(page: HistoryPage): HistoryPage {
    return { ...page, versions: this.versions(page.versions) };
  }

  file(file: ExportedFile): ExportedFile {
    return file.kind === 'resources' && this.elements.hidesAny
      ? { ...file, pages: this.pages(file.pages) }
      : file;
  }

  private async *pages(
    pages: AsyncIterable<readonly StoredVersion[]>,
  ): AsyncGenerator<readonly StoredVersion[]> {
    for await (const page of pages) yield this.versions(page);
  }

  written(result: WriteResult): WriteResult {
    return { ...result, version: this.version(result.version) };
  }

  deleted(result: DeleteResult): DeleteResult {
    return { version: result.version && this.version(result.version) };
  }

  invoked(result: InvocationResult): InvocationResult {
    if ('page' in result) return { ...result, page: this.page(result.page) };
    if ('stored' in result) return { stored: this.written(result.stored) };
    if ('document' in result) {
      const { document } = result;
      return { ...result, document: { ...document, versions: this.versions(document.versions) } };
    }
    return result;
  }

  bundle(answer: BundleAnswer): BundleAnswer {
    return { ...answer, entries: answer.entries.map((entry) => this.entry(entry)) };
  }

  private entry(entry: EntryAnswer): EntryAnswer {
    switch (entry.kind) {
      case 'written':
        return { ...entry, result: this.written(entry.result) };
      case 'found':
      case 'read':
        return { ...entry, version: this.version(entry.version) };
      case 'deleted':
        return { ...entry, versions: this.versions(entry.versions) };
      case 'search':
        return { ...entry, page: this.page(entry.page) };
      case 'history':
        return { ...entry, page: this.history(entry.page) };
      case 'invoked':
        return { ...entry, result: this.invoked(entry.result) };
      case 'resource':
      case 'failed':
        return entry;
    }
  }

  stream(stream: ChangeStream): ChangeStream {
    if (!this.elements.hidesAny) return stream;
    const next = async (): ReturnType<ChangeStream['next']> => {
      const change = await stream.next();
      return change && { ...change, version: this.version(change.version) };
    };
    return {
      get resumeAfter() {
        return stream.resumeAfter;
      },
      next,
      onEnd: (listener) => stream.onEnd(listener),
      close: () => stream.close(),
    };
  }
}
