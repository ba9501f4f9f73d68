import { randomBytes } from 'node:crypto';
import { isReleaseScope, type Core, type User, type UserChanges } from '../../core';
import { type Arguments, type Command, type CommandGroup, type Options, UsageError } from '../command';
import { JSON_OPTION, print, toInstant } from '../output';
import { readStandardInput, textOf, wrongValue } from '../option-values';
import { invite, inviteUser, ownAddress, removeSecondFactor, toLines } from './user-access';
import { absent, TENANT_OPTION, withTenant } from '../with-tenant';

/** Length of a generated password: 144 random bits. */
const PASSWORD_BYTES = 18;

const DETAILS = {
  name: { type: 'string', value: 'NAME', help: 'user name for signing in' },
  display: { type: 'string', value: 'TEXT', help: 'display name' },
  'fhir-user': { type: 'string', value: 'REFERENCE', help: 'identity in FHIR, such as Practitioner/1' },
  patient: { type: 'string', value: 'ID', help: 'id of the Patient whose record is their own' },
  release: {
    ...{ type: 'string', value: 'RELEASE' },
    help: 'r4, r4b or both: the release of these ids; default r4',
  },
  administrator: {
    type: 'boolean',
    help: 'the person may administer the tenant, or of tenant system the server',
  },
  auditor: { type: 'boolean', help: 'the person may read AuditEvents' },
} as const satisfies Options;

/** Only a change takes a right away. */
const WITHDRAWALS = {
  'no-administrator': { type: 'boolean', help: 'take the right of an administrator away' },
  'no-auditor': { type: 'boolean', help: 'take the right of an auditor away' },
} as const satisfies Options;

const PASSWORD_OPTION = {
  'password-stdin': {
    type: 'boolean',
    help: 'read the password from the standard input; by default one is generated',
  },
} as const satisfies Options;

const INVITE_OPTION = {
  invite: { type: 'boolean', help: 'create no password, but a link by which the person sets it' },
} as const satisfies Options;

function toLine(user: User): string {
  const { id, name, display, isDisabled, release, fhirUser, patient } = user;
  const words = [
    isDisabled ? 'disabled' : 'active',
    ...(user.isAdministrator ? ['administrator'] : []),
    ...(user.isAuditor ? ['auditor'] : []),
    ...(user.hasSecondFactor ? ['second-factor'] : []),
  ];
  const person = fhirUser === null ? 'no FHIR identity' : `${fhirUser} (${release})`;
  const record = patient === null ? '' : `, record of Patient/${patient}`;
  return `${id}  ${words.join(',')}  ${name}  ${display}: ${person}${record}`;
}

/** As in the answers of the HTTP API. */
function toDocument({ id, name, display, created, ...user }: User): object {
  const { isDisabled: disabled, release, fhirUser, patient, invited } = user;
  return {
    ...{ id, name, display, created: toInstant(created), disabled, release, fhirUser, patient },
    ...{ administrator: user.isAdministrator, auditor: user.isAuditor },
    secondFactor: user.hasSecondFactor,
    ...(invited === null ? {} : { invited: toInstant(invited) }),
  };
}

interface Password {
  readonly password: string;
  readonly isMade: boolean;
}

/** Reads the standard input, so that neither the process list nor a shell's history contains the password. */
async function readPassword(): Promise<string> {
  return (await readStandardInput()).replace(/\r?\n$/, '');
}

async function toPassword({ options }: Arguments): Promise<Password> {
  if (options['password-stdin'] === true) return { password: await readPassword(), isMade: false };
  return { password: randomBytes(PASSWORD_BYTES).toString('base64url'), isMade: true };
}

/** Prints the user, and the password if it was generated. */
function printWith(
  { password, isMade }: Password,
  given: Arguments,
  user: User,
  lines: readonly string[],
): void {
  print(given, { ...toDocument(user), ...(isMade ? { password } : {}) }, [
    ...lines,
    ...(isMade ? [`password=${password}`] : []),
  ]);
  if (isMade) process.stderr.write('The password is not shown again\n');
}

/** Options that are not given change nothing; an empty text removes the value. */
function toChanges(options: Arguments['options']): UserChanges {
  const orNull = (name: string): string | null | undefined =>
    options[name] === '' ? null : textOf(options[name]);
  const release = textOf(options['release']);
  if (release !== undefined && !isReleaseScope(release)) throw wrongValue('release', ['r4, r4b', 'both']);
  const [name, display] = [textOf(options['name']), textOf(options['display'])];
  const [fhirUser, patient] = [orNull('fhir-user'), orNull('patient')];
  const [isAdministrator, isAuditor] = [rightOf(options, 'administrator'), rightOf(options, 'auditor')];
  return {
    ...(name === undefined ? {} : { name }),
    ...(display === undefined ? {} : { display }),
    ...(release === undefined ? {} : { release }),
    ...(fhirUser === undefined ? {} : { fhirUser }),
    ...(patient === undefined ? {} : { patient }),
    ...(isAdministrator === undefined ? {} : { isAdministrator }),
    ...(isAuditor === undefined ? {} : { isAuditor }),
  };
}

/** Undefined: the right stays as it is. */
function rightOf(options: Arguments['options'], name: 'administrator' | 'auditor'): boolean | undefined {
  const [isGiven, isTaken] = [options[name] === true, options[`no-${name}`] === true];
  if (isGiven && isTaken) throw new UsageError(`--${name} and --no-${name} exclude each other`);
  return isGiven || isTaken ? isGiven : undefined;
}

const list: Command = {
  name: 'list',
  usage: '',
  summary: 'List the accounts of people who sign in to a tenant.',
  options: { ...TENANT_OPTION, ...JSON_OPTION },
  examples: [{ line: 'andiron user list --tenant acme', does: 'Print a line for each account.' }],
  run: (given) =>
    withTenant(given, async ({ tenants: { users } }, tenant) => {
      const all = await users.list(tenant);
      print(given, { users: all.map(toDocument) }, all.map(toLine));
    }),
};

const create: Command = {
  name: 'create',
  usage: '',
  summary: 'Create an account; a generated password is shown once, or a link by which the person sets one.',
  options: { ...TENANT_OPTION, ...DETAILS, ...PASSWORD_OPTION, ...INVITE_OPTION, ...JSON_OPTION },
  examples: [
    {
      line: 'andiron user create --tenant acme --name dora --display "Dr. Dora Doe" --fhir-user Practitioner/doc',
      does: 'Create an account and print its password.',
    },
    {
      line: "echo 'correct horse battery' | andiron user create --tenant acme --name emil --fhir-user Practitioner/emil --password-stdin",
      does: 'Create one with a given password, of 12 characters or more.',
    },
    {
      line: 'andiron user create --tenant acme --name fay --fhir-user Practitioner/fay --invite',
      does: 'Create one without a password, and print a link by which the person sets it.',
    },
    {
      line: 'andiron user create --tenant system --name olga --administrator',
      does: 'Create an administrator of the server, who signs in to the console.',
    },
  ],
  run: async (given) => {
    const changes = toChanges(given.options);
    if (given.options['invite'] === true) return createInvited(given, changes);
    const made = await toPassword(given);
    await withTenant(given, async ({ tenants: { users } }, tenant) => {
      const user = await users.create(tenant, { ...changes, password: made.password });
      printWith(made, given, user, [`user_id=${user.id}`, `name=${user.name}`]);
    });
  },
};

async function createInvited(given: Arguments, changes: UserChanges): Promise<void> {
  if (given.options['password-stdin'] === true)
    throw new UsageError('--invite and --password-stdin exclude each other');
  const base = ownAddress();
  await withTenant(given, async ({ tenants: { users } }, tenant) => {
    const user = await users.create(tenant, changes);
    const invitation = await inviteUser(users, tenant, { id: user.id, base });
    print(given, { ...toDocument(user), invited: invitation.expires, invitation }, [
      ...[`user_id=${user.id}`, `name=${user.name}`],
      ...toLines(invitation),
    ]);
  });
}

const changeUser: Command = {
  name: 'change',
  usage: 'USER_ID',
  summary: 'Change an account; options that are not given change nothing, an empty value removes it.',
  options: { ...TENANT_OPTION, ...DETAILS, ...WITHDRAWALS, ...JSON_OPTION },
  examples: [
    {
      line: 'andiron user change USER_ID --tenant acme --display "Prof. Dora Doe"',
      does: 'Change the display name.',
    },
    {
      line: 'andiron user change USER_ID --tenant acme --no-administrator',
      does: 'Take the right of an administrator away.',
    },
  ],
  run: async (given) => {
    const changes = toChanges(given.options);
    await withTenant(given, async ({ tenants: { users } }, tenant) => {
      const user = await changed(users, tenant, given, changes);
      print(given, toDocument(user), [toLine(user)]);
    });
  },
};

const password: Command = {
  name: 'password',
  usage: 'USER_ID',
  summary: 'Set a new password, which is shown once if it is generated; all sign-ins of the account end.',
  options: { ...TENANT_OPTION, ...PASSWORD_OPTION, ...JSON_OPTION },
  examples: [
    { line: 'andiron user password USER_ID --tenant acme', does: 'Generate a new password and print it.' },
  ],
  run: async (given) => {
    const made = await toPassword(given);
    await withTenant(given, async ({ tenants: { users } }, tenant) => {
      const user = await changed(users, tenant, given, { password: made.password });
      printWith(made, given, user, [toLine(user)]);
    });
  },
};

const disable: Command = {
  name: 'disable',
  usage: 'USER_ID',
  summary: 'Sign an account out everywhere, and let it sign in no more.',
  options: { ...TENANT_OPTION, ...JSON_OPTION },
  examples: [{ line: 'andiron user disable USER_ID --tenant acme', does: 'Lock the person out.' }],
  run: setDisabled(true),
};

const enable: Command = {
  name: 'enable',
  usage: 'USER_ID',
  summary: 'Let a disabled account sign in again.',
  options: { ...TENANT_OPTION, ...JSON_OPTION },
  examples: [{ line: 'andiron user enable USER_ID --tenant acme', does: 'Let the person sign in again.' }],
  run: setDisabled(false),
};

const remove: Command = {
  name: 'remove',
  usage: 'USER_ID',
  summary: 'Remove an account with its sign-ins.',
  options: { ...TENANT_OPTION, ...JSON_OPTION },
  examples: [{ line: 'andiron user remove USER_ID --tenant acme', does: 'Remove the account.' }],
  run: (given) =>
    withTenant(given, async ({ tenants: { users } }, tenant) => {
      const [id = ''] = given.words;
      if (!(await users.remove(tenant, id))) throw absent('user', id, await users.list(tenant));
      print(given, { removed: id }, [`Removed user ${id}`]);
    }),
};

function setDisabled(isDisabled: boolean): Command['run'] {
  return (given) =>
    withTenant(given, async ({ tenants: { users } }, tenant) => {
      const user = await changed(users, tenant, given, { isDisabled });
      print(given, toDocument(user), [toLine(user)]);
    });
}

async function changed(
  users: Core['tenants']['users'],
  tenant: string,
  given: Arguments,
  changes: UserChanges,
): Promise<User> {
  const [id = ''] = given.words;
  const user = await users.change(tenant, id, changes);
  if (user === undefined) throw absent('user', id, await users.list(tenant));
  return user;
}

export const user: CommandGroup = {
  name: 'user',
  summary: 'List, create, change, disable or remove the accounts of people who sign in to a tenant.',
  commands: [list, create, changeUser, invite, password, removeSecondFactor, disable, enable, remove],
};
