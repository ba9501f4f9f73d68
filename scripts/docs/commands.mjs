/** docs/reference/commands.md, from the commands of `andiron`. */
import { cell, codeCell, table } from './markdown.mjs';

export const file = 'docs/reference/commands.md';

function toOption([name, { type, value = 'VALUE', help, isRequired = false }]) {
  return [
    codeCell(type === 'boolean' ? `--${name}` : `--${name} ${value}`),
    cell(help) + (isRequired ? ' (required)' : ''),
  ];
}

export function toPage(load) {
  const { ANDIRON } = load('cli/commands.js');
  const { commandsOf, toTyped, usageOf } = load('cli/help.js');

  const describe = ({ path, command }) => {
    const options = Object.entries(command.options ?? {});
    const examples = command.examples.flatMap((example) => [`# ${example.does}`, toTyped(example)]);
    return [
      `### ${path}`,
      command.summary,
      `\`\`\`text\n${usageOf(path, command)}\n\`\`\``,
      ...(options.length === 0 ? [] : [table(['option', 'meaning'], options.map(toOption))]),
      `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
    ].join('\n\n');
  };
  const groups = ANDIRON.commands.map((each) => {
    const full = `andiron ${each.name}`;
    if (!('commands' in each)) return describe({ path: full, command: each }).replace('### ', '## ');
    return [`## ${full}`, each.summary, ...commandsOf(full, each).map(describe)].join('\n\n');
  });
  const overview = commandsOf('andiron', ANDIRON).map(({ path, command }) => [
    `[\`${path}\`](#${path.replaceAll(' ', '-')})`,
    cell(command.summary),
  ]);

  return `# Commands

*For operators. Generated from src/cli by \`npm run build:docs\`; change it there.*

Commands are typed as \`npx --no-install andiron …\`, in a clone after \`npm run build\` or a quick start, and in a folder where the package is installed.
Settings come from the environment and \`.env\` ([configuration](configuration.md)). If they name no database, commands use a running quick start. The exit code is 0, 1 after a
failure, or 2 for a wrong command line. \`andiron COMMAND --help\` shows what stands here.

${table(['command', 'meaning'], overview)}

${groups.join('\n\n')}
`;
}
