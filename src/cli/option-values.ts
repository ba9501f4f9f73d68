/** The values of options and arguments: texts, choices, and files of JSON. */
import { readFile } from 'node:fs/promises';
import { UsageError } from './command';

/** `source`: what named the file, such as `--names`. Throws Error with a line for the user. */
export function readTextFile(file: string, source: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'it does not exist' : error.message;
    throw new Error(`The file ${file} of ${source} cannot be read: ${reason}`);
  });
}

/** Reads a file of JSON. `source`: what named the file, such as `--jwks`. Throws Error with a line for the user. */
export async function readJsonFile(file: string, source: string): Promise<unknown> {
  const text = await readTextFile(file, source);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error(`The file ${file} of ${source} is not JSON`);
  }
}

export async function readStandardInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk);
  return text;
}

export function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The error about an option whose value is not one of the allowed ones. */
export function wrongValue(option: string, allowed: readonly string[]): UsageError {
  return new UsageError(`--${option} must be ${allowed.join(' or ')}`);
}
