/**
 * POST|GET {root}/CodeSystem/$validate-code and {root}/CodeSystem/{id}/$validate-code
 *
 * In: url or codeSystem at type level; one of code (with display), coding, codeableConcept; version, abstract,
 * displayLanguage.
 * Result: result, message, display.
 * https://hl7.org/fhir/R4/codesystem-operation-validate-code.html
 */
import { readCodeSystem } from '../fhir/terminology/code-system';
import { combineValidations, validateInCodeSystem } from '../fhir/terminology/validation';
import { type ReadOperation } from './operation';
import {
  codesToValidate,
  findNamed,
  NO_PAST,
  refuseParameters,
  requireContent,
  toAnswer,
} from './terminology';

export const codeSystemValidateCode: ReadOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/CodeSystem-validate-code',
  async run(environment, input) {
    refuseParameters(input, NO_PAST);
    const codes = codesToValidate(input.parameters, { version: 'version' });
    const named = { type: 'CodeSystem', inline: 'codeSystem', version: 'version' } as const;
    const codeSystem = readCodeSystem(await findNamed(environment, input, named));
    requireContent(codeSystem);
    const options = {
      abstract: input.parameters.flag('abstract'),
      displayLanguage: input.parameters.text('displayLanguage'),
    };
    return toAnswer(combineValidations(codes.map((code) => validateInCodeSystem(codeSystem, code, options))));
  },
};
