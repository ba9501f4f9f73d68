import { loadSettings, misspelledSettings, settingsInForce } from '../../config';
import type { Command } from '../command';
import { JSON_OPTION, print } from '../output';

export const config: Command = {
  name: 'config',
  usage: '',
  summary: 'Show every setting with its value (secrets masked), its source, its default and its meaning.',
  options: JSON_OPTION,
  examples: [
    { line: 'andiron config', does: 'Print all settings with their meaning.' },
    { line: 'PORT=8080 andiron config --json', does: 'Print what a server would use, for a program.' },
  ],
  async run(given) {
    const settings = loadSettings(process.env);
    for (const line of misspelledSettings(process.env)) process.stderr.write(`andiron: ${line}\n`);
    const all = settingsInForce(settings, process.env);
    print(
      given,
      { settings: all },
      all.flatMap((one) => [
        `${one.name}=${one.value}`,
        `    ${one.meaning}. Default: ${one.default === '' ? 'none' : one.default}${one.source === 'default' ? '' : `. Set by ${one.source}`}`,
      ]),
    );
  },
};
