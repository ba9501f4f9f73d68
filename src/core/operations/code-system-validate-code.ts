/**
 * POST|GET {root}/CodeSystem/$validate-code and {root}/CodeSystem/{id}/$validate-code
 *
 * In: url or codeSystem at type level, or neither for the system of a coding; one of code (with display), coding, codeableConcept; version, abstract,
 * displayLanguage, useSupplement, tx-resource.
 * Result: see `toAnswer`. An unknown system, or one without its codes, is `result` false.
 * https://hl7.org/fhir/R4/codesystem-operation-validate-code.html
 */
import { hasConcepts } from '../fhir/terminology/code-system';
import { stringMember } from '../fhir/terminology/members';
import { withSupplements } from '../fhir/terminology/supplements';
import { validateInCodeSystem, validateWithoutSystem, type Validation } from '../fhir/terminology/validation';
import { type ReadOperation } from '../operation-types/operation';
import { withRequestResources } from './request-resources';
import {
  codesToValidate,
  combine,
  findNamedCodeSystem,
  NO_PAST,
  refuseParameters,
  requireSupplements,
  toAnswer,
  validationOptions,
} from './terminology';
import { terminologyOf } from '../terminology/terminology-source';

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
    const source = terminologyOf(environment);
    const supplements = await requireSupplements(source, input.parameters);
    const { url, version, codeSystem } = await findNamedCodeSystem(environment, input, named);
    const context = { source, options: validationOptions(input) };
    const validations: Validation[] = [];
    for (const code of codes)
      validations.push(
        codeSystem === undefined || !hasConcepts(codeSystem)
          ? // Without the codes of its system no code can be confirmed.
            await validateWithoutSystem({ ...code, system: url, version }, codeSystem, source)
          : await validateInCodeSystem(withSupplements(codeSystem, supplements), code, context),
      );
    return toAnswer(combine(validations, input.parameters), input.parameters);
  },
};
