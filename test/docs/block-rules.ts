/** Rules for the blocks of a page: those that a test runs, and what a writer must do about the others. */
import path from 'node:path';
import type { Block } from '../support/page-blocks';

/** Blocks that show something and do nothing. */
const SHOWN: readonly string[] = ['text', 'json', 'yaml', 'ini', 'nginx'];
const COMMANDS: readonly string[] = ['sh', 'console'];
const REQUESTS: readonly string[] = ['http', 'graphql', 'sql'];
/** Blocks that are a file, whose name is in their first line: `// src/main.ts`. Commands of the page use it. */
export const FILES: readonly string[] = ['ts', 'js', 'py'];
export const FILE_NAME = /^(?:\/\/|#) ([\w./-]+\.\w+)/;
/** A line that a reader would type into a shell. */
const COMMAND = /^(?:\$ .*|(?:andiron|curl|npm|npx|node|docker|kubectl|psql|sudo) .*)/m;
/** Stands in the fence, which readers do not see: `norun because tests have no cluster`. */
const REASON = /^norun because \S+ \S+/;

/** `andiron` where a shell takes it for a program: it is on the path of no clone. */
const NOT_ON_PATH = /(?:^|[|;&(] ?)(?:\$ )?(?:[A-Z_]+=\S+ )*(?:andiron |node dist\/src\/cli\.js)/m;

export const isRun = ({ language, words }: Block): boolean =>
  !words.includes('norun') && !SHOWN.includes(language);

function faultOf(block: Block, page: readonly Block[]): string | undefined {
  const { language, words, text } = block;
  if (COMMANDS.includes(language) && NOT_ON_PATH.test(text))
    return "it has a command of andiron that is not typed as 'npx --no-install andiron …'";
  if (words.includes('norun'))
    return REASON.test(words.join(' '))
      ? undefined
      : "its fence does not say 'norun because …' with a reason";
  if (FILES.includes(language)) {
    const [, name] = FILE_NAME.exec(text) ?? [];
    if (name === undefined) return 'its first line is not the name of a file in a comment';
    const used = page.filter((other) => other !== block && [...COMMANDS, ...FILES].includes(other.language));
    return used.some((other) => other.text.includes(path.parse(name).name))
      ? undefined
      : `no command uses ${name}`;
  }
  const [command] = language === 'text' ? (COMMAND.exec(text) ?? []) : [];
  if (command !== undefined)
    return `a block of 'text' has the command '${command}': mark it 'sh' or 'console'`;
  if ([...SHOWN, ...COMMANDS, ...REQUESTS].includes(language)) return undefined;
  return `the language '${language}' cannot be run: mark it 'norun', or as 'text' if it does nothing`;
}

/** The blocks of a page that are neither run nor say why. */
export function faultsOf(page: readonly Block[]): readonly string[] {
  return page.flatMap((block) => {
    const fault = faultOf(block, page);
    return fault === undefined ? [] : [`${block.place}: ${fault}`];
  });
}
