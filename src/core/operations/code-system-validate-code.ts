/**
 * POST|GET {root}/CodeSystem/$validate-code and {root}/CodeSystem/{id}/$validate-code
 *
 * In: url or codeSystem at type level, or neither for the system of a coding; one of code (with display), coding, codeableConcept; version, abstract,
 * displayLanguage, useSupplement, tx-resource.
 * Result: result, message, display, code, system, version, issues. An unknown system, or one without its codes, is
 * `result` false.
 * https://hl7.org/fhir/R4/codesystem-operation-validate-code.html
 */
import { FhirError, type ErrorKey } from '../errors';
import { type CodeSystem } from '../fhir/terminology/code-system';
import { stringMember } from '../fhir/terminology/members';
import { withConcepts } from '../fhir/terminology/stored-code-system';
import { withSupplements } from '../fhir/terminology/supplements';
import { combineValidations, unavailable, validateInCodeSystem } from '../fhir/terminology/validation';
import { type ReadOperation } from '../operation-types/operation';
import { withRequestResources } from './request-resources';
import {
  codesToValidate,
  findNamedCodeSystem,
  NO_PAST,
  refuseParameters,
  requireContent,
  requireSupplements,
  toAnswer,
  validationOptions,
} from './terminology';
import { terminologyOf } from '../terminology/terminology-source';

/** Errors for a code system that does not exist, or is stored without its codes. */
const UNAVAILABLE: readonly ErrorKey[] = ['notFoundInTerminology', 'notSupported'];

export const codeSystemValidateCode: ReadOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/CodeSystem-validate-code',
  takesOthers: true,
  async run(given, input) {
    const environment = withRequestResources(given, input.parameters);
    refuseParameters(input, NO_PAST);
    const codes = codesToValidate(input.parameters, { version: 'version' });
    const coding = input.parameters.object('coding');
    const otherwise = coding && stringMember(coding, 'system');
    const named = { type: 'CodeSystem', inline: 'codeSystem', version: 'version', otherwise } as const;
    const supplements = await requireSupplements(terminologyOf(environment), input.parameters);
    let codeSystem: CodeSystem;
    try {
      codeSystem = withSupplements(await findNamedCodeSystem(environment, input, named), supplements);
      requireContent(codeSystem);
    } catch (error) {
      // Without the codes of its system no code can be confirmed.
      if (!(error instanceof FhirError) || !UNAVAILABLE.includes(error.key)) throw error;
      const { message } = error;
      return toAnswer(combineValidations(codes.map((code) => unavailable(code, message))), input.parameters);
    }
    const options = validationOptions(input.parameters);
    const validations = await withConcepts(environment, () =>
      codes.map((code) => validateInCodeSystem(codeSystem, code, options)),
    );
    return toAnswer(combineValidations(validations), input.parameters);
  },
};
