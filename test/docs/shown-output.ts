/** The outputs that pages show. */
import { execFileSync } from 'node:child_process';

interface Step {
  readonly command: string;
  /** The output that the page shows after it. */
  readonly shown: string;
}

/** A command ends where the shell finds it complete. */
function isComplete(command: string): boolean {
  if (command.endsWith('\\')) return false;
  try {
    execFileSync('sh', ['-n', '-c', command], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The commands of a block of the language `console`: each begins with `$ `, and is followed by its output. */
export function toSteps(block: string): readonly Step[] {
  const [first = '', ...parts] = block.split(/^\$ /m);
  if (first !== '') throw new Error(`a block of console begins with '$ ', not with ${first}`);
  return parts.map((part) => {
    const lines = part.trimEnd().split('\n');
    let length = 1;
    while (length < lines.length && !isComplete(lines.slice(0, length).join('\n'))) length += 1;
    return { command: lines.slice(0, length).join('\n'), shown: lines.slice(length).join('\n') };
  });
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches what a page shows, where … is any text, with or without spaces around it. */
export function toPattern(shown: string): RegExp {
  const parts = shown.trim().split(/\s*…\s*/);
  return new RegExp(`^\\s*${parts.map(literal).join('[^]*?')}\\s*$`);
}

/** JSON that a page shows, as jest compares it: the text … is any value. */
export function toExpected(value: unknown): unknown {
  if (value === '…') return expect.anything();
  if (Array.isArray(value)) return value.map(toExpected);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toExpected(member)]));
}
