/**
 * The search parameters of the oracle, with simple paths written by hand. definitions.test.ts compares them with the
 * official expressions of both releases.
 */

export type Kind =
  'string' | 'token' | 'reference' | 'date' | 'number' | 'quantity' | 'uri' | 'composite' | 'special';

/** The path of values: member names joined by dots, `telecom[system=email]` for those with that member. */
export interface Path {
  readonly steps: string;
  readonly type: string;
  /** The system of the required binding of a code. */
  readonly system: string | undefined;
}

export interface Parameter {
  readonly code: string;
  readonly kind: Kind;
  readonly paths: readonly Path[];
  /** Only references to this type count. */
  readonly onlyTarget?: string;
  /** The words of this string are family names. */
  readonly isFamily?: boolean;
  /** Composite: the elements of its pairs, '' for the resource, and the parts of a pair. */
  readonly bases?: readonly string[];
  readonly components?: readonly Parameter[];
}

/** @param text such as 'component.code CodeableConcept' or 'gender code http://…' */
function pathOf(text: string): Path {
  const [steps = '', type = '', system] = text.split(' ');
  return { steps, type, system };
}

const make =
  (kind: Kind) =>
  (code: string, ...paths: string[]): Parameter => ({ code, kind, paths: paths.map(pathOf) });
const string = make('string');
const token = make('token');
const reference = make('reference');
const date = make('date');
const number = make('number');
const quantity = make('quantity');
const uri = make('uri');
const canonical = (code: string, path: string): Parameter => reference(code, `${path} canonical`);
const ref = (code: string, path = code): Parameter => reference(code, `${path} Reference`);
const only = (code: string, path: string, onlyTarget: string): Parameter => ({
  ...reference(code, `${path} Reference`),
  onlyTarget,
});
const patient = only('patient', 'subject', 'Patient');
const concept = (code: string, path = code): Parameter => token(code, `${path} CodeableConcept`);
const identifier = token('identifier', 'identifier Identifier');
const composite = (code: string, bases: string[], ...components: Parameter[]): Parameter => ({
  code,
  kind: 'composite',
  paths: [],
  bases,
  components,
});

const HL7 = 'http://hl7.org/fhir/';
const gender = token('gender', `gender code ${HL7}administrative-gender`);
const addresses = [
  string('address', 'address Address'),
  string('address-city', 'address.city string'),
  string('address-country', 'address.country string'),
  string('address-postalcode', 'address.postalCode string'),
  token('address-use', `address.use code ${HL7}address-use`),
];
const names = [
  string('name', 'name HumanName'),
  { ...string('family', 'name.family string'), isFamily: true },
  string('given', 'name.given string'),
];
const telecoms = [
  token('telecom', 'telecom ContactPoint'),
  token('email', 'telecom[system=email] ContactPoint'),
  token('phone', 'telecom[system=phone] ContactPoint'),
];
const code = token('code', 'code CodeableConcept');
const VALUE_QUANTITY = ['valueQuantity Quantity', 'valueSampledData SampledData'];
const component = (paths: string[]): string[] => paths.map((path) => `component.${path}`);

/** Parameters of every type. */
const COMMON: readonly Parameter[] = [
  token('_id', 'id id'),
  date('_lastUpdated', 'meta.lastUpdated instant'),
  token('_tag', 'meta.tag Coding'),
  token('_security', 'meta.security Coding'),
  reference('_profile', 'meta.profile canonical'),
  uri('_source', 'meta.source uri'),
];

const PARAMETERS: Readonly<Record<string, readonly Parameter[]>> = {
  Patient: [
    ...names,
    ...addresses,
    ...telecoms,
    gender,
    identifier,
    date('birthdate', 'birthDate date'),
    date('death-date', 'deceasedDateTime dateTime'),
    token('deceased', 'deceased deceased'),
    token('active', 'active boolean'),
    concept('language', 'communication.language'),
    ref('general-practitioner', 'generalPractitioner'),
    ref('organization', 'managingOrganization'),
    ref('link', 'link.other'),
  ],
  Practitioner: [...names, ...telecoms, gender, identifier, token('active', 'active boolean')],
  Organization: [
    string('name', 'name string', 'alias string'),
    ...addresses,
    identifier,
    concept('type'),
    token('active', 'active boolean'),
    ref('partof', 'partOf'),
  ],
  Location: [
    string('name', 'name string', 'alias string'),
    identifier,
    concept('type'),
    token('status', `status code ${HL7}location-status`),
    ref('organization', 'managingOrganization'),
    ref('partof', 'partOf'),
    { code: 'near', kind: 'special', paths: [pathOf('position position')] },
  ],
  Encounter: [
    token('status', `status code ${HL7}encounter-status`),
    token('class', 'class Coding'),
    concept('type'),
    identifier,
    ref('subject'),
    patient,
    date('date', 'period Period'),
    date('location-period', 'location.period Period'),
    quantity('length', 'length Quantity'),
    ref('location', 'location.location'),
    ref('part-of', 'partOf'),
    ref('participant', 'participant.individual'),
    only('practitioner', 'participant.individual', 'Practitioner'),
    ref('service-provider', 'serviceProvider'),
    ref('reason-reference', 'reasonReference'),
  ],
  Observation: [
    token('status', `status code ${HL7}observation-status`),
    concept('category'),
    code,
    concept('component-code', 'component.code'),
    token('combo-code', 'code CodeableConcept', 'component.code CodeableConcept'),
    concept('data-absent-reason', 'dataAbsentReason'),
    identifier,
    ref('subject'),
    patient,
    ref('performer'),
    ref('encounter'),
    ref('focus'),
    ref('has-member', 'hasMember'),
    ref('derived-from', 'derivedFrom'),
    date(
      'date',
      'effectiveDateTime dateTime',
      'effectivePeriod Period',
      'effectiveInstant instant',
      'effectiveTiming Timing',
    ),
    date('value-date', 'valueDateTime dateTime', 'valuePeriod Period'),
    string('value-string', 'valueString string', 'valueCodeableConcept.text string'),
    concept('value-concept', 'valueCodeableConcept'),
    quantity('value-quantity', ...VALUE_QUANTITY),
    quantity('component-value-quantity', ...component(VALUE_QUANTITY)),
    quantity('combo-value-quantity', ...VALUE_QUANTITY, ...component(VALUE_QUANTITY)),
    composite('code-value-quantity', [''], code, quantity('value-quantity', 'valueQuantity Quantity')),
    composite('code-value-concept', [''], code, concept('value-concept', 'valueCodeableConcept')),
    composite('code-value-string', [''], code, string('value-string', 'valueString string')),
    composite(
      'code-value-date',
      [''],
      code,
      date('value-date', 'valueDateTime dateTime', 'valuePeriod Period'),
    ),
    composite(
      'component-code-value-quantity',
      ['component'],
      code,
      quantity('component-value-quantity', 'valueQuantity Quantity'),
    ),
    composite(
      'combo-code-value-quantity',
      ['', 'component'],
      code,
      quantity('combo-value-quantity', 'valueQuantity Quantity'),
    ),
    composite(
      'combo-code-value-concept',
      ['', 'component'],
      code,
      concept('combo-value-concept', 'valueCodeableConcept'),
    ),
  ],
  Condition: [
    code,
    concept('clinical-status', 'clinicalStatus'),
    concept('verification-status', 'verificationStatus'),
    concept('category'),
    concept('body-site', 'bodySite'),
    identifier,
    ref('subject'),
    patient,
    ref('encounter'),
    ref('asserter'),
    date('recorded-date', 'recordedDate dateTime'),
    date('onset-date', 'onsetDateTime dateTime', 'onsetPeriod Period'),
    quantity('onset-age', 'onsetAge Quantity', 'onsetRange Range'),
    string('onset-info', 'onsetString string'),
  ],
  MedicationRequest: [
    token('status', `status code ${HL7}CodeSystem/medicationrequest-status`),
    token('intent', `intent code ${HL7}CodeSystem/medicationrequest-intent`),
    token('code', 'medicationCodeableConcept CodeableConcept'),
    ref('medication', 'medicationReference'),
    identifier,
    ref('subject'),
    patient,
    ref('requester'),
    ref('encounter'),
    date('authoredon', 'authoredOn dateTime'),
    date('date', 'dosageInstruction.timing.event dateTime'),
  ],
  RiskAssessment: [
    ref('subject'),
    patient,
    number('probability', 'prediction.probabilityDecimal decimal', 'prediction.probabilityRange Range'),
    concept('risk', 'prediction.qualitativeRisk'),
    ref('performer'),
  ],
  MolecularSequence: [
    identifier,
    ref('patient', 'patient'),
    concept('chromosome', 'referenceSeq.chromosome'),
    number('variant-start', 'variant.start integer'),
    number('variant-end', 'variant.end integer'),
    number('window-start', 'referenceSeq.windowStart integer'),
    number('window-end', 'referenceSeq.windowEnd integer'),
    composite(
      'chromosome-window-coordinate',
      ['referenceSeq'],
      concept('chromosome'),
      number('window-start', 'windowStart integer'),
      number('window-end', 'windowEnd integer'),
    ),
  ],
  ServiceRequest: [
    token('status', `status code ${HL7}request-status`),
    code,
    ref('subject'),
    patient,
    ref('requester'),
    ref('replaces'),
    ref('based-on', 'basedOn'),
    date('authored', 'authoredOn dateTime'),
    date('occurrence', 'occurrenceDateTime dateTime', 'occurrencePeriod Period', 'occurrenceTiming Timing'),
    uri('instantiates-uri', 'instantiatesUri uri'),
  ],
  Questionnaire: [
    uri('url', 'url uri'),
    token('version', 'version string'),
    string('name', 'name string'),
    string('title', 'title string'),
    string('publisher', 'publisher string'),
    token('status', `status code ${HL7}publication-status`),
    date('date', 'date dateTime'),
    date('effective', 'effectivePeriod Period'),
    uri('definition', 'item.definition uri'),
    token('code', 'item.code Coding'),
    token('context', 'useContext.valueCodeableConcept CodeableConcept'),
    token('context-type', 'useContext.code Coding'),
    quantity('context-quantity', 'useContext.valueQuantity Quantity', 'useContext.valueRange Range'),
    composite(
      'context-type-quantity',
      ['useContext'],
      token('context-type', 'code Coding'),
      quantity('context-quantity', 'valueQuantity Quantity', 'valueRange Range'),
    ),
    composite(
      'context-type-value',
      ['useContext'],
      token('context-type', 'code Coding'),
      concept('context', 'valueCodeableConcept'),
    ),
  ],
  QuestionnaireResponse: [
    canonical('questionnaire', 'questionnaire'),
    token('status', `status code ${HL7}questionnaire-answers-status`),
    identifier,
    ref('subject'),
    patient,
    ref('author'),
    ref('source'),
    date('authored', 'authored dateTime'),
  ],
  List: [
    token('status', `status code ${HL7}list-status`),
    code,
    string('title', 'title string'),
    ref('subject'),
    patient,
    ref('item', 'entry.item'),
    date('date', 'date dateTime'),
  ],
  Group: [
    token('type', `type code ${HL7}group-type`),
    token('actual', 'actual boolean'),
    ref('member', 'member.entity'),
    concept('characteristic', 'characteristic.code'),
    token(
      'value',
      'characteristic.valueCodeableConcept CodeableConcept',
      'characteristic.valueBoolean boolean',
    ),
    composite(
      'characteristic-value',
      ['characteristic'],
      concept('characteristic', 'code'),
      token('value', 'valueCodeableConcept CodeableConcept', 'valueBoolean boolean'),
    ),
  ],
  DocumentReference: [
    token('status', `status code ${HL7}document-reference-status`),
    token('contenttype', 'content.attachment.contentType code urn:ietf:bcp:13'),
    uri('location', 'content.attachment.url url'),
    string('description', 'description string'),
    ref('subject'),
    patient,
    ref('author'),
    date('date', 'date instant'),
    date('period', 'context.period Period'),
  ],
};

/** All types with parameters in the oracle. */
export const TYPES: readonly string[] = Object.keys(PARAMETERS);

export const parametersOf = (type: string): readonly Parameter[] => [...(PARAMETERS[type] ?? []), ...COMMON];

export const findParameter = (type: string, codeSought: string): Parameter | undefined =>
  parametersOf(type).find((parameter) => parameter.code === codeSought);
