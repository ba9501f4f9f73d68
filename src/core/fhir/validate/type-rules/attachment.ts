import { createHash } from 'node:crypto';
import { decimalText, type JsonObject } from '../../json';
import type { ValidationRun } from '../run';

/**
 * Checks `size`, "the number of bytes of data that make up this attachment (before base64 encoding, if that is done)",
 * and `hash`, "the calculated hash of the data using SHA-1" (https://hl7.org/fhir/R4/datatypes.html#Attachment).
 * Without `data` both describe what `url` names, so nothing is checked. Cost: some ms per MB to calculate a hash, only
 * if one is given.
 */
export function checkAttachment(attachment: JsonObject, run: ValidationRun): void {
  const { data, size, hash } = attachment;
  if (typeof data !== 'string' || (size === undefined && typeof hash !== 'string')) return;
  if (size !== undefined) checkSize(data, decimalText(size), run);
  if (typeof hash !== 'string') return;
  const actual = createHash('sha1').update(data, 'base64').digest('base64');
  if (hash.replace(/\s/g, '') !== actual)
    run.report('business', `The hash is not the SHA-1 of the data, which is '${actual}'`, ['hash']);
}

function checkSize(data: string, size: string | undefined, run: ValidationRun): void {
  let digits = 0;
  for (let at = 0; at < data.length; at++) if (isDigit(data.charCodeAt(at))) digits++;
  const actual = Math.floor((digits * 3) / 4);
  if (size !== undefined && Number(size) !== actual)
    run.report('business', `The size is ${size}, but the data have ${actual} bytes`, ['size']);
}

const SPACE = 32;
const PADDING = 61;

function isDigit(character: number): boolean {
  return character > SPACE && character !== PADDING;
}
