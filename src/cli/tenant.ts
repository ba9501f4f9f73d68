import type { Core, InvalidatedCaches } from '../core';
import { type Arguments, type Command, UsageError } from './command';
import { readFolder, readLines, writeFolder, writeStream } from './tenant-files';
import { withApp } from './with-app';

async function listTenants({ tenants }: Core): Promise<void> {
  const all = await tenants.list();
  const width = Math.max(...all.map(({ name }) => name.length));
  for (const { name, display, status, created } of all) {
    const called = display === name ? '' : `  ${display}`;
    process.stdout.write(
      `${name.padEnd(width)}  ${status.padEnd(8)}  ${new Date(created).toISOString()}${called}\n`,
    );
  }
}

async function createTenant({ tenants }: Core, name: string, words: readonly string[]): Promise<void> {
  const settings = new Map(
    Object.entries(toChanges(words)).map(([setting, value]) => [setting, value ?? '']),
  );
  const tenant = await tenants.create(name, Object.fromEntries(settings));
  process.stdout.write(`Created tenant ${tenant.name}\n`);
}

async function disableTenant({ tenants }: Core, name: string): Promise<void> {
  if (!(await tenants.disable(name))) throw new UsageError(`There is no tenant '${name}'`);
  process.stdout.write(`Disabled tenant ${name}\n`);
}

async function enableTenant({ tenants }: Core, name: string): Promise<void> {
  if (!(await tenants.enable(name))) throw new UsageError(`There is no tenant '${name}'`);
  process.stdout.write(`Enabled tenant ${name}\n`);
}

/** Without a display name the name is shown. */
async function renameTenant({ tenants }: Core, name: string, words: readonly string[]): Promise<void> {
  const display = words.length === 0 ? null : words.join(' ');
  if (!(await tenants.rename(name, display))) throw new UsageError(`There is no tenant '${name}'`);
  process.stdout.write(`The display name of tenant ${name} is ${display ?? name}\n`);
}

async function deleteTenant({ tenants }: Core, name: string, confirmed: unknown): Promise<void> {
  if (confirmed !== name)
    throw new UsageError(
      `This permanently deletes tenant ${name} with all its data. Confirm with: andiron tenant delete ${name} --confirm ${name}`,
    );
  const removal = await tenants.remove(name);
  if (removal === undefined) throw new UsageError(`There is no tenant '${name}'`);
  const width = Math.max(...removal.tables.map(({ table }) => table.length));
  for (const { table, removed, left } of removal.tables)
    process.stdout.write(`${table.padEnd(width)}  ${removed} rows removed, ${left} left\n`);
  process.stdout.write(`${inWords(removal)}\n`);
  if (!removal.isComplete) throw new Error(`Data of tenant ${name} are left; run the command again`);
  process.stdout.write(`Deleted tenant ${name}\n`);
}

async function exportTenant({ tenants }: Core, name: string, options: Options): Promise<void> {
  const { to, current } = options;
  if (current === true && typeof to !== 'string')
    throw new UsageError('--current needs --to FOLDER, because it writes two files');
  const lines = await tenants.export(name, current === true ? 'current' : 'all');
  if (lines === undefined) throw new UsageError(`There is no tenant '${name}' that can be exported`);
  if (typeof to === 'string') await writeFolder(to, lines);
  else await writeStream(process.stdout, lines);
}

async function importTenant({ tenants }: Core, name: string, { from }: Options): Promise<void> {
  const lines = typeof from === 'string' ? readFolder(from) : readLines(process.stdin);
  const { versions, resources, subscriptionsOff } = await tenants.import(name, lines);
  process.stdout.write(`Tenant ${name} has ${versions} versions of ${resources} resources\n`);
  if (subscriptionsOff > 0)
    process.stdout.write(
      `${subscriptionsOff} versions of Subscriptions that request notifications are stored as off\n`,
    );
}

/** The result of the cache invalidation. */
function inWords({ processes, silentProcesses, cachedTexts }: InvalidatedCaches): string {
  const silent = silentProcesses === 0 ? '' : `; ${silentProcesses} do not respond and are ignored`;
  const texts =
    cachedTexts === undefined
      ? 'Redis could not be reached; its entries expire within a day'
      : `${cachedTexts} entries removed from Redis`;
  return `Caches cleared in ${processes} server processes${silent}; ${texts}`;
}

async function showTenant({ tenants }: Core, name: string): Promise<void> {
  const described = await tenants.describe(name);
  if (described === undefined) throw new UsageError(`There is no tenant '${name}'`);
  const { display, status, created, settings, own, usage } = described;
  const called = display === name ? name : `${name} (${display})`;
  process.stdout.write(`${called}  ${status}  ${new Date(created).toISOString()}\n`);
  process.stdout.write(`${usage.resources} resources, ${usage.bytes} bytes\n`);
  for (const [setting, value] of Object.entries(settings))
    process.stdout.write(`${setting}=${value}${own.includes(setting) ? '' : '  (default of the server)'}\n`);
}

async function setTenant(core: Core, name: string, words: readonly string[]): Promise<void> {
  if (!(await core.tenants.changeSettings(name, toChanges(words))))
    throw new UsageError(`There is no tenant '${name}'`);
  await showTenant(core, name);
}

/** `validation=structure`; without a value the setting is reset to the server's default. */
function toChanges(words: readonly string[]): Readonly<Record<string, string | null>> {
  const changes = new Map<string, string | null>();
  for (const word of words) {
    const [setting = '', value, ...more] = word.split('=');
    if (value === undefined || more.length > 0) throw new UsageError(`'${word}' is not SETTING=VALUE`);
    changes.set(setting, value === '' ? null : value);
  }
  return Object.fromEntries(changes);
}

type Options = Arguments['options'];
type Action = (core: Core, name: string, more: readonly string[], options: Options) => Promise<void>;

/** Only actions with `takesWords` accept further arguments. */
const ACTIONS: ReadonlyMap<string, { readonly run: Action; readonly takesWords?: boolean }> = new Map<
  string,
  { readonly run: Action; readonly takesWords?: boolean }
>([
  ['create', { run: createTenant, takesWords: true }],
  ['disable', { run: disableTenant }],
  ['enable', { run: enableTenant }],
  ['rename', { run: renameTenant, takesWords: true }],
  ['show', { run: showTenant }],
  ['set', { run: setTenant, takesWords: true }],
  ['delete', { run: (core, name, _more, { confirm }) => deleteTenant(core, name, confirm) }],
  ['export', { run: (core, name, _more, options) => exportTenant(core, name, options) }],
  ['import', { run: (core, name, _more, options) => importTenant(core, name, options) }],
]);

export const tenant: Command = {
  name: 'tenant',
  usage:
    'list | create NAME [SETTING=VALUE …] | disable NAME | enable NAME | rename NAME [DISPLAY] | show NAME | set NAME SETTING=VALUE … | delete NAME --confirm NAME | export NAME [--to FOLDER] [--current] | import NAME [--from FOLDER]',
  summary: 'List, create, configure, rename, disable, enable, delete, export or import tenants.',
  options: {
    confirm: { type: 'string', help: 'the name of the tenant to delete, to confirm' },
    to: { type: 'string', help: 'a new folder for the export; default standard output' },
    current: {
      type: 'boolean',
      help: 'export only the current resources, without history, for other programs',
    },
    from: { type: 'string', help: 'the folder of an export with all versions; default standard input' },
  },
  async run({ words, options }) {
    const [action = '', name, ...more] = words;
    if (action === 'list' && name === undefined) return withApp(({ core }) => listTenants(core));
    const command = ACTIONS.get(action);
    if (command === undefined || name === undefined || (action === 'set' && more.length === 0))
      throw new UsageError(`andiron tenant ${tenant.usage}`);
    if (more.length > 0 && command.takesWords !== true) throw new UsageError('Only one tenant can be named');
    return withApp(({ core }) => command.run(core, name, more, options));
  },
};
