import { add, exactOf, exactOfLiteral, multiply, type Exact } from '../../fhir/exact-number';
import { isJsonObject, type JsonObject } from '../../fhir/json';

/** The least and the greatest sample; undefined: there is no such bound. */
export interface SampleLimits {
  readonly low: Exact | undefined;
  readonly high: Exact | undefined;
}

const ZERO: Exact = { top: 0n, bottom: 1n };
const ONE: Exact = { top: 1n, bottom: 1n };

/**
 * Returns the bounds of samples; undefined where there are none. `U` is above the upper limit of detection, `L` below
 * the lower one, `E` an error. Source: https://hl7.org/fhir/R4/datatypes.html#SampledData
 */
export function sampleLimits(sampled: JsonObject): SampleLimits | undefined {
  const { data, origin } = sampled;
  if (typeof data !== 'string' || !isJsonObject(origin)) return undefined;
  const zero = exactOf(origin['value']) ?? ZERO;
  const factor = exactOf(sampled['factor']) ?? ONE;
  let least: string | undefined;
  let greatest: string | undefined;
  let [isBelow, isAbove] = [false, false];
  for (const sample of data.split(' ')) {
    if (sample === 'U') isAbove = true;
    else if (sample === 'L') isBelow = true;
    else if (sample !== 'E' && sample !== '' && Number.isFinite(Number(sample))) {
      if (least === undefined || Number(sample) < Number(least)) least = sample;
      if (greatest === undefined || Number(sample) > Number(greatest)) greatest = sample;
    }
  }
  const valueOf = (sample: string | undefined): Exact | undefined => {
    const exact = sample === undefined ? undefined : exactOfLiteral(sample);
    return exact === undefined ? undefined : add(multiply(exact, factor), zero);
  };
  const isTurned = factor.top < 0n;
  const low = valueOf(isTurned ? greatest : least) ?? (isAbove ? exactOf(sampled['upperLimit']) : undefined);
  const high = valueOf(isTurned ? least : greatest) ?? (isBelow ? exactOf(sampled['lowerLimit']) : undefined);
  if (low === undefined && high === undefined && !isBelow && !isAbove) return undefined;
  return { low: isBelow ? undefined : low, high: isAbove ? undefined : high };
}
