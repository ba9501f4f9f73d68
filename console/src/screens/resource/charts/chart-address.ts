/** Addresses of charts: the part after `#` of the screen of a patient. */
import { isObject, numberOf, objectsOf, textOf, type JsonObject } from '../../../api/json';
import { measureKey } from '../../../fhir/measures';
import { parseReference } from '../../../fhir/reference';

/** The name of a tab and what it shows, from the part of the address after `#`. */
export function parseHash(hash: string): { readonly tab: string; readonly argument: string } {
  const [tab = '', ...rest] = hash.replace(/^#/, '').split('/');
  try {
    return { tab, argument: decodeURIComponent(rest.join('/')) };
  } catch {
    return { tab, argument: rest.join('/') };
  }
}

export function chartHash(key: string): string {
  return `#charts/${encodeURIComponent(key)}`;
}

/** The patient of an observation and the chart of its code; undefined where there is no number to draw. */
export function patientChart(
  observation: JsonObject,
): { readonly patient: string; readonly hash: string } | undefined {
  const subject = isObject(observation['subject']) ? textOf(observation['subject']['reference']) : undefined;
  const target = parseReference(subject ?? '', '');
  const key = isObject(observation['code']) ? measureKey(observation['code']) : undefined;
  if (target.kind !== 'record' || target.type !== 'Patient' || key === undefined) return undefined;
  const hasNumber = [observation, ...objectsOf(observation['component'])].some(
    ({ valueQuantity, valueInteger }) =>
      numberOf(valueInteger) !== undefined ||
      (isObject(valueQuantity) && numberOf(valueQuantity['value']) !== undefined),
  );
  return hasNumber ? { patient: target.id, hash: chartHash(key) } : undefined;
}
