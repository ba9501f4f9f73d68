/** The sub-commands of `andiron tenant` that export, import or delete all data of a tenant. */
import { whileBusy, type InvalidatedCaches, type TenantImport } from '../../core';
import { type Command, UsageError } from '../command';
import { JSON_OPTION, print, warn } from '../output';
import { readFolder, readLines, writeFolder, writeStream } from '../tenant-files';
import { withApp } from '../with-app';
import { noTenant } from '../with-tenant';

export const exportTenant: Command = {
  name: 'export',
  usage: 'NAME',
  summary: 'Write all data of a tenant as lines of JSON.',
  options: {
    to: { type: 'string', value: 'FOLDER', help: 'a new folder for the export; default standard output' },
    current: { type: 'boolean', help: 'only the current resources, without history, for other programs' },
    'keep-subscriptions': {
      type: 'boolean',
      help: 'with the deliveries of Subscriptions, and the secrets of their headers',
    },
  },
  examples: [
    { line: 'andiron tenant export acme --to acme-export', does: 'Write all versions to a folder.' },
    { line: 'andiron tenant export acme > acme.ndjson', does: 'Write them to the standard output.' },
    {
      line: 'andiron tenant export acme --to acme-current --current',
      does: 'Write only the current resources, which cannot be imported.',
    },
    {
      line: 'andiron tenant export acme --to acme-move --keep-subscriptions',
      does: 'Write a tenant that moves to another server and continues its deliveries there.',
    },
  ],
  run: async ({ words, options }) => {
    const [name = ''] = words;
    const { to, current, 'keep-subscriptions': keeps } = options;
    if (current === true && typeof to !== 'string')
      throw new UsageError('--current needs --to FOLDER, because it writes two files');
    if (current === true && keeps === true)
      throw new UsageError('--current writes resources alone: leave --keep-subscriptions out');
    await withApp(async ({ core }) => {
      const which = current === true ? 'current' : 'all';
      const lines = await core.tenants.export(name, which, { keepsSubscriptions: keeps === true });
      if (lines === undefined)
        throw new Error(`The tenant '${name}' does not exist, or cannot be exported now`);
      if (typeof to === 'string') await writeFolder(to, lines);
      else await writeStream(process.stdout, lines);
      if (keeps === true)
        warn(
          `The export has the secrets in the headers of Subscriptions. Disable tenant ${name} before the import, or both tenants send the same notifications`,
        );
    });
  },
};

export const importTenant: Command = {
  name: 'import',
  usage: 'NAME',
  summary:
    'Create a tenant from an export of all versions; the same command continues after an interruption.',
  options: {
    from: { type: 'string', value: 'FOLDER', help: 'the folder of the export; default standard input' },
    'keep-subscriptions': {
      type: 'boolean',
      help: 'continue the deliveries of an export with --keep-subscriptions; default all are off',
    },
    ...JSON_OPTION,
  },
  examples: [
    { line: 'andiron tenant import acme-2 --from acme-export', does: 'Create acme-2 from a folder.' },
    { line: 'andiron tenant import acme-3 < acme.ndjson', does: 'Create acme-3 from the standard input.' },
    {
      line: 'andiron tenant import acme-4 --from acme-move --keep-subscriptions',
      does: 'Create a tenant that has moved, and continue its deliveries.',
    },
  ],
  run: (given) =>
    withApp(async ({ core }) => {
      const [name = ''] = given.words;
      const { from, 'keep-subscriptions': keeps } = given.options;
      const importFrom = (lines: AsyncIterable<string>): Promise<TenantImport> =>
        core.tenants.import(name, lines, { keepsSubscriptions: keeps === true });
      // A folder can be read again: the import then continues.
      const imported =
        typeof from === 'string'
          ? await whileBusy(() => importFrom(readFolder(from)))
          : await importFrom(readLines(process.stdin));
      const { versions, resources, subscriptionsOff, subscriptionsKept } = imported;
      print(given, { name, versions, resources, subscriptionsOff, subscriptionsKept }, [
        `Tenant ${name} has ${versions} versions of ${resources} resources`,
        ...(subscriptionsKept > 0 ? [`The deliveries of ${subscriptionsKept} Subscriptions continue`] : []),
        ...(subscriptionsOff > 0
          ? [`${subscriptionsOff} versions of Subscriptions that request notifications are stored as off`]
          : []),
      ]);
      if (subscriptionsKept > 0)
        warn(
          'The tenant of the export must not be active any more, or both tenants send the same notifications',
        );
      else if (keeps === true && subscriptionsOff > 0)
        warn('The export has no deliveries to continue: it was made without --keep-subscriptions');
    }),
};

export const deleteTenant: Command = {
  name: 'delete',
  usage: 'NAME',
  summary: 'Permanently delete a tenant with all its data; the same command continues after an interruption.',
  options: {
    confirm: {
      ...{ type: 'string', value: 'NAME', isRequired: true },
      help: 'the name of the tenant again, because all its data are permanently deleted',
    },
    ...JSON_OPTION,
  },
  examples: [
    { line: 'andiron tenant delete acme-2 --confirm acme-2', does: 'Delete acme-2 with all its data.' },
  ],
  run: async (given) => {
    const [name = ''] = given.words;
    if (given.options['confirm'] !== name)
      throw new UsageError(
        `This permanently deletes tenant ${name} with all its data. Confirm with: npx --no-install andiron tenant delete ${name} --confirm ${name}`,
      );
    await withApp(async ({ core }) => {
      const removal = await core.tenants.remove(name);
      if (removal === undefined) throw await noTenant(core.tenants, name);
      const width = Math.max(...removal.tables.map(({ table }) => table.length));
      print(given, removal, [
        ...removal.tables.map(
          ({ table, removed, left }) => `${table.padEnd(width)}  ${removed} rows removed, ${left} left`,
        ),
        inWords(removal),
        ...(removal.isComplete ? [`Deleted tenant ${name}`] : []),
      ]);
      if (!removal.isComplete) throw new Error(`Data of tenant ${name} are left; run the command again`);
    });
  },
};

/** The result of the cache invalidation. */
function inWords({ processes, silentProcesses, cachedTexts }: InvalidatedCaches): string {
  const silent = silentProcesses === 0 ? '' : `; ${silentProcesses} do not respond and are ignored`;
  const texts =
    cachedTexts === undefined
      ? 'Redis could not be reached; its entries expire within a day'
      : `${cachedTexts} entries removed from Redis`;
  return `Caches cleared in ${processes} server processes${silent}; ${texts}`;
}
