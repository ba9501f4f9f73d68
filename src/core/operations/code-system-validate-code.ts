/**
 * POST|GET {root}/CodeSystem/$validate-code and {root}/CodeSystem/{id}/$validate-code
 *
 * In: url or codeSystem at type level; one of code (with display), coding, codeableConcept; version, abstract,
 * displayLanguage.
 * Result: result, message, display, code, system, version, issues. An unknown system is `result` false.
 * https://hl7.org/fhir/R4/codesystem-operation-validate-code.html
 */
import { readCodeSystem } from '../fhir/terminology/code-system';
import { parseCanonical, toCanonical } from '../fhir/terminology/source';
import { combineValidations, unknownSystem, validateInCodeSystem } from '../fhir/terminology/validation';
import { type ReadOperation } from './operation';
import {
  codesToValidate,
  findNamed,
  NO_PAST,
  refuseParameters,
  requireContent,
  toAnswer,
  validationOptions,
} from './terminology';

export const codeSystemValidateCode: ReadOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/CodeSystem-validate-code',
  takesOthers: true,
  async run(environment, input) {
    refuseParameters(input, NO_PAST);
    const codes = codesToValidate(input.parameters, { version: 'version' });
    const named = { type: 'CodeSystem', inline: 'codeSystem', version: 'version' } as const;
    const canonical = parseCanonical(input.parameters.text('url') ?? '');
    const isMissing =
      canonical.url !== '' &&
      input.id === undefined &&
      (await environment.findCanonical(
        'CodeSystem',
        canonical.url,
        canonical.version ?? input.parameters.text('version'),
      )) === undefined;
    if (isMissing) {
      const name = toCanonical(canonical.url, canonical.version);
      return toAnswer(combineValidations(codes.map((code) => unknownSystem(code, name))), input.parameters);
    }
    const codeSystem = readCodeSystem(await findNamed(environment, input, named));
    requireContent(codeSystem);
    const options = validationOptions(input.parameters);
    const validations = codes.map((code) => validateInCodeSystem(codeSystem, code, options));
    return toAnswer(combineValidations(validations), input.parameters);
  },
};
