/** The server of a quick start: in this process, or in workers. */
import type { Logger } from 'pino';
import { type App, createApp } from '../app';
import type { BuiltPages } from '../built-pages';
import type { Settings } from '../config/settings';
import { shareOf, type WorkerPlan } from '../config/workers';
import type { Core } from '../core';
import type { SharedState } from '../workers/messages';
import { createSupervisor, startWorkers } from '../workers/start-workers';

export interface Serving {
  /** For what the quick start stores before anybody uses it. */
  readonly core: Core;
  readonly port: number;
  /** Shows a notice in `/health/ready` until the returned function is called. */
  announce(notice: string): () => void;
  /** Called when `pages.isBuilding()` has changed. */
  pagesChanged(): void;
  /** Called when nothing uses `core` any more. */
  releaseCore(): Promise<void>;
}

export interface ServingOptions {
  readonly settings: Settings;
  readonly plan: WorkerPlan;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly pages: BuiltPages;
}

/** Resolves when the server listens. `add` gets what stops it. */
export function startServing(
  options: ServingOptions,
  add: (stop: () => Promise<void>) => void,
): Promise<Serving> {
  return options.plan.count === 1 ? serveAlone(options, add) : serveByWorkers(options, add);
}

async function serveAlone(
  { settings, environment, log, pages }: ServingOptions,
  add: (stop: () => Promise<void>) => void,
): Promise<Serving> {
  const app = await createApp(settings, log, undefined, { environment, pages });
  add(() => app.close());
  const { port } = await app.listen();
  return {
    ...{ core: app.core, port, announce: (notice) => app.core.health.announce(notice) },
    pagesChanged: () => undefined,
    releaseCore: () => Promise.resolve(),
  };
}

async function serveByWorkers(
  { settings, plan, environment, log, pages }: ServingOptions,
  add: (stop: () => Promise<void>) => void,
): Promise<Serving> {
  // It migrates the database, and never listens.
  const app: App = await createApp(shareOf(settings, plan.count), log, undefined, {
    ...{ environment, pages, isWorker: true },
  });
  let closed: Promise<void> | undefined;
  const releaseCore = (): Promise<void> => (closed ??= app.close());
  add(releaseCore);
  const supervisor = createSupervisor({ settings, plan, environment, log });
  add(() => supervisor.stop());
  let notice: string | undefined;
  const tell = (): void => {
    const state: SharedState = { notice, isBuilding: pages.isBuilding() };
    supervisor.setState(state);
  };
  tell();
  const { port } = await startWorkers(supervisor, { settings, log });
  return {
    ...{ core: app.core, port, releaseCore, pagesChanged: tell },
    announce(shown) {
      notice = shown;
      tell();
      return () => {
        notice = undefined;
        tell();
      };
    },
  };
}
