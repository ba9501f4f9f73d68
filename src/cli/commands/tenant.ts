import { loadSettings } from '../../config';
import { type Core, FhirError, type Tenant } from '../../core';
import { type Arguments, type Command, type CommandGroup, UsageError } from '../command';
import { readStandardInput, readTextFile } from '../option-values';
import { JSON_OPTION, print, toInstant } from '../output';
import { deleteTenant, exportTenant, importTenant } from './tenant-data';
import { moveTenant } from './tenant-move';
import { withApp } from '../with-app';
import { noTenant } from '../with-tenant';

/** As in the answers of the HTTP API. */
function toDocument({ name, display, status, created }: Tenant): object {
  return { name, display, status, created: toInstant(created) };
}

const list: Command = {
  name: 'list',
  usage: '',
  summary: 'List all tenants, with their nodes if the database is distributed.',
  options: JSON_OPTION,
  examples: [
    { line: 'andiron tenant list', does: 'Print a line for each tenant.' },
    { line: 'andiron tenant list --json', does: 'Print them for a program.' },
  ],
  run: (given) =>
    withApp(async ({ core }) => {
      const all = await core.tenants.list();
      const nodes = await locate();
      const width = Math.max(...all.map(({ name }) => name.length));
      const lines = all.map(({ name, display, status, created }) => {
        const at = nodes === undefined ? '' : `  ${nodes.get(name) ?? '-'}`;
        const called = display === name ? '' : `  ${display}`;
        return `${name.padEnd(width)}  ${status.padEnd(8)}  ${toInstant(created)}${at}${called}`;
      });
      const tenants = all.map((each) => ({
        ...toDocument(each),
        ...(nodes === undefined ? {} : { node: nodes.get(each.name) }),
      }));
      print(given, { tenants }, lines);
    }),
};

/** The node of each tenant; undefined: the database is not distributed. */
async function locate(): Promise<ReadonlyMap<string, string> | undefined> {
  const { databaseOptions } = await import('../../app.js');
  const { locateTenants } = await import('../../core/index.js');
  return locateTenants(databaseOptions(loadSettings(process.env)));
}

const create: Command = {
  name: 'create',
  usage: '[NAME …] [SETTING=VALUE …]',
  summary: 'Create tenants with the same settings. The setting time-zone can be set only now.',
  options: {
    ...JSON_OPTION,
    names: {
      ...{ type: 'string', value: 'FILE' },
      help: 'file with further names, one on each line; - is the standard input',
    },
  },
  examples: [
    { line: 'andiron tenant create acme', does: 'Create the tenant acme, with the defaults of the server.' },
    {
      line: 'andiron tenant create nord time-zone=Europe/Copenhagen validation=lenient',
      does: 'Create a tenant with settings of its own.',
    },
    {
      line: 'seq --format clinic-%g 1000 | andiron tenant create --names - validation=lenient',
      does: 'Create a thousand tenants. Those that exist already are told, and stay what they are.',
    },
  ],
  run: async (given) => {
    const names = [...given.words.filter((word) => !word.includes('=')), ...(await readNames(given))];
    if (names.length === 0)
      throw new UsageError(
        'NAME is missing: npx --no-install andiron tenant create [NAME …] [SETTING=VALUE …] [options]. See npx --no-install andiron tenant create --help',
      );
    const changes = Object.entries(toChanges(given.words.filter((word) => word.includes('='))));
    const settings = Object.fromEntries(changes.map(([setting, value]) => [setting, value ?? ''] as const));
    await withApp(({ core }) => createTenants(core, given, { names, settings }));
  },
};

async function readNames({ options: { names } }: Arguments): Promise<readonly string[]> {
  if (typeof names !== 'string') return [];
  const text = names === '-' ? await readStandardInput() : await readTextFile(names, '--names');
  return text.split(/\s+/).filter((name) => name !== '');
}

interface NewTenants {
  readonly names: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
}

/** Prints the tenant, or of several those that were created and those that existed. */
async function createTenants(
  { tenants }: Core,
  given: Arguments,
  { names, settings }: NewTenants,
): Promise<void> {
  const [first = ''] = names;
  if (names.length === 1) {
    const tenant = await tenants.create(first, settings);
    print(given, toDocument(tenant), [`Created tenant ${tenant.name}`]);
    return;
  }
  const created: Tenant[] = [];
  const existing: string[] = [];
  try {
    for (const name of names) {
      const tenant = await tenants.create(name, settings).catch((error: unknown) => {
        if (!(error instanceof FhirError)) throw error;
        if (error.key === 'tenantExists') return undefined;
        throw new Error(`${name}: ${error.message}`);
      });
      if (tenant === undefined) existing.push(name);
      else created.push(tenant);
    }
  } finally {
    // Also where a name in the middle is refused.
    print(given, { created: created.map(toDocument), existing }, [
      ...created.map(({ name }) => `Created tenant ${name}`),
      ...existing.map((name) => `The tenant ${name} exists already`),
    ]);
  }
}

const show: Command = {
  name: 'show',
  usage: 'NAME',
  summary: 'Show a tenant with its settings and the size of its data.',
  options: JSON_OPTION,
  examples: [{ line: 'andiron tenant show acme', does: 'Show which settings differ from the server.' }],
  run: (given) => withApp(({ core }) => showTenant(core, given)),
};

async function showTenant({ tenants }: Core, given: Arguments): Promise<void> {
  const [name = ''] = given.words;
  const described = await tenants.describe(name);
  if (described === undefined) throw await noTenant(tenants, name);
  const { display, status, created, settings, own, usage } = described;
  const called = display === name ? name : `${name} (${display})`;
  print(given, { ...toDocument(described), settings, own, usage }, [
    `${called}  ${status}  ${toInstant(created)}`,
    `${usage.resources} resources, ${usage.bytes} bytes`,
    ...Object.entries(settings).map(
      ([setting, value]) => `${setting}=${value}${own.includes(setting) ? '' : '  (default of the server)'}`,
    ),
  ]);
}

const set: Command = {
  name: 'set',
  usage: 'NAME SETTING=VALUE …',
  summary: 'Change settings of a tenant; SETTING= resets one to the default of the server.',
  options: JSON_OPTION,
  examples: [
    {
      line: 'andiron tenant set acme rate-limit=200/s search-unknown=lenient',
      does: 'Limit its requests, and ignore unknown search parameters.',
    },
    { line: 'andiron tenant set acme rate-limit=', does: 'Use the default of the server again.' },
  ],
  run: async (given) => {
    const [name = '', ...words] = given.words;
    const changes = toChanges(words);
    await withApp(async ({ core }) => {
      if (!(await core.tenants.changeSettings(name, changes))) throw await noTenant(core.tenants, name);
      await showTenant(core, given);
    });
  },
};

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

/** Changes the tenant and prints `line`, or the tenant as JSON. */
function changed(change: (core: Core, name: string) => Promise<boolean>, line: (name: string) => string) {
  return (given: Arguments): Promise<void> =>
    withApp(async ({ core }) => {
      const [name = ''] = given.words;
      if (!(await change(core, name))) throw await noTenant(core.tenants, name);
      const now = (await core.tenants.list()).find((tenant) => tenant.name === name);
      print(given, now === undefined ? { name } : toDocument(now), [line(name)]);
    });
}

const rename: Command = {
  name: 'rename',
  usage: 'NAME [DISPLAY …]',
  summary: 'Change the display name of a tenant; without DISPLAY it is the name.',
  options: JSON_OPTION,
  examples: [
    { line: 'andiron tenant rename acme "Acme Hospital"', does: 'Change the name that people see.' },
  ],
  run: (given) => {
    const display = given.words.length === 1 ? null : given.words.slice(1).join(' ');
    return changed(
      ({ tenants }, name) => tenants.rename(name, display),
      (name) => `The display name of tenant ${name} is ${display ?? name}`,
    )(given);
  },
};

const disable: Command = {
  name: 'disable',
  usage: 'NAME',
  summary: 'Answer no request of a tenant any more; its data stay.',
  options: JSON_OPTION,
  examples: [{ line: 'andiron tenant disable acme', does: 'Stop all requests of the tenant.' }],
  run: changed(
    ({ tenants }, name) => tenants.disable(name),
    (name) => `Disabled tenant ${name}`,
  ),
};

const enable: Command = {
  name: 'enable',
  usage: 'NAME',
  summary: 'Answer requests of a disabled tenant again.',
  options: JSON_OPTION,
  examples: [{ line: 'andiron tenant enable acme', does: 'Answer its requests again.' }],
  run: changed(
    ({ tenants }, name) => tenants.enable(name),
    (name) => `Enabled tenant ${name}`,
  ),
};

export const tenant: CommandGroup = {
  name: 'tenant',
  summary: 'List, create, configure, rename, disable, enable, move, export, import or delete tenants.',
  commands: [
    list,
    create,
    show,
    set,
    rename,
    disable,
    enable,
    moveTenant,
    exportTenant,
    importTenant,
    deleteTenant,
  ],
};
