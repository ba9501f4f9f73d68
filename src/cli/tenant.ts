import type { Core } from '../core';
import { type Command, UsageError } from './command';
import { withApp } from './with-app';

async function listTenants({ tenants }: Core): Promise<void> {
  const all = await tenants.list();
  const width = Math.max(...all.map(({ name }) => name.length));
  for (const { name, status, created } of all) {
    process.stdout.write(`${name.padEnd(width)}  ${status.padEnd(8)}  ${new Date(created).toISOString()}\n`);
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

async function showTenant({ tenants }: Core, name: string): Promise<void> {
  const described = await tenants.describe(name);
  if (described === undefined) throw new UsageError(`There is no tenant '${name}'`);
  const { status, created, settings, own } = described;
  process.stdout.write(`${name}  ${status}  ${new Date(created).toISOString()}\n`);
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

export const tenant: Command = {
  name: 'tenant',
  usage: 'list | create NAME [SETTING=VALUE …] | disable NAME | show NAME | set NAME SETTING=VALUE …',
  summary: 'Show the tenants, make one, set its settings, or stop it from being answered; its data stays.',
  async run({ words }) {
    const [action, name, ...more] = words;
    if (name !== undefined && action === 'set' && more.length > 0)
      return withApp(({ core }) => setTenant(core, name, more));
    if (name !== undefined && action === 'create')
      return withApp(({ core }) => createTenant(core, name, more));
    if (more.length > 0) throw new UsageError('One tenant at a time');
    if (action === 'list' && name === undefined) return withApp(({ core }) => listTenants(core));
    if (name !== undefined && action === 'disable') return withApp(({ core }) => disableTenant(core, name));
    if (name !== undefined && action === 'show') return withApp(({ core }) => showTenant(core, name));
    throw new UsageError(`andiron tenant ${tenant.usage}`);
  },
};
