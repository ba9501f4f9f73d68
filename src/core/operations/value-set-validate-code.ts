/**
 * POST|GET {root}/ValueSet/$validate-code and {root}/ValueSet/{id}/$validate-code
 *
 * In: url or valueSet at type level; one of code (with system, systemVersion, display), coding, codeableConcept;
 * abstract, displayLanguage, lenient-display-validation, system-version, check-system-version, force-system-version,
 * default-valueset-version, useSupplement, activeOnly, valueset-membership-only, tx-resource. A code without a system is looked up in
 * the value set.
 * Result: see `toAnswer`.
 * https://hl7.org/fhir/R4/valueset-operation-validate-code.html
 */
import { composeValueSet } from '../fhir/terminology/compose';
import { type Canonical } from '../fhir/terminology/source';
import { validateInValueSet, type Validation } from '../fhir/terminology/validation';
import { type ReadOperation } from '../operation-types/operation';
import { withRequestResources } from './request-resources';
import {
  codesToValidate,
  combine,
  findNamed,
  NO_CONTEXT,
  NO_PAST,
  refuseParameters,
  requireSupplements,
  toAnswer,
  validationOptions,
  versionRules,
} from './terminology';
import { terminologyOf } from '../terminology/terminology-source';

export const valueSetValidateCode: ReadOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/ValueSet-validate-code',
  takesOthers: true,
  async run(given, input) {
    const environment = withRequestResources(given, input.parameters);
    refuseParameters(input, { ...NO_PAST, ...NO_CONTEXT });
    const codes = codesToValidate(input.parameters, { version: 'systemVersion' });
    const resource = await findNamed(environment, input, {
      type: 'ValueSet',
      inline: 'valueSet',
      version: 'valueSetVersion',
    });
    const source = terminologyOf(environment);
    await requireSupplements(source, input.parameters, resource);
    const ofCodes: Canonical[] = [];
    for (const { system: url, version } of codes) {
      if (url === undefined || version === undefined) continue;
      if ((await source.findCodeSystem(url, version)) !== undefined) ofCodes.push({ url, version });
    }
    const rules = { ...versionRules(input.parameters), ofCodes };
    const composed = await composeValueSet(resource, source, rules);
    const context = { source, options: validationOptions(input, resource) };
    const validations: Validation[] = [];
    for (const code of codes) validations.push(await validateInValueSet(composed, code, context));
    return toAnswer(combine(validations, input.parameters, composed), input.parameters);
  },
};
