/** Preparers without a database, and a transaction for them. */
import { NO_CONCEPTS } from '../../support/no-concepts';
import path from 'node:path';
import { toBundleInput, type TenantSpace } from '../../../src/core';
import type { OpenBundle, VersionsTask } from '../../../src/core/preparation/bundle';
import type { Preparer } from '../../../src/core/preparation/preparer';
import { createPreparer } from '../../../src/core/preparation/create-preparer';
import { SpaceIndexing } from '../../../src/core/preparation/space-indexing';
import { answerCall } from '../../../src/core/preparation/calls';
import type { HostCalls } from '../../../src/core/preparation/messages';
import { createThreadedPreparer } from '../../../src/core/preparation/threaded-preparer';
import { WorkerPool } from '../../../src/core/preparation/worker-pool';
import { createHasher } from '../../../src/core/search/rows/hash';
import { post, transaction, uuid } from '../../support/bundles';
import { silentLog } from '../../support/log';

export const JSON_LIMITS = { maxDepth: 64 };

/** A preparer that has a thread of its own beside it, and what that was asked to do. */
export function openPreparers({ processorMs = 10_000, clockMs = 30_000 } = {}): {
  here: Preparer;
  there: Preparer;
  pool: WorkerPool;
  names: string[];
} {
  const [hashKey, ownAddresses, extensionBase] = [
    Buffer.alloc(16, 7),
    ['http://a.example'],
    'http://b.example',
  ];
  const limits = {
    ...{
      ...JSON_LIMITS,
      maxBodyBytes: 1e7,
      maxPatchOperations: 9,
      maxBundleEntries: 1000,
      maxIndexRows: 1e4,
    },
    ...{
      maxExpansionCodes: 9,
      pathTimeoutMs: 50,
      contentProcessorMs: processorMs,
      searchSortLimit: 9,
      maxWriteQueue: 9,
      maxTenantSubscriptions: 100,
      versionCacheBytes: 9,
      searchCacheBytes: 9,
    },
  };
  const nobody = (): Promise<never> => Promise.reject(new Error('nothing is asked'));
  const informant = {
    checkCodes: nobody,
    answerCodes: nobody,
    checkCodings: () => Promise.resolve([]),
    checkRelations: nobody,
    absentSystems: () => new Set<string>(),
    version: nobody,
    find: nobody,
    findQuestionnaire: nobody,
    listCodes: nobody,
  };
  const tools = new SpaceIndexing({
    hasher: createHasher(hashKey),
    ownAddresses,
    maxIndexRows: limits.maxIndexRows,
  });
  const here = createPreparer(tools.preparationTools(extensionBase, informant), limits);
  const pool = new WorkerPool(
    path.join(__dirname, '../../../dist/src/core/composition/worker.js'),
    { hashKey, ownAddresses, extensionBase, limits },
    silentLog,
    clockMs,
  );
  // There is no terminology: codings have no code systems.
  const none = (): Promise<undefined> => Promise.resolve(undefined);
  const terminology = {
    findCanonical: none,
    findCanonicalKey: none,
    listCanonicalVersions: () => Promise.resolve([]),
    findSystemOfValueSet: none,
    terminologyVersion: () => Promise.resolve(''),
    ...NO_CONCEPTS,
  };
  pool.serve((request) =>
    request.kind === 'terminology'
      ? answerCall<HostCalls, keyof typeof terminology>(terminology, request.call)
      : nobody(),
  );
  const names: string[] = [];
  const there = createThreadedPreparer(here, {
    run: (task, isShort) => {
      names.push(task.name);
      return pool.run(task, isShort);
    },
    post: (message) => pool.post(message),
    canStartSoon: () => pool.canStartSoon(),
  });
  return { here, there, pool, names };
}

const OBSERVATION = {
  resourceType: 'Observation',
  code: {
    coding: [{ system: 'http://loinc.org', code: '8867-4', display: 'Heart rate' }],
    text: 'Heart rate',
  },
  note: [
    { text: 'As long as most observations are that are written by machines, which say much of themselves' },
  ],
};

/** A transaction of Observations that are derived from each other; 400 bytes each. */
export function openTransaction(
  preparer: Preparer,
  space: TenantSpace,
  { status, entries: length }: { readonly status: string; readonly entries: number },
): Promise<OpenBundle> {
  const entries = Array.from({ length }, (_, index) =>
    post({ ...OBSERVATION, status, derivedFrom: [{ reference: uuid(index ^ 1) }] }, uuid(index)),
  );
  const input = toBundleInput(JSON.stringify(transaction(...entries)), JSON_LIMITS);
  return preparer.bundle({ space, input, types: ['transaction'] });
}

/** All of it to be created, as o0, o1 … */
export function versionsOf(space: TenantSpace, entries: number): VersionsTask {
  const ids = Array.from({ length: entries }, (_, index) => `o${index}`);
  return {
    space,
    versions: ids.map((id, index) => ({
      ...{ index, member: index, type: 'Observation', id, storedId: id, typeNumber: 1 },
      ...{ key: { high: 1, low: index }, idMode: 'assigned', change: 'create', expected: 0 },
      isUnderCondition: false,
    })),
    targets: new Map(ids.map((id, index) => [index, `Observation/${id}`])),
    versionIds: new Map(),
    conditional: [],
    author: null,
  };
}
