import type { Core, Forgotten } from '../core';
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

/** Without a display it is called by its name again. */
async function renameTenant({ tenants }: Core, name: string, words: readonly string[]): Promise<void> {
  const display = words.length === 0 ? null : words.join(' ');
  if (!(await tenants.rename(name, display))) throw new UsageError(`There is no tenant '${name}'`);
  process.stdout.write(`Tenant ${name} is called ${display ?? name}\n`);
}

async function deleteTenant({ tenants }: Core, name: string, confirmed: unknown): Promise<void> {
  if (confirmed !== name)
    throw new UsageError(
      `This removes tenant ${name} and everything in it, for ever. Say its name again: andiron tenant delete ${name} --confirm ${name}`,
    );
  const removal = await tenants.remove(name);
  if (removal === undefined) throw new UsageError(`There is no tenant '${name}'`);
  const width = Math.max(...removal.tables.map(({ table }) => table.length));
  for (const { table, removed, left } of removal.tables)
    process.stdout.write(`${table.padEnd(width)}  ${removed} rows removed, ${left} left\n`);
  process.stdout.write(`${inWords(removal)}\n`);
  if (!removal.isComplete) throw new Error(`Something of tenant ${name} is left; run the command again`);
  process.stdout.write(`Deleted tenant ${name}\n`);
}

async function exportTenant({ tenants }: Core, name: string, options: Options): Promise<void> {
  const { to, current } = options;
  if (current === true && typeof to !== 'string')
    throw new UsageError('Current resources of both releases are two files: say --to FOLDER');
  const lines = await tenants.export(name, current === true ? 'current' : 'all');
  if (lines === undefined) throw new UsageError(`There is no tenant '${name}' that could be exported`);
  if (typeof to === 'string') await writeFolder(to, lines);
  else await writeStream(process.stdout, lines);
}

async function importTenant({ tenants }: Core, name: string, { from }: Options): Promise<void> {
  const lines = typeof from === 'string' ? readFolder(from) : readLines(process.stdin);
  const { versions, resources } = await tenants.import(name, lines);
  process.stdout.write(`Tenant ${name} has ${versions} versions of ${resources} resources\n`);
}

/** What became of what was remembered. */
function inWords({ processes, silentProcesses, cachedTexts }: Forgotten): string {
  const silent =
    silentProcesses === 0 ? '' : `; ${silentProcesses} gave no sign of life and are taken for dead`;
  const texts =
    cachedTexts === undefined
      ? 'Redis could not be reached, and holds what it has for a day at most'
      : `${cachedTexts} texts removed from Redis`;
  return `Forgotten by ${processes} server processes${silent}; ${texts}`;
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

/** `validation=structure`; without a value the default of the server again. */
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

/** Without further words, but for those that say so. */
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
  summary:
    'Show the tenants, make one, set its settings, stop it from being answered and let it again, delete it with everything in it, write all of it to a folder (or as one stream), or make one of that.',
  options: {
    confirm: { type: 'string', help: 'the name again, of what is to be deleted' },
    to: { type: 'string', help: 'a new folder to export to; else standard output' },
    current: {
      type: 'boolean',
      help: 'export the resources as they are now, for other programs, and no history',
    },
    from: { type: 'string', help: 'the folder of an export of all versions; else standard input' },
  },
  async run({ words, options }) {
    const [action = '', name, ...more] = words;
    if (action === 'list' && name === undefined) return withApp(({ core }) => listTenants(core));
    const known = ACTIONS.get(action);
    if (known === undefined || name === undefined || (action === 'set' && more.length === 0))
      throw new UsageError(`andiron tenant ${tenant.usage}`);
    if (more.length > 0 && known.takesWords !== true) throw new UsageError('One tenant at a time');
    return withApp(({ core }) => known.run(core, name, more, options));
  },
};
