import { setImmediate as nextTurn } from 'node:timers/promises';
import { type JsonValue, type ResourceInput, stringifyJson, toResourceInput } from '../core/index';
import { putTogether, stringifyApart } from '../schema/raw-json';

/**
 * A value that came through a JSON scalar, as core takes it from any client: written as text and read by its parser,
 * which refuses what no resource may hold, in a thread of its own where it is long. In variables most of that was refused
 * with the body, in literals it was not. Long parts of variables are text already and go into it as they are. Throws
 * what the parser finds. Cost: twice that of parsing.
 */
export async function toInput(value: JsonValue, maxDepth: number): Promise<ResourceInput> {
  const apart = stringifyApart(value, (around) => stringifyJson(around as JsonValue, true));
  // Raw texts are long: putting them together is a turn of the event loop by itself.
  if (apart.raw.length > 0) await nextTurn();
  return toResourceInput(putTogether(apart), { maxDepth });
}
