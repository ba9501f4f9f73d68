import { describeSetting, loadSettings, printSetting, settingNames } from '../config';
import type { Command } from './command';

export const config: Command = {
  name: 'config',
  usage: '',
  summary: 'Show every setting with its value (secrets masked), its default and its meaning.',
  async run() {
    const settings = loadSettings(process.env);
    for (const name of settingNames()) {
      const { help, default: defaultText } = describeSetting(name);
      const shown = defaultText === '' ? 'none' : defaultText;
      process.stdout.write(`${name}=${printSetting(settings, name)}\n    ${help}. Default: ${shown}\n`);
    }
  },
};
