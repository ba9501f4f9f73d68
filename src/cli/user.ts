import { randomBytes } from 'node:crypto';
import { isReleaseScope, type Core, type User, type UserChanges } from '../core';
import { type Arguments, type Command, UsageError } from './command';
import { withApp } from './with-app';

type Options = Arguments['options'];

/** Length of a generated password: 144 random bits. */
const PASSWORD_BYTES = 18;

function show({ id, name, display, isDisabled, release, fhirUser, patient }: User): void {
  const person = fhirUser === null ? 'no FHIR identity' : `${fhirUser} (${release})`;
  const record = patient === null ? '' : `, record of Patient/${patient}`;
  process.stdout.write(
    `${id}  ${isDisabled ? 'disabled' : 'active'}  ${name}  ${display}: ${person}${record}\n`,
  );
}

/** Reads the standard input, so that neither the process list nor a shell's history contains the password. */
async function readPassword(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk);
  return text.replace(/\r?\n$/, '');
}

async function toPassword(
  options: Options,
): Promise<{ readonly password: string; readonly isMade: boolean }> {
  if (options['password-stdin'] === true) return { password: await readPassword(), isMade: false };
  return { password: randomBytes(PASSWORD_BYTES).toString('base64url'), isMade: true };
}

function printPassword({ password, isMade }: Awaited<ReturnType<typeof toPassword>>): void {
  if (!isMade) return;
  process.stdout.write(`password=${password}\n`);
  process.stderr.write('The password is not shown again\n');
}

/** Options that are not given change nothing; an empty text removes the value. */
function toChanges(options: Options): UserChanges {
  const text = (name: string): string | undefined => {
    const value = options[name];
    return typeof value === 'string' ? value : undefined;
  };
  const orNull = (name: string): string | null | undefined => (text(name) === '' ? null : text(name));
  const release = text('release');
  if (release !== undefined && !isReleaseScope(release))
    throw new UsageError('--release must be r4, r4b or both');
  const [name, display, fhirUser, patient] = [
    text('name'),
    text('display'),
    orNull('fhir-user'),
    orNull('patient'),
  ];
  return {
    ...(name === undefined ? {} : { name }),
    ...(display === undefined ? {} : { display }),
    ...(release === undefined ? {} : { release }),
    ...(fhirUser === undefined ? {} : { fhirUser }),
    ...(patient === undefined ? {} : { patient }),
  };
}

async function create({ users }: Core, tenant: string, options: Options): Promise<void> {
  const made = await toPassword(options);
  const user = await users.create(tenant, { ...toChanges(options), password: made.password });
  process.stdout.write(`user_id=${user.id}\nname=${user.name}\n`);
  printPassword(made);
}

async function change({ users }: Core, tenant: string, id: string, changes: UserChanges): Promise<void> {
  const changed = await users.change(tenant, id, changes);
  if (changed === undefined) throw new UsageError(`There is no user '${id}'`);
  show(changed);
}

async function changePassword(core: Core, tenant: string, id: string, options: Options): Promise<void> {
  const made = await toPassword(options);
  await change(core, tenant, id, { password: made.password });
  printPassword(made);
}

async function remove({ users }: Core, tenant: string, id: string): Promise<void> {
  if (!(await users.remove(tenant, id))) throw new UsageError(`There is no user '${id}'`);
  process.stdout.write(`Removed user ${id}\n`);
}

export const user: Command = {
  name: 'user',
  usage: 'list | create | change ID | password ID | disable ID | enable ID | remove ID, with --tenant NAME',
  summary:
    'List, create, change, disable or remove the accounts of people who sign in to a tenant; a generated password is shown once.',
  options: {
    tenant: { type: 'string', help: 'name of the tenant' },
    name: { type: 'string', help: 'user name for signing in' },
    display: { type: 'string', help: 'display name' },
    'fhir-user': { type: 'string', help: 'identity in FHIR, such as Practitioner/1' },
    patient: { type: 'string', help: 'id of the Patient whose record is their own' },
    release: { type: 'string', help: 'r4, r4b or both: the release of these ids; default r4' },
    'password-stdin': {
      type: 'boolean',
      help: 'read the password from the standard input; by default one is generated',
    },
  },
  async run({ words, options }) {
    const { tenant } = options;
    if (typeof tenant !== 'string') throw new UsageError('--tenant is missing');
    const [action, id, ...more] = words;
    const perform = async (core: Core): Promise<void> => {
      if (action === 'list' && id === undefined) return (await core.users.list(tenant)).forEach(show);
      if (action === 'create' && id === undefined) return create(core, tenant, options);
      if (id === undefined || more.length > 0) throw new UsageError(`andiron user ${user.usage}`);
      if (action === 'change') return change(core, tenant, id, toChanges(options));
      if (action === 'password') return changePassword(core, tenant, id, options);
      if (action === 'disable') return change(core, tenant, id, { isDisabled: true });
      if (action === 'enable') return change(core, tenant, id, { isDisabled: false });
      if (action === 'remove') return remove(core, tenant, id);
      throw new UsageError(`andiron user ${user.usage}`);
    };
    await withApp(({ core }) => perform(core));
  },
};
