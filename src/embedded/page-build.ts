/** Builds the pages for browsers beside a quick start in a checkout. A package and a production tree have them, and no scripts. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { PACKAGED_PAGES, type BuiltPages } from '../built-pages';
import { PACKAGE_FOLDER } from '../package-folder';
import { type Child, startChild } from './child';

const SCRIPT = path.join(PACKAGE_FOLDER, 'scripts', 'build-pages.mjs');
const FOLDERS = ['console', 'graphiql', 'docs'].map((name) => path.join(PACKAGED_PAGES.folder, name));
/** A build only writes files that the next one makes again. */
const STOP_MS = 2_000;

export class PageBuild implements BuiltPages {
  readonly folder = PACKAGED_PAGES.folder;
  /** True: a page was missing when the program started. */
  readonly isNeeded = existsSync(SCRIPT) && !FOLDERS.every((folder) => existsSync(folder));
  #hasEnded = !existsSync(SCRIPT);
  #child: Child | undefined;

  /** True before the build and while it runs. */
  isBuilding(): boolean {
    return !this.#hasEnded;
  }

  /**
   * Builds what is missing or older than its sources, in a process of its own. Returns true if nothing is missing then.
   * Never rejects. `isAwaited`: not at the lowest priority.
   */
  async run(isAwaited: boolean): Promise<boolean> {
    if (this.#hasEnded) return true;
    try {
      this.#child = await startChild(process.execPath, [SCRIPT, ...(isAwaited ? [] : ['--background'])], {
        cwd: PACKAGE_FOLDER,
        stdio: 'ignore',
        lastSignal: 'SIGTERM',
      });
      return (await this.#child.ended) === 'with code 0';
    } catch {
      return false;
    } finally {
      this.#hasEnded = true;
    }
  }

  async stop(): Promise<void> {
    await this.#child?.stop('SIGTERM', STOP_MS);
  }
}
