/** The JSON of packages, reindexes, exports, imports and their jobs as TypeBox schemas (schemas.ts). */
import { Type, type TSchema } from '@sinclair/typebox';
import {
  object,
  optional,
  text,
  flag,
  count,
  listOf,
  texts,
  textOrNull,
  oneOf,
  instant,
  release,
  RELEASE,
} from './schema-kinds';
import { Removed } from './schemas';

const IMPORT_OPTIONS = optional({
  release: release('By default that of the package'),
  examples: flag('Also the examples of the package'),
  dependencies: flag('First the packages that it needs, from PACKAGE_REGISTRY'),
});
export const PackageRequest = object(
  {
    package: Type.String({
      description: 'NAME@VERSION, of PACKAGE_REGISTRY',
      expects: 'NAME@VERSION, such as hl7.fhir.uv.ips@2.0.0',
    }),
    ...IMPORT_OPTIONS,
  },
  { $id: 'PackageRequest' },
);
export const PackageList = object(
  {
    packages: listOf(
      object({
        ...{ release: RELEASE, name: text(), version: text(), imported: instant() },
        resources: Type.Optional(count('Its stored resources; without it, they were not counted')),
      }),
    ),
  },
  { $id: 'PackageList' },
);
export const ReindexRequest = object(
  { release: Type.Optional(release('By default both')) },
  { $id: 'ReindexRequest' },
);

/** A job of one kind. */
function job(
  name: string,
  kind: string,
  { request, progress, result }: Readonly<Record<'request' | 'progress' | 'result', TSchema>>,
): TSchema {
  return object(
    {
      id: text(),
      kind: Type.Literal(kind),
      state: oneOf(['queued', 'running', 'done', 'failed', 'cancelled'], 'The last three are ends'),
      cancelling: flag('True: it was cancelled, and runs for some moments longer'),
      request: { ...request, description: 'What was asked for' },
      created: instant(),
      ...optional({
        by: object(
          {
            client: text('Id of the client'),
            ...optional({ person: text('Reference, or id of the account') }),
          },
          { description: 'The client that has begun it, and its person; without it, the operator has' },
        ),
        progress: { ...progress, description: 'The last report of a job that has begun' },
        result: { ...result, description: 'Of a job that is done' },
        failure: text('Why it failed'),
        started: instant(),
        ended: instant(),
      }),
    },
    { $id: name },
  );
}

const files = (description?: string) => listOf(object({ file: text(), reason: text() }), description);
const IMPORTED = object({
  ...{ name: text(), version: text(), tenant: text(), release: RELEASE },
  ...{ stored: count(), unchanged: count() },
  types: listOf(object({ type: text(), stored: count(), unchanged: count() })),
  snapshots: count('StructureDefinitions that got a snapshot'),
  examplesLeftOut: count(),
  missing: listOf(
    object({ name: text(), version: text(), present: texts() }),
    'Packages that it needs and the tenant does not have, with the versions that it has',
  ),
  withoutSnapshot: files(),
  renamed: files('Files stored under another id than in the package'),
  replaced: files(),
  switchedOff: files('Subscriptions stored as off'),
  warned: files('Files stored with a warning'),
  refused: files('Files that were not stored'),
  notListed: count('Further files: 500 are listed in all'),
  requested: Type.Optional(text('What stood for the version, such as latest')),
});
export const ImportJob = job('ImportJob', 'import-package', {
  request: object({
    ...optional({ package: text(), bytes: count('Of the file that was sent') }),
    ...IMPORT_OPTIONS,
  }),
  progress: object({
    package: text('NAME@VERSION of the package that it imports now'),
    packages: count('Packages that are finished'),
    ...{ resources: count(), stored: count(), unchanged: count(), refused: count() },
    resolved: Type.Optional(
      listOf(
        object({ package: text(), version: text() }),
        'The version that each NAME@latest or NAME@2.0.x is in this job, also after a restart',
      ),
    ),
  }),
  result: object({
    packages: listOf(IMPORTED),
    leftOut: listOf(
      object({ package: text(), reason: text() }),
      'Needed packages that could not be imported',
    ),
  }),
});
const DIFFERENCE = object({
  ...{ tenant: textOrNull('null for base resources'), release: RELEASE, type: text(), id: text() },
  ...{ table: text(), missing: texts(), superfluous: texts() },
});
export const ReindexJob = job('ReindexJob', 'reindex', {
  request: object({ release: Type.Optional(RELEASE) }),
  progress: object({ release: RELEASE, resources: count(), compared: count(), repaired: count() }),
  result: object({
    compared: count(),
    repaired: count('Repaired resources'),
    added: count('Added index rows'),
    removed: count('Removed index rows'),
    count: count('Missing versions or heads, which only a backup restores'),
    losses: listOf(DIFFERENCE, 'The first 100 of them'),
  }),
});

const instants = { since: instant(), until: instant() };
export const BulkExportJob = job('BulkExportJob', 'export', {
  request: object({
    release: RELEASE,
    level: oneOf(['system', 'patient', 'group']),
    ...optional({
      group: text('Id of the Group'),
      types: texts(),
      ...instants,
      filters: count('Searches of _typeFilter'),
      patients: count('Patients to whom it is limited'),
    }),
  }),
  progress: object({
    types: count('Types of which the tenant has resources'),
    typesDone: count(),
    resources: count('Resources found so far'),
  }),
  result: object({ files: count(), lines: count() }),
});
const IMPORTING = object({
  ...{ files: count(), received: count('Files that were received'), lines: count('Lines received so far') },
  ...{ written: count(), refused: count('Refused lines, and files that could not be read') },
});
export const BulkImportJob = job('BulkImportJob', 'import', {
  request: object({
    ...{ release: RELEASE, files: count() },
    names: Type.Optional(Type.Array(Type.String(), { description: 'Names of its first 20 files' })),
    codeSystem: Type.Optional(text('Format of a code system, whose lines are its concepts')),
  }),
  ...{ progress: IMPORTING, result: IMPORTING },
});

/** A job of any kind, also of a later version: its request, progress and result are those of its executor. */
export interface JobAnswer {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly cancelling: boolean;
  readonly request: object;
  readonly created: string;
  readonly by?: { readonly client: string; readonly person?: string | undefined };
  readonly progress?: object | undefined;
  readonly result?: object | undefined;
  readonly failure?: string | undefined;
  readonly started?: string | undefined;
  readonly ended?: string | undefined;
}
export const Job = Type.Unsafe<JobAnswer>({
  $id: 'Job',
  oneOf: [ImportJob, ReindexJob, BulkExportJob, BulkImportJob],
  discriminator: {
    propertyName: 'kind',
    mapping: {
      'import-package': '#/components/schemas/ImportJob',
      reindex: '#/components/schemas/ReindexJob',
      export: '#/components/schemas/BulkExportJob',
      import: '#/components/schemas/BulkImportJob',
    },
  },
});
export const JobList = object({ jobs: listOf(Job) }, { $id: 'JobList' });
export const CancelledJob = Type.Union([Job, Removed], { $id: 'CancelledJob' });
