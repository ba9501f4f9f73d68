/** HL7's cases of instance validation, and the errors that we report for them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FhirError } from '../../../../src/core/errors';
import { isJsonObject, parseJson } from '../../../../src/core/fhir/json';
import { hl7CasesFolder } from '../../../support/hl7-cases-folder';
import { validatorOf } from './judged';
import { claimedProfiles } from './specification-profiles';

export interface ValidatorCase {
  readonly name: string;
  /** The file of the resource, beside the manifest. */
  readonly file: string;
  /** The number of errors that HL7's validator reports. */
  readonly errors: number;
}

const FOLDER = hl7CasesFolder('validator');

export function readCases(): readonly ValidatorCase[] {
  return JSON.parse(readFileSync(join(FOLDER, 'manifest.json'), 'utf8')) as readonly ValidatorCase[];
}

const claimed = claimedProfiles('r4');

/** Our errors, one line each: place and sentence. */
export function errorsOfCase({ file }: ValidatorCase): readonly string[] {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  try {
    const { value } = parseJson(text);
    if (!isJsonObject(value)) return ['no resource'];
    return validatorOf('r4')
      .validate(value, { isFull: true, wantsWarnings: true, profiles: [claimed] })
      .findings.filter(({ severity }) => severity === 'error')
      .map(({ expression, diagnostics }) => `${expression}: ${diagnostics}`);
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    return error.issues.map(({ diagnostics }) => diagnostics);
  }
}
