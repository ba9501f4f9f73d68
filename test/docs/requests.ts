/** The requests that pages show without a command: HTTP messages, GraphQL documents and SQL. */
import { parse, type DefinitionNode } from 'graphql';
import type { TestDatabase } from '../support/database';
import type { Block } from '../support/page-blocks';
import { withClient } from '../support/services';
import { toExpected, toPattern } from './shown-output';

const METHODS = 'GET|POST|PUT|PATCH|DELETE|HEAD';

/** Addresses of the tenant and release that pages use. */
export interface Addresses {
  readonly fhirRoot: string;
  readonly graphql: string;
}

/**
 * Sends each request of a block of the language `http`: a line with method and address, headers, an empty line, the body. An answer
 * that the page shows begins with a line such as `HTTP/1.1 404`; without it the status must be 2xx.
 */
export async function sendHttp(block: Block, { fhirRoot }: Addresses): Promise<void> {
  for (const message of block.text.split(new RegExp(`^(?=(?:${METHODS}) )`, 'm'))) {
    const [request = '', status, shown = ''] = message.split(/^HTTP\/1\.1 (\d+).*\n/m);
    const [head = '', ...bodies] = request.split(/\n\n/);
    const [first = '', ...headers] = head.trim().split('\n');
    const [method = '', address = ''] = first.replace(/^(\S+) +/, '$1\n').split('\n');
    const body = bodies.join('\n\n').trim();
    const url = new URL(address.replace('{fhir_root}', fhirRoot));
    const answer = await fetch(url, {
      method,
      headers: headers.map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      }),
      ...(body === '' ? {} : { body }),
    });
    const text = await answer.text();
    const seen = `${block.place}: ${first}: ${answer.status} ${text}`;
    if (status === undefined ? !answer.ok : answer.status !== Number(status)) throw new Error(seen);
    if (shown.trim() !== '' && !toPattern(shown).test(text)) throw new Error(seen);
  }
}

const isOfSchema = ({ kind }: DefinitionNode): boolean => !/^(?:Operation|Fragment)Definition$/.test(kind);

/**
 * Sends a block of the language `graphql`; a text of a schema is parsed only. `# variables: {…}` on its first line gives the variables.
 * `answer` is the block `json answer` after it.
 */
export async function sendGraphql(
  block: Block,
  { graphql }: Addresses,
  answer: Block | undefined,
): Promise<void> {
  const { definitions } = parse(block.text);
  if (definitions.every(isOfSchema)) return;
  const [, variables = '{}'] = /^# variables: (.*)$/m.exec(block.text) ?? [];
  const isLive = /^subscription\b/m.test(block.text);
  const aborted = new AbortController();
  const response = await fetch(isLive ? `${graphql}/stream` : graphql, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: isLive ? 'text/event-stream' : 'application/json',
    },
    body: JSON.stringify({ query: block.text, variables: JSON.parse(variables) }),
    signal: aborted.signal,
  });
  if (isLive && response.ok) {
    aborted.abort();
    return;
  }
  const result = JSON.parse(await response.text());
  if (answer === undefined && result.errors !== undefined)
    throw new Error(`${block.place}: ${JSON.stringify(result.errors)}`);
  if (answer !== undefined) expect(result).toEqual(toExpected(JSON.parse(answer.text)));
}

/** Runs the statements of a block of the language `sql` in the database of the server, as its owner. */
export async function sendSql({ place, text }: Block, database: TestDatabase['settings']): Promise<void> {
  try {
    await withClient(database, (client) => client.query(text));
  } catch (error) {
    throw new Error(`${place}: ${text}`, { cause: error });
  }
}
