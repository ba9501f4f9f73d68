/** One random expression on one resource, with the checks of the engine. */
import { loadDefinitions } from '../../../src/core/fhir/definitions';
import type { JsonObject } from '../../../src/core/fhir/json';
import { compilePath, PathAllowance, PathError } from '../../../src/core/fhir/path';
import { textOf } from '../../core/fhir/path/examples';
import { leastProcessorMilliseconds } from '../../support/processor-time';

/** The 50 ms of an evaluation, and the time of one operation and of garbage collections beyond it. */
export const HELD_MS = 100;
/** The memory that one evaluation may leave, garbage included: that of half a million steps, and texts of 1 MiB. */
const MAX_GROWTH = 256 * 1024 * 1024;

const definitions = loadDefinitions('r4');

export interface Evaluation {
  readonly expression: string;
  readonly resource: JsonObject;
  readonly steps: number;
  readonly isStrict: boolean;
}

/** The outcome, and its fault; undefined: it is right. */
export interface Outcome {
  readonly result: string;
  readonly fault?: string;
}

export function evaluateOne({ expression, resource, steps, isStrict }: Evaluation): Outcome {
  let result = '';
  let fault: string | undefined;
  let growth = 0;
  const evaluate = (): void => {
    const before = process.memoryUsage().heapUsed;
    try {
      const rootType = textOf(resource['resourceType']);
      const path = compilePath(expression, { definitions, rootType, isStrict, isFromClient: true });
      const found = path(resource, { allowance: new PathAllowance(steps) });
      result = found.length === 0 ? 'nothing' : 'values';
    } catch (error) {
      result = error instanceof Error ? error.name : String(error);
      if (!(error instanceof PathError)) fault = error instanceof Error ? (error.stack ?? result) : result;
    }
    growth = Math.max(growth, process.memoryUsage().heapUsed - before);
  };
  const spent = leastProcessorMilliseconds(HELD_MS, evaluate);
  if (spent >= HELD_MS) fault = `It took ${Math.round(spent)} ms`;
  if (growth > MAX_GROWTH) fault = `It made ${Math.round(growth / 1024 / 1024)} MiB`;
  return { result, ...(fault !== undefined && { fault }) };
}
