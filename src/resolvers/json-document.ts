import { setImmediate as nextTurn } from 'node:timers/promises';
import { type JsonValue, type ResourceInput, stringifyJson, toResourceInput } from '../core/index';
import { putTogether, stringifyWithGaps } from '../schema/raw-json';

/**
 * Converts the value of a JSON scalar to the input of core. The value is written as text and parsed by core's parser,
 * which refuses invalid resources and uses a worker thread for long texts. Values in variables were mostly checked with
 * the body; literals were not. Long parts of variables are text already and are inserted as they are.
 * Throws the errors of the parser. Cost: twice that of parsing.
 */
export async function toInput(value: JsonValue, maxDepth: number): Promise<ResourceInput> {
  const apart = stringifyWithGaps(value, (around) => stringifyJson(around as JsonValue, true));
  // Raw texts are long: joining them takes a turn of the event loop by itself.
  if (apart.raw.length > 0) await nextTurn();
  return toResourceInput(putTogether(apart), { maxDepth });
}
