import {
  EXPLAINED,
  isRelease,
  RELEASE_NAMES,
  type AccessExplanation,
  type ExplainedGrant,
  type ExplainedInteraction,
} from '../../core';
import type { Command } from '../command';
import { makeLog } from '../log';
import { readJsonFile, textOf, wrongValue } from '../option-values';
import { JSON_OPTION, print } from '../output';
import { TENANT_OPTION, withTenant } from '../with-tenant';

export const access: Command = {
  name: 'access',
  usage: 'TYPE[/ID]',
  summary:
    'Say whether a client or a person may do something, and why or why not; or what a policy would allow.',
  options: {
    ...TENANT_OPTION,
    client: {
      type: 'string',
      value: 'NAME',
      help: 'id or name of a client; with --user the console by default',
    },
    user: { type: 'string', value: 'NAME', help: 'id or name of an account' },
    patient: { type: 'string', value: 'ID', help: 'the patient in context, where the person chooses one' },
    interaction: { type: 'string', value: EXPLAINED.join('|'), help: 'default: all' },
    policy: { type: 'string', value: 'FILE', help: 'try this policy, which is not stored' },
    release: { type: 'string', value: 'r4|r4b', help: 'default: r4' },
    ...JSON_OPTION,
  },
  examples: [
    {
      line: 'andiron access Observation/f001 --tenant acme --client "Ward app"',
      does: 'Say what the client may do with the resource.',
    },
    {
      line: 'andiron access Patient --tenant acme --policy ward.json',
      does: 'Say what a policy would allow, before it is stored.',
    },
  ],
  run: async (given) => {
    const text = (name: string): string | undefined => textOf(given.options[name]);
    const release = text('release') ?? 'r4';
    if (!isRelease(release)) throw wrongValue('release', RELEASE_NAMES);
    const interaction = text('interaction');
    if (interaction !== undefined && !isExplained(interaction)) throw wrongValue('interaction', EXPLAINED);
    const [type = '', id] = (given.words[0] ?? '').split('/');
    const file = text('policy');
    const policy =
      file === undefined ? undefined : { name: 'tried', definition: await readJsonFile(file, '--policy') };
    await withTenant(given, async ({ tenants }, tenant) => {
      const explained = await tenants.access.explain({
        ...{ tenant, release, type, id, policy, requestId: 'access' },
        ...{ client: text('client'), user: text('user'), patient: text('patient') },
        interactions: interaction === undefined ? undefined : [interaction],
        log: makeLog({ log: { level: 'warn' } }, 2),
      });
      print(given, explained, toLines(explained));
    });
  },
};

function isExplained(text: string): text is ExplainedInteraction {
  return EXPLAINED.some((each) => each === text);
}

function toLines({ who, answers, hidden, hiddenHere, readOnly, patients }: AccessExplanation): string[] {
  const list = (title: string, items: readonly string[] = []): string[] =>
    items.length === 0 ? [] : [`${title}: ${items.join(', ')}`];
  return [
    who,
    ...answers.flatMap(({ interaction, allowed, reason, grants }) => [
      `${interaction.padEnd(6)}  ${allowed.padEnd(4)}  ${reason}`,
      ...grants.map((grant) => `                ${toLine(grant)}`),
    ]),
    ...list('hidden', hidden),
    ...list('hidden in this resource', hiddenHere),
    ...list('cannot be changed', readOnly),
    ...list('in the records of the patients', patients),
  ];
}

function toLine({ grant, policy, rule, allows }: ExplainedGrant): string {
  return `${allows.padEnd(4)}  ${policy === undefined ? grant : `${policy}, rule ${rule ?? ''}: ${grant}`}`;
}
