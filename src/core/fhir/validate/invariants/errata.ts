/**
 * Replacements for expressions of the specification that do not express its intent. Each applies only while the
 * definitions have exactly the listed text. The replacement is the expression of a later release where there is one.
 */
import type { ConstraintDefinition, Definitions } from '../../definitions';
import type { Release } from '../../release';

export interface Erratum {
  readonly releases: readonly Release[];
  /** Left out: any key, for an expression that many types share under keys of their own. */
  readonly keys?: readonly string[];
  /** Only on these types; left out: on all. */
  readonly only?: readonly string[];
  /** As published. */
  readonly expression: string;
  readonly replacement: string;
  /** The fault of the expression, and the reason for the replacement. */
  readonly reason: string;
}

const BOTH: readonly Release[] = ['r4', 'r4b'];
const R4: readonly Release[] = ['r4'];
const R4B: readonly Release[] = ['r4b'];

const NAME = "name.matches('[A-Z]([A-Za-z0-9_]){0,254}')";
const WHOLE_NAME = "name.exists() implies name.matches('^[A-Z]([A-Za-z0-9_]){0,254}$')";
const NAME_REASON =
  'Empty, and so not true, where there is no name, which is optional (R4B: "name.exists() implies …"); and matches() ' +
  'looks for a part of the text, so that "2 Names" would pass: R5 anchors the expression in cnl-0.';
const NAMELESS_REASON = 'The type has no element name.';

export const ERRATA: readonly Erratum[] = [
  {
    releases: BOTH,
    keys: ['dom-6'],
    expression: 'text.`div`.exists()',
    replacement: 'text.`div`.exists() or %resource != %rootResource',
    reason:
      'False for every contained resource, but of DomainResource.text the definitions say: "Contained resources do not ' +
      'have narrative. Resources that are not contained SHOULD have a narrative."',
  },
  {
    releases: R4,
    keys: ['bdl-8'],
    expression: "fullUrl.contains('/_history/').not()",
    replacement: "fullUrl.exists() implies fullUrl.contains('/_history/').not()",
    reason: 'Empty, and so not true, without a fullUrl, which is optional. This is the expression of R4B.',
  },
  {
    releases: R4,
    keys: ['que-7'],
    expression: "operator = 'exists' implies (answer is Boolean)",
    replacement: "operator = 'exists' implies (answer is boolean)",
    reason:
      'Always false: answerBoolean is of the type boolean of FHIR, Boolean is that of FHIRPath. This is the expression of R4B.',
  },
  {
    releases: R4,
    keys: ['que-12'],
    expression: 'enableWhen.count() > 2 implies enableBehavior.exists()',
    replacement: 'enableWhen.count() > 1 implies enableBehavior.exists()',
    reason:
      'Its text: "If there are more than one enableWhen, enableBehavior must be specified". This is the expression of R4B.',
  },
  {
    releases: R4,
    keys: ['ras-2'],
    expression: 'probability is decimal implies (probability as decimal) <= 100',
    replacement:
      'probability.empty() or ((probability is decimal) implies ((probability as decimal) <= 100))',
    reason: 'Empty, and so not true, without a probability, which is optional. This is the expression of R5.',
  },
  {
    releases: R4,
    keys: ['eld-19'],
    expression:
      "path.matches('[^\\\\s\\\\.,:;\\\\\\'\"\\\\/|?!@#$%&*()\\\\[\\\\]{}]{1,64}(\\\\.[^\\\\s\\\\.,:;\\\\\\'\"\\\\/|?!@#$%&*()\\\\[\\\\]{}]{1,64}(\\\\[x\\\\])?(\\\\:[^\\\\s\\\\.]+)?)*')",
    replacement:
      "path.matches('^[^\\\\s\\\\.,:;\\\\\\'\"\\\\/|?!@#$%&*()\\\\[\\\\]{}]{1,64}(\\\\.[^\\\\s\\\\.,:;\\\\\\'\"\\\\/|?!@#$%&*()\\\\[\\\\]{}]{1,64}(\\\\[x\\\\])?(\\\\:[^\\\\s\\\\.]+)?)*$')",
    reason:
      'matches() looks for a part of the text, and any path has one: "Element names cannot include some special ' +
      'characters". This is the expression of R4B.',
  },
  {
    releases: R4,
    keys: ['eld-20'],
    expression: "path.matches('[A-Za-z][A-Za-z0-9]*(\\\\.[a-z][A-Za-z0-9]*(\\\\[x])?)*')",
    replacement: "path.matches('^[A-Za-z][A-Za-z0-9]*(\\\\.[a-z][A-Za-z0-9]*(\\\\[x])?)*$')",
    reason: 'matches() looks for a part of the text, and any path has one. This is the expression of R4B.',
  },
  {
    releases: BOTH,
    keys: ['tim-9'],
    expression: "offset.empty() or (when.exists() and ((when in ('C' | 'CM' | 'CD' | 'CV')).not()))",
    replacement:
      "offset.empty() or (when.exists() and when.select($this in ('C' | 'CM' | 'CD' | 'CV')).allFalse())",
    reason: '`in` takes one value, but Timing.repeat.when is 0..*. This is the expression of R5.',
  },
  {
    releases: BOTH,
    keys: ['opd-3'],
    expression: "targetProfile.exists() implies (type = 'Reference' or type = 'canonical')",
    replacement:
      "targetProfile.exists() implies (type = 'Reference' or type = 'canonical' or type.matches('^[A-Z]'))",
    reason:
      'A parameter that is a resource may have a profile too, as published guides use it; R5 allows all resource types. ' +
      'Data types with a capital letter pass as well, because no expression tells them apart without a terminology.',
  },
  {
    releases: BOTH,
    keys: ['app-4'],
    expression:
      "Appointment.cancelationReason.exists() implies (Appointment.status='no-show' or Appointment.status='cancelled')",
    replacement:
      "Appointment.cancelationReason.exists() implies (Appointment.status='noshow' or Appointment.status='cancelled')",
    reason:
      'The code of AppointmentStatus, to which the status is bound, is "noshow"; "Cancelation reason is only used for ' +
      'appointments that have been cancelled, or no-show". R5 compares with "noshow".',
  },
  {
    releases: R4,
    keys: ['con-3'],
    expression:
      "clinicalStatus.exists() or verificationStatus.coding.where(system='http://terminology.hl7.org/CodeSystem/condition-ver-status' and code = 'entered-in-error').exists() or category.select($this='problem-list-item').empty()",
    replacement:
      "clinicalStatus.exists() or verificationStatus.coding.where(system='http://terminology.hl7.org/CodeSystem/condition-ver-status' and code = 'entered-in-error').exists() or category.coding.where(system='http://terminology.hl7.org/CodeSystem/condition-category' and code='problem-list-item').empty()",
    reason:
      'False for every category, since a CodeableConcept equals no text: "… and category is problem-list-item". The ' +
      'comparison of categories is that of R4B.',
  },
  {
    releases: R4B,
    keys: ['ing-1'],
    expression:
      "(Ingredient.allergenicIndicator.where(value='true').count() + Ingredient.substance.code.reference.count())  < 2",
    replacement:
      'Ingredient.where(allergenicIndicator=true).count() + Ingredient.substance.code.reference.count()  < 2',
    reason: 'A boolean has no element value. This is the expression of R5.',
  },
  {
    releases: R4B,
    keys: ['sdf-24'],
    expression:
      "element.where(type.code='Reference' and id.endsWith('.reference') and type.targetProfile.exists() and id.substring(0,$this.length()-10) in %context.element.where(type.code='CodeableReference').id).exists().not()",
    replacement:
      "element.where(type.where(code='Reference').exists() and path.endsWith('.reference') and type.targetProfile.exists() and (path.substring(0,$this.path.length()-10) in %context.element.where(type.where(code='CodeableReference').exists()).path)).exists().not()",
    reason: 'length() takes text, but $this is an ElementDefinition. This is the expression of R5.',
  },
  {
    releases: R4B,
    keys: ['sdf-25'],
    expression:
      "element.where(type.code='CodeableConcept' and id.endsWith('.concept') and binding.exists() and id.substring(0,$this.length()-8) in %context.element.where(type.code='CodeableReference').id).exists().not()",
    replacement:
      "element.where(type.where(code='CodeableConcept').exists() and path.endsWith('.concept') and binding.exists() and (path.substring(0,$this.path.length()-8) in %context.element.where(type.where(code='CodeableReference').exists()).path)).exists().not()",
    reason: 'length() takes text, but $this is an ElementDefinition. This is the expression of R5.',
  },
  {
    releases: R4,
    only: ['ChargeItemDefinition'],
    expression: NAME,
    replacement: 'true',
    reason: NAMELESS_REASON,
  },
  {
    releases: R4B,
    only: ['ChargeItemDefinition', 'Evidence', 'EvidenceReport'],
    expression: `name.exists() implies ${NAME}`,
    replacement: 'true',
    reason: NAMELESS_REASON,
  },
  { releases: R4, expression: NAME, replacement: WHOLE_NAME, reason: NAME_REASON },
  {
    releases: R4B,
    expression: `name.exists() implies ${NAME}`,
    replacement: WHOLE_NAME,
    reason: NAME_REASON,
  },
  {
    releases: R4B,
    keys: ['vsd-0'],
    expression: `name.exists() implies name.exists() implies ${NAME}`,
    replacement: WHOLE_NAME,
    reason: `${NAME_REASON} Said twice, "name.exists() implies" is empty without a name.`,
  },
];

/**
 * Returns the expression that is evaluated for a constraint: its own, unless an erratum replaces it. Input: the type or
 * element that it is evaluated on (`Patient.contact`).
 */
export function expressionOf(
  { key, expression }: ConstraintDefinition,
  place: string,
  { release }: Definitions,
): string {
  const erratum = ERRATA.find(
    (erratum) =>
      erratum.expression === expression &&
      erratum.releases.includes(release) &&
      (erratum.keys?.includes(key) ?? true) &&
      (erratum.only?.includes(place) ?? true),
  );
  return erratum?.replacement ?? expression;
}
