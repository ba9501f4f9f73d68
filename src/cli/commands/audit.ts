import { isRelease, RELEASE_NAMES, TRAIL_OUTCOMES, type TrailEvent, type TrailOutcome } from '../../core';
import type { Command } from '../command';
import { makeLog } from '../log';
import { textOf, wrongValue } from '../option-values';
import { JSON_OPTION, print } from '../output';
import { TENANT_OPTION, withTenant } from '../with-tenant';

const ACTIONS: readonly string[] = ['C', 'R', 'U', 'D', 'E'];

export const audit: Command = {
  name: 'audit',
  usage: '',
  summary: 'Print who did what in a tenant: its AuditEvents, the newest first; alike ones are one line.',
  options: {
    ...TENANT_OPTION,
    release: { type: 'string', value: 'r4|r4b', help: 'default: r4' },
    who: { type: 'string', value: 'NAME', help: 'id or name of a client or account, or Practitioner/1' },
    action: { type: 'string', value: 'C|R|U|D|E', help: 'created, read, updated, deleted, executed' },
    what: { type: 'string', value: 'RESOURCE', help: 'a resource or patient, such as Patient/1' },
    since: { type: 'string', value: 'DATE', help: 'from this date or instant on' },
    until: { type: 'string', value: 'DATE', help: 'before this date or instant' },
    outcome: { type: 'string', value: TRAIL_OUTCOMES.join('|'), help: 'only events with this outcome' },
    each: { type: 'boolean', help: 'a line for each event' },
    page: { type: 'string', value: 'TEXT', help: 'the next of an earlier call: older events' },
    ...JSON_OPTION,
  },
  examples: [
    { line: 'andiron audit --tenant acme', does: 'Print the latest events.' },
    {
      line: 'andiron audit --tenant acme --who dora --what Patient/1 --since 2026-11-01',
      does: 'Print what a person did with the data of a patient.',
    },
  ],
  run: async (given) => {
    const text = (name: string): string | undefined => textOf(given.options[name]);
    const {
      release = 'r4',
      action,
      outcome,
    } = Object.fromEntries(['release', 'action', 'outcome'].map((name) => [name, text(name)]));
    if (!isRelease(release)) throw wrongValue('release', RELEASE_NAMES);
    if (action !== undefined && !ACTIONS.includes(action)) throw wrongValue('action', ACTIONS);
    if (outcome !== undefined && !isOutcome(outcome)) throw wrongValue('outcome', TRAIL_OUTCOMES);
    const [who, what, since, until] = ['who', 'what', 'since', 'until'].map(text);
    await withTenant(given, async ({ tenants }, tenant) => {
      const page = await tenants.audit.page(
        { tenant, release, requestId: 'audit', log: makeLog({ log: { level: 'warn' } }, 2) },
        { who, action, what, since, until, outcome },
        { after: text('page'), each: given.options['each'] === true },
      );
      const { events, notes, next } = page;
      print(given, page, [
        ...notes,
        ...events.map(toLine),
        ...(next === undefined ? [] : [`There are older events: --page ${next}`]),
      ]);
    });
  },
};

function isOutcome(text: string): text is TrailOutcome {
  return TRAIL_OUTCOMES.some((outcome) => outcome === text);
}

function toLine({ recorded, outcome, client, person, times, ...event }: TrailEvent): string {
  const who = [person, client].flatMap((agent) => (agent === undefined ? [] : (agent.name ?? agent.id)));
  const what = [...event.resources, ...event.patients].slice(0, 3).join(' ');
  return [
    recorded,
    outcome,
    who.join(' by '),
    event.interaction,
    what === '' ? (event.query ?? '') : what,
    ...(times === 1 ? [] : [`${times} times since ${event.first ?? ''}`]),
  ].join('  ');
}
