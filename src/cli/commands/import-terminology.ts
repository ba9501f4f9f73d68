import { FORMAT_NAMES, openCodeSystemFile } from '../../code-systems/formats';
import { fhirError, isRelease, OPERATOR_ACTOR, RELEASE_NAMES } from '../../core';
import type { Command } from '../command';
import { makeLog } from '../log';
import { textOf, wrongValue } from '../option-values';
import { JSON_OPTION, print } from '../output';
import { createStatusLine } from '../status-line';
import { TENANT_OPTION, withTenant } from '../with-tenant';

export const importTerminology: Command = {
  name: 'import-terminology',
  usage: 'FILE|FOLDER',
  summary: 'Load a large code system into a tenant; its concepts are stored apart from the CodeSystem.',
  options: {
    ...TENANT_OPTION,
    format: { type: 'string', value: FORMAT_NAMES.join('|'), help: 'how FILE is written; default ndjson' },
    release: { type: 'string', value: 'r4|r4b', help: 'default r4' },
    url: { type: 'string', value: 'URL', help: 'the url of the code system, for csv' },
    version: {
      type: 'string',
      value: 'VERSION',
      help: 'its version, in place of what FILE says; not for ndjson',
    },
    name: { type: 'string', value: 'NAME', help: 'its name, for csv' },
    ...JSON_OPTION,
  },
  examples: [
    {
      line: 'andiron import-terminology catalogue.csv --format csv --url http://acme.example/catalogue --tenant acme',
      does: 'Load a catalogue of a table; the same command with a newer file replaces it.',
    },
    {
      line: 'andiron import-terminology Loinc_2.81 --format loinc --tenant acme',
      does: 'Load the unpacked release of a publisher.',
    },
  ],
  async run(given) {
    const { options, words } = given;
    const [file = ''] = words;
    const release = textOf(options['release']) ?? 'r4';
    if (!isRelease(release)) throw wrongValue('release', RELEASE_NAMES);
    const format = textOf(options['format']) ?? 'ndjson';
    if (!FORMAT_NAMES.includes(format)) throw wrongValue('format', FORMAT_NAMES);
    const [url, version, name] = [options['url'], options['version'], options['name']].map(textOf);
    const source = await openCodeSystemFile(format, file, { url, version, name });
    const status = createStatusLine(process.stdout, options['json'] !== true);
    await withTenant(given, async (core, tenant) => {
      const space = await core.access.findSpace(tenant, release);
      if (space === undefined) throw fhirError('unknownTenant');
      const log = makeLog({ log: { level: 'warn' } }, 2);
      const context = { space, actor: OPERATOR_ACTOR, requestId: 'import-terminology', deadline: 0, log };
      const { outcome, id, concepts } = await core.jobs
        .importCodeSystem(context, source, {
          report: ({ read, stored }) =>
            status.show(stored === 0 ? `${read} concepts read` : `${stored} of ${read} concepts stored`),
        })
        .finally(() => status.clear());
      print(given, { outcome, id: `CodeSystem/${id}`, concepts }, [
        `CodeSystem/${id}: ${outcome}, ${concepts} concepts`,
      ]);
    });
  },
};
