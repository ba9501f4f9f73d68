/** Writes the text of a long response in turns with other requests; Apollo Server would write it at once. */
import type { ApolloServerPlugin } from '@apollo/server';
import type { FormattedExecutionResult } from 'graphql';
import { joinInTurns, type JsonValue, stringifyJson, turns } from '../core/index';
import type { GatewayContext } from '../resolvers/index';
import { stringifyAround } from '../schema/raw-json';
import type { Steps } from '../schema/steps';
import { finishInTurns } from './finish-in-turns';

/** Characters of a response that are written at once: some milliseconds. */
const LONG = 512 * 1024;
/** Levels of objects and lists whose members are written one by one: `data`, a resource, a list of it, an element. */
const LEVELS = 4;
/** Characters that become bytes together. */
const BLOCK = 256 * 1024;

/**
 * Puts the text of a long response into the context, and an empty one in its place. It must be the last plugin that
 * changes responses.
 */
export const writingPlugin: ApolloServerPlugin<GatewayContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response, contextValue: { answer } }) {
        if (response.body.kind !== 'single' || answer.characters <= LONG) return;
        const { errors, data, extensions } = response.body.singleResult;
        answer.text = await writeInTurns({ errors, data, extensions });
        response.body.singleResult = { data: null };
      },
    };
  },
};

/** Returns the JSON text of a response in UTF-8. */
export async function writeInTurns(result: FormattedExecutionResult): Promise<Buffer> {
  const writer = new Writer();
  await finishInTurns(writer.write(result, LEVELS));
  return joinInTurns(writer.end());
}

class Writer {
  private readonly blocks: Buffer[] = [];
  private text = '';

  end(): readonly Buffer[] {
    this.flush();
    return this.blocks;
  }

  *write(value: unknown, levels: number): Steps<void> {
    if (turns.next() !== undefined) yield;
    if (levels === 0 || !isContainer(value)) {
      this.add(stringify(value));
      return;
    }
    const isList = Array.isArray(value);
    let before = isList ? '[' : '{';
    for (const [key, member] of isList ? value.entries() : Object.entries(value)) {
      if (!isList && member === undefined) continue;
      this.add(isList ? before : `${before}${JSON.stringify(key)}:`);
      before = ',';
      yield* this.write(member ?? null, levels - 1);
    }
    this.add(before === ',' ? (isList ? ']' : '}') : isList ? '[]' : '{}');
  }

  private add(piece: string): void {
    this.text += piece;
    if (this.text.length >= BLOCK) this.flush();
  }

  private flush(): void {
    this.blocks.push(Buffer.from(this.text));
    this.text = '';
  }
}

function stringify(value: unknown): string {
  return stringifyAround(value, (plain) => stringifyJson(plain as JsonValue, true));
}

/** False also for objects that have a text of their own, such as `RawJson`. */
function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}
