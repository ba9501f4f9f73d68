/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** The kind of a change. LEAVE: the resource was changed and no longer matches, as it did or may have done before. */
export type ChangeAction =
  | 'CREATE'
  | 'DELETE'
  | 'LEAVE'
  | 'UPDATE';

/** One operation of a JSON Patch (RFC 6902). */
export type JsonPatchOperation = {
  /** The JSON Pointer from which `move` and `copy` take the value. */
  from?: string | null | undefined;
  op: JsonPatchOperationName;
  /** A JSON Pointer: `/name/0/family`; `/name/-` is after the last element. */
  path: string;
  /** For `add`, `replace` and `test`: any JSON value. */
  value?: unknown;
};

/** The kind of an operation of a JSON Patch (RFC 6902 section 4). */
export type JsonPatchOperationName =
  | 'add'
  | 'copy'
  | 'move'
  | 'remove'
  | 'replace'
  | 'test';

/** The resource types of this FHIR release. */
export type ResourceType =
  | 'Account'
  | 'ActivityDefinition'
  | 'AdverseEvent'
  | 'AllergyIntolerance'
  | 'Appointment'
  | 'AppointmentResponse'
  | 'AuditEvent'
  | 'Basic'
  | 'Binary'
  | 'BiologicallyDerivedProduct'
  | 'BodyStructure'
  | 'Bundle'
  | 'CapabilityStatement'
  | 'CarePlan'
  | 'CareTeam'
  | 'CatalogEntry'
  | 'ChargeItem'
  | 'ChargeItemDefinition'
  | 'Claim'
  | 'ClaimResponse'
  | 'ClinicalImpression'
  | 'CodeSystem'
  | 'Communication'
  | 'CommunicationRequest'
  | 'CompartmentDefinition'
  | 'Composition'
  | 'ConceptMap'
  | 'Condition'
  | 'Consent'
  | 'Contract'
  | 'Coverage'
  | 'CoverageEligibilityRequest'
  | 'CoverageEligibilityResponse'
  | 'DetectedIssue'
  | 'Device'
  | 'DeviceDefinition'
  | 'DeviceMetric'
  | 'DeviceRequest'
  | 'DeviceUseStatement'
  | 'DiagnosticReport'
  | 'DocumentManifest'
  | 'DocumentReference'
  | 'EffectEvidenceSynthesis'
  | 'Encounter'
  | 'Endpoint'
  | 'EnrollmentRequest'
  | 'EnrollmentResponse'
  | 'EpisodeOfCare'
  | 'EventDefinition'
  | 'Evidence'
  | 'EvidenceVariable'
  | 'ExampleScenario'
  | 'ExplanationOfBenefit'
  | 'FamilyMemberHistory'
  | 'Flag'
  | 'Goal'
  | 'GraphDefinition'
  | 'Group'
  | 'GuidanceResponse'
  | 'HealthcareService'
  | 'ImagingStudy'
  | 'Immunization'
  | 'ImmunizationEvaluation'
  | 'ImmunizationRecommendation'
  | 'ImplementationGuide'
  | 'InsurancePlan'
  | 'Invoice'
  | 'Library'
  | 'Linkage'
  | 'List'
  | 'Location'
  | 'Measure'
  | 'MeasureReport'
  | 'Media'
  | 'Medication'
  | 'MedicationAdministration'
  | 'MedicationDispense'
  | 'MedicationKnowledge'
  | 'MedicationRequest'
  | 'MedicationStatement'
  | 'MedicinalProduct'
  | 'MedicinalProductAuthorization'
  | 'MedicinalProductContraindication'
  | 'MedicinalProductIndication'
  | 'MedicinalProductIngredient'
  | 'MedicinalProductInteraction'
  | 'MedicinalProductManufactured'
  | 'MedicinalProductPackaged'
  | 'MedicinalProductPharmaceutical'
  | 'MedicinalProductUndesirableEffect'
  | 'MessageDefinition'
  | 'MessageHeader'
  | 'MolecularSequence'
  | 'NamingSystem'
  | 'NutritionOrder'
  | 'Observation'
  | 'ObservationDefinition'
  | 'OperationDefinition'
  | 'OperationOutcome'
  | 'Organization'
  | 'OrganizationAffiliation'
  | 'Parameters'
  | 'Patient'
  | 'PaymentNotice'
  | 'PaymentReconciliation'
  | 'Person'
  | 'PlanDefinition'
  | 'Practitioner'
  | 'PractitionerRole'
  | 'Procedure'
  | 'Provenance'
  | 'Questionnaire'
  | 'QuestionnaireResponse'
  | 'RelatedPerson'
  | 'RequestGroup'
  | 'ResearchDefinition'
  | 'ResearchElementDefinition'
  | 'ResearchStudy'
  | 'ResearchSubject'
  | 'RiskAssessment'
  | 'RiskEvidenceSynthesis'
  | 'Schedule'
  | 'SearchParameter'
  | 'ServiceRequest'
  | 'Slot'
  | 'Specimen'
  | 'SpecimenDefinition'
  | 'StructureDefinition'
  | 'StructureMap'
  | 'Subscription'
  | 'Substance'
  | 'SubstanceNucleicAcid'
  | 'SubstancePolymer'
  | 'SubstanceProtein'
  | 'SubstanceReferenceInformation'
  | 'SubstanceSourceMaterial'
  | 'SubstanceSpecification'
  | 'SupplyDelivery'
  | 'SupplyRequest'
  | 'Task'
  | 'TerminologyCapabilities'
  | 'TestReport'
  | 'TestScript'
  | 'ValueSet'
  | 'VerificationResult'
  | 'VisionPrescription';

export type EncountersFragment = { EncounterConnection: { count: number | null, nodes: Array<{ _key: string, status: string | null, class: { code: string | null, display: string | null } | null, type: Array<{ text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null> | null, period: { start: string | null, end: string | null } | null } | null> | null } | null };

export type SequenceQueryVariables = Exact<{ [key: string]: never; }>;


export type SequenceQuery = { versionSequence: number | null };

export type ChangesSubscriptionVariables = Exact<{
  type: ResourceType;
  query?: string | null | undefined;
  after?: number | null | undefined;
}>;


export type ChangesSubscription = { resourceChanged: { action: ChangeAction, id: string, sequence: number } };

export type PatientChartQueryVariables = Exact<{
  id: string | number;
  patient?: Array<string | null | undefined> | string | null | undefined;
}>;


export type PatientChartQuery = { Patient: { id: string | null, active: boolean | null, birthDate: string | null, gender: string | null, managingOrganization: { display: string | null, resource:
        | { name: string | null }
        | Record<PropertyKey, never>
       | null } | null, ObservationConnection: { count: number | null, edges: Array<{ resource: { _key: string, effectiveDateTime: string | null, code: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null, valueQuantity: { value: number | null, unit: string | null } | null, component: Array<{ code: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null, valueQuantity: { value: number | null, unit: string | null } | null } | null> | null } | null } | null> | null } | null, meta: { versionId: string | null, lastUpdated: string | null } | null, name: Array<{ text: string | null, family: string | null, given: Array<string | null> | null } | null> | null, telecom: Array<{ system: string | null, value: string | null } | null> | null, ConditionList: Array<{ _key: string, onsetDateTime: string | null, code: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null } | null> | null, AllergyIntoleranceList: Array<{ _key: string, criticality: string | null, code: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null } | null> | null, MedicationRequestList: Array<{ _key: string, medicationCodeableConcept: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null, medicationReference: { display: string | null, resource:
          | { _key: string, code: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null }
          | Record<PropertyKey, never>
         | null } | null, dosageInstruction: Array<{ text: string | null } | null> | null } | null> | null, EncounterConnection: { count: number | null, nodes: Array<{ _key: string, status: string | null, class: { code: string | null, display: string | null } | null, type: Array<{ text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null> | null, period: { start: string | null, end: string | null } | null } | null> | null } | null } | null, ObservationLastn: { entry: Array<{ resource:
        | { __typename: 'Account' }
        | { __typename: 'ActivityDefinition' }
        | { __typename: 'AdverseEvent' }
        | { __typename: 'AllergyIntolerance' }
        | { __typename: 'Appointment' }
        | { __typename: 'AppointmentResponse' }
        | { __typename: 'AuditEvent' }
        | { __typename: 'Basic' }
        | { __typename: 'Binary' }
        | { __typename: 'BiologicallyDerivedProduct' }
        | { __typename: 'BodyStructure' }
        | { __typename: 'Bundle' }
        | { __typename: 'CapabilityStatement' }
        | { __typename: 'CarePlan' }
        | { __typename: 'CareTeam' }
        | { __typename: 'CatalogEntry' }
        | { __typename: 'ChargeItem' }
        | { __typename: 'ChargeItemDefinition' }
        | { __typename: 'Claim' }
        | { __typename: 'ClaimResponse' }
        | { __typename: 'ClinicalImpression' }
        | { __typename: 'CodeSystem' }
        | { __typename: 'Communication' }
        | { __typename: 'CommunicationRequest' }
        | { __typename: 'CompartmentDefinition' }
        | { __typename: 'Composition' }
        | { __typename: 'ConceptMap' }
        | { __typename: 'Condition' }
        | { __typename: 'Consent' }
        | { __typename: 'Contract' }
        | { __typename: 'Coverage' }
        | { __typename: 'CoverageEligibilityRequest' }
        | { __typename: 'CoverageEligibilityResponse' }
        | { __typename: 'DetectedIssue' }
        | { __typename: 'Device' }
        | { __typename: 'DeviceDefinition' }
        | { __typename: 'DeviceMetric' }
        | { __typename: 'DeviceRequest' }
        | { __typename: 'DeviceUseStatement' }
        | { __typename: 'DiagnosticReport' }
        | { __typename: 'DocumentManifest' }
        | { __typename: 'DocumentReference' }
        | { __typename: 'EffectEvidenceSynthesis' }
        | { __typename: 'Encounter' }
        | { __typename: 'Endpoint' }
        | { __typename: 'EnrollmentRequest' }
        | { __typename: 'EnrollmentResponse' }
        | { __typename: 'EpisodeOfCare' }
        | { __typename: 'EventDefinition' }
        | { __typename: 'Evidence' }
        | { __typename: 'EvidenceVariable' }
        | { __typename: 'ExampleScenario' }
        | { __typename: 'ExplanationOfBenefit' }
        | { __typename: 'FamilyMemberHistory' }
        | { __typename: 'Flag' }
        | { __typename: 'Goal' }
        | { __typename: 'GraphDefinition' }
        | { __typename: 'Group' }
        | { __typename: 'GuidanceResponse' }
        | { __typename: 'HealthcareService' }
        | { __typename: 'ImagingStudy' }
        | { __typename: 'Immunization' }
        | { __typename: 'ImmunizationEvaluation' }
        | { __typename: 'ImmunizationRecommendation' }
        | { __typename: 'ImplementationGuide' }
        | { __typename: 'InsurancePlan' }
        | { __typename: 'Invoice' }
        | { __typename: 'Library' }
        | { __typename: 'Linkage' }
        | { __typename: 'List' }
        | { __typename: 'Location' }
        | { __typename: 'Measure' }
        | { __typename: 'MeasureReport' }
        | { __typename: 'Media' }
        | { __typename: 'Medication' }
        | { __typename: 'MedicationAdministration' }
        | { __typename: 'MedicationDispense' }
        | { __typename: 'MedicationKnowledge' }
        | { __typename: 'MedicationRequest' }
        | { __typename: 'MedicationStatement' }
        | { __typename: 'MedicinalProduct' }
        | { __typename: 'MedicinalProductAuthorization' }
        | { __typename: 'MedicinalProductContraindication' }
        | { __typename: 'MedicinalProductIndication' }
        | { __typename: 'MedicinalProductIngredient' }
        | { __typename: 'MedicinalProductInteraction' }
        | { __typename: 'MedicinalProductManufactured' }
        | { __typename: 'MedicinalProductPackaged' }
        | { __typename: 'MedicinalProductPharmaceutical' }
        | { __typename: 'MedicinalProductUndesirableEffect' }
        | { __typename: 'MessageDefinition' }
        | { __typename: 'MessageHeader' }
        | { __typename: 'MolecularSequence' }
        | { __typename: 'NamingSystem' }
        | { __typename: 'NutritionOrder' }
        | { __typename: 'Observation', _key: string, effectiveDateTime: string | null, code: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null, valueQuantity: { value: number | null, unit: string | null } | null, component: Array<{ code: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null, valueQuantity: { value: number | null, unit: string | null } | null } | null> | null }
        | { __typename: 'ObservationDefinition' }
        | { __typename: 'OperationDefinition' }
        | { __typename: 'OperationOutcome' }
        | { __typename: 'Organization' }
        | { __typename: 'OrganizationAffiliation' }
        | { __typename: 'Parameters' }
        | { __typename: 'Patient' }
        | { __typename: 'PaymentNotice' }
        | { __typename: 'PaymentReconciliation' }
        | { __typename: 'Person' }
        | { __typename: 'PlanDefinition' }
        | { __typename: 'Practitioner' }
        | { __typename: 'PractitionerRole' }
        | { __typename: 'Procedure' }
        | { __typename: 'Provenance' }
        | { __typename: 'Questionnaire' }
        | { __typename: 'QuestionnaireResponse' }
        | { __typename: 'RelatedPerson' }
        | { __typename: 'RequestGroup' }
        | { __typename: 'ResearchDefinition' }
        | { __typename: 'ResearchElementDefinition' }
        | { __typename: 'ResearchStudy' }
        | { __typename: 'ResearchSubject' }
        | { __typename: 'RiskAssessment' }
        | { __typename: 'RiskEvidenceSynthesis' }
        | { __typename: 'Schedule' }
        | { __typename: 'SearchParameter' }
        | { __typename: 'ServiceRequest' }
        | { __typename: 'Slot' }
        | { __typename: 'Specimen' }
        | { __typename: 'SpecimenDefinition' }
        | { __typename: 'StructureDefinition' }
        | { __typename: 'StructureMap' }
        | { __typename: 'Subscription' }
        | { __typename: 'Substance' }
        | { __typename: 'SubstanceNucleicAcid' }
        | { __typename: 'SubstancePolymer' }
        | { __typename: 'SubstanceProtein' }
        | { __typename: 'SubstanceReferenceInformation' }
        | { __typename: 'SubstanceSourceMaterial' }
        | { __typename: 'SubstanceSpecification' }
        | { __typename: 'SupplyDelivery' }
        | { __typename: 'SupplyRequest' }
        | { __typename: 'Task' }
        | { __typename: 'TerminologyCapabilities' }
        | { __typename: 'TestReport' }
        | { __typename: 'TestScript' }
        | { __typename: 'ValueSet' }
        | { __typename: 'VerificationResult' }
        | { __typename: 'VisionPrescription' }
       | null } | null> | null } | null };

export type ValuesFragment = { _key: string, effectiveDateTime: string | null, code: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null, valueQuantity: { value: number | null, unit: string | null } | null, component: Array<{ code: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null, valueQuantity: { value: number | null, unit: string | null } | null } | null> | null };

export type ConceptFragment = { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null };

export type PatientFieldsFragment = { id: string | null, active: boolean | null, birthDate: string | null, gender: string | null, meta: { versionId: string | null, lastUpdated: string | null } | null, name: Array<{ text: string | null, family: string | null, given: Array<string | null> | null } | null> | null, telecom: Array<{ system: string | null, value: string | null } | null> | null };

export type EditPatientMutationVariables = Exact<{
  id: string | number;
  version: string | number;
  patch: Array<JsonPatchOperation> | JsonPatchOperation;
}>;


export type EditPatientMutation = { PatientPatch: { resource: { meta: { versionId: string | null } | null } | null } | null };

export type CurrentVersionQueryVariables = Exact<{
  id: string | number;
}>;


export type CurrentVersionQuery = { Patient: { meta: { versionId: string | null } | null } | null };

export type ChangedMeanwhileQueryVariables = Exact<{
  id: string | number;
  from: string | number;
  to: string | number;
}>;


export type ChangedMeanwhileQuery = { diff: unknown };

export type PatientsQueryVariables = Exact<{
  name?: Array<string | null | undefined> | string | null | undefined;
  cursor?: string | null | undefined;
}>;


export type PatientsQuery = { PatientConnection: { count: number | null, next: string | null, edges: Array<{ resource: { id: string | null, birthDate: string | null, gender: string | null, name: Array<{ text: string | null, family: string | null, given: Array<string | null> | null } | null> | null } | null } | null> | null } | null };

export type SummaryFragment = { ConditionList: Array<{ _key: string, onsetDateTime: string | null, code: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null } | null> | null, AllergyIntoleranceList: Array<{ _key: string, criticality: string | null, code: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null } | null> | null, MedicationRequestList: Array<{ _key: string, medicationCodeableConcept: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null, medicationReference: { display: string | null, resource:
        | { _key: string, code: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null }
        | Record<PropertyKey, never>
       | null } | null, dosageInstruction: Array<{ text: string | null } | null> | null } | null> | null };

export type LatestFragment = { entry: Array<{ resource:
      | { __typename: 'Account' }
      | { __typename: 'ActivityDefinition' }
      | { __typename: 'AdverseEvent' }
      | { __typename: 'AllergyIntolerance' }
      | { __typename: 'Appointment' }
      | { __typename: 'AppointmentResponse' }
      | { __typename: 'AuditEvent' }
      | { __typename: 'Basic' }
      | { __typename: 'Binary' }
      | { __typename: 'BiologicallyDerivedProduct' }
      | { __typename: 'BodyStructure' }
      | { __typename: 'Bundle' }
      | { __typename: 'CapabilityStatement' }
      | { __typename: 'CarePlan' }
      | { __typename: 'CareTeam' }
      | { __typename: 'CatalogEntry' }
      | { __typename: 'ChargeItem' }
      | { __typename: 'ChargeItemDefinition' }
      | { __typename: 'Claim' }
      | { __typename: 'ClaimResponse' }
      | { __typename: 'ClinicalImpression' }
      | { __typename: 'CodeSystem' }
      | { __typename: 'Communication' }
      | { __typename: 'CommunicationRequest' }
      | { __typename: 'CompartmentDefinition' }
      | { __typename: 'Composition' }
      | { __typename: 'ConceptMap' }
      | { __typename: 'Condition' }
      | { __typename: 'Consent' }
      | { __typename: 'Contract' }
      | { __typename: 'Coverage' }
      | { __typename: 'CoverageEligibilityRequest' }
      | { __typename: 'CoverageEligibilityResponse' }
      | { __typename: 'DetectedIssue' }
      | { __typename: 'Device' }
      | { __typename: 'DeviceDefinition' }
      | { __typename: 'DeviceMetric' }
      | { __typename: 'DeviceRequest' }
      | { __typename: 'DeviceUseStatement' }
      | { __typename: 'DiagnosticReport' }
      | { __typename: 'DocumentManifest' }
      | { __typename: 'DocumentReference' }
      | { __typename: 'EffectEvidenceSynthesis' }
      | { __typename: 'Encounter' }
      | { __typename: 'Endpoint' }
      | { __typename: 'EnrollmentRequest' }
      | { __typename: 'EnrollmentResponse' }
      | { __typename: 'EpisodeOfCare' }
      | { __typename: 'EventDefinition' }
      | { __typename: 'Evidence' }
      | { __typename: 'EvidenceVariable' }
      | { __typename: 'ExampleScenario' }
      | { __typename: 'ExplanationOfBenefit' }
      | { __typename: 'FamilyMemberHistory' }
      | { __typename: 'Flag' }
      | { __typename: 'Goal' }
      | { __typename: 'GraphDefinition' }
      | { __typename: 'Group' }
      | { __typename: 'GuidanceResponse' }
      | { __typename: 'HealthcareService' }
      | { __typename: 'ImagingStudy' }
      | { __typename: 'Immunization' }
      | { __typename: 'ImmunizationEvaluation' }
      | { __typename: 'ImmunizationRecommendation' }
      | { __typename: 'ImplementationGuide' }
      | { __typename: 'InsurancePlan' }
      | { __typename: 'Invoice' }
      | { __typename: 'Library' }
      | { __typename: 'Linkage' }
      | { __typename: 'List' }
      | { __typename: 'Location' }
      | { __typename: 'Measure' }
      | { __typename: 'MeasureReport' }
      | { __typename: 'Media' }
      | { __typename: 'Medication' }
      | { __typename: 'MedicationAdministration' }
      | { __typename: 'MedicationDispense' }
      | { __typename: 'MedicationKnowledge' }
      | { __typename: 'MedicationRequest' }
      | { __typename: 'MedicationStatement' }
      | { __typename: 'MedicinalProduct' }
      | { __typename: 'MedicinalProductAuthorization' }
      | { __typename: 'MedicinalProductContraindication' }
      | { __typename: 'MedicinalProductIndication' }
      | { __typename: 'MedicinalProductIngredient' }
      | { __typename: 'MedicinalProductInteraction' }
      | { __typename: 'MedicinalProductManufactured' }
      | { __typename: 'MedicinalProductPackaged' }
      | { __typename: 'MedicinalProductPharmaceutical' }
      | { __typename: 'MedicinalProductUndesirableEffect' }
      | { __typename: 'MessageDefinition' }
      | { __typename: 'MessageHeader' }
      | { __typename: 'MolecularSequence' }
      | { __typename: 'NamingSystem' }
      | { __typename: 'NutritionOrder' }
      | { __typename: 'Observation', _key: string, effectiveDateTime: string | null, code: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null, valueQuantity: { value: number | null, unit: string | null } | null, component: Array<{ code: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null, valueQuantity: { value: number | null, unit: string | null } | null } | null> | null }
      | { __typename: 'ObservationDefinition' }
      | { __typename: 'OperationDefinition' }
      | { __typename: 'OperationOutcome' }
      | { __typename: 'Organization' }
      | { __typename: 'OrganizationAffiliation' }
      | { __typename: 'Parameters' }
      | { __typename: 'Patient' }
      | { __typename: 'PaymentNotice' }
      | { __typename: 'PaymentReconciliation' }
      | { __typename: 'Person' }
      | { __typename: 'PlanDefinition' }
      | { __typename: 'Practitioner' }
      | { __typename: 'PractitionerRole' }
      | { __typename: 'Procedure' }
      | { __typename: 'Provenance' }
      | { __typename: 'Questionnaire' }
      | { __typename: 'QuestionnaireResponse' }
      | { __typename: 'RelatedPerson' }
      | { __typename: 'RequestGroup' }
      | { __typename: 'ResearchDefinition' }
      | { __typename: 'ResearchElementDefinition' }
      | { __typename: 'ResearchStudy' }
      | { __typename: 'ResearchSubject' }
      | { __typename: 'RiskAssessment' }
      | { __typename: 'RiskEvidenceSynthesis' }
      | { __typename: 'Schedule' }
      | { __typename: 'SearchParameter' }
      | { __typename: 'ServiceRequest' }
      | { __typename: 'Slot' }
      | { __typename: 'Specimen' }
      | { __typename: 'SpecimenDefinition' }
      | { __typename: 'StructureDefinition' }
      | { __typename: 'StructureMap' }
      | { __typename: 'Subscription' }
      | { __typename: 'Substance' }
      | { __typename: 'SubstanceNucleicAcid' }
      | { __typename: 'SubstancePolymer' }
      | { __typename: 'SubstanceProtein' }
      | { __typename: 'SubstanceReferenceInformation' }
      | { __typename: 'SubstanceSourceMaterial' }
      | { __typename: 'SubstanceSpecification' }
      | { __typename: 'SupplyDelivery' }
      | { __typename: 'SupplyRequest' }
      | { __typename: 'Task' }
      | { __typename: 'TerminologyCapabilities' }
      | { __typename: 'TestReport' }
      | { __typename: 'TestScript' }
      | { __typename: 'ValueSet' }
      | { __typename: 'VerificationResult' }
      | { __typename: 'VisionPrescription' }
     | null } | null> | null };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const ConceptFragmentDoc = new TypedDocumentString(`
    fragment Concept on CodeableConcept {
  text
  coding {
    code
    display
  }
}
    `, {"fragmentName":"Concept"}) as unknown as TypedDocumentString<ConceptFragment, unknown>;
export const EncountersFragmentDoc = new TypedDocumentString(`
    fragment Encounters on Patient {
  EncounterConnection(_reference: subject, _sort: "-date", first: 50) {
    count
    nodes {
      _key
      status
      class {
        code
        display
      }
      type {
        ...Concept
      }
      period {
        start
        end
      }
    }
  }
}
    fragment Concept on CodeableConcept {
  text
  coding {
    code
    display
  }
}`, {"fragmentName":"Encounters"}) as unknown as TypedDocumentString<EncountersFragment, unknown>;
export const PatientFieldsFragmentDoc = new TypedDocumentString(`
    fragment PatientFields on Patient {
  id
  meta {
    versionId
    lastUpdated
  }
  active
  birthDate
  gender
  name {
    text
    family
    given
  }
  telecom {
    system
    value
  }
}
    `, {"fragmentName":"PatientFields"}) as unknown as TypedDocumentString<PatientFieldsFragment, unknown>;
export const SummaryFragmentDoc = new TypedDocumentString(`
    fragment Summary on Patient {
  ConditionList(
    _reference: subject
    clinical_status: "active"
    _sort: "-onset-date"
    _count: 20
  ) {
    _key
    code {
      ...Concept
    }
    onsetDateTime
  }
  AllergyIntoleranceList(
    _reference: patient
    clinical_status: "active"
    _count: 20
  ) {
    _key
    code {
      ...Concept
    }
    criticality
  }
  MedicationRequestList(
    _reference: subject
    status: "active"
    _sort: "-authoredon"
    _count: 20
  ) {
    _key
    medicationCodeableConcept {
      ...Concept
    }
    medicationReference {
      display
      resource(type: Medication, optional: true) {
        ... on Medication {
          _key
          code {
            ...Concept
          }
        }
      }
    }
    dosageInstruction {
      text
    }
  }
}
    fragment Concept on CodeableConcept {
  text
  coding {
    code
    display
  }
}`, {"fragmentName":"Summary"}) as unknown as TypedDocumentString<SummaryFragment, unknown>;
export const ValuesFragmentDoc = new TypedDocumentString(`
    fragment Values on Observation {
  _key
  code {
    ...Concept
  }
  effectiveDateTime
  valueQuantity {
    value
    unit
  }
  component {
    code {
      ...Concept
    }
    valueQuantity {
      value
      unit
    }
  }
}
    fragment Concept on CodeableConcept {
  text
  coding {
    code
    display
  }
}`, {"fragmentName":"Values"}) as unknown as TypedDocumentString<ValuesFragment, unknown>;
export const LatestFragmentDoc = new TypedDocumentString(`
    fragment Latest on Bundle {
  entry {
    resource {
      __typename
      ...Values
    }
  }
}
    fragment Values on Observation {
  _key
  code {
    ...Concept
  }
  effectiveDateTime
  valueQuantity {
    value
    unit
  }
  component {
    code {
      ...Concept
    }
    valueQuantity {
      value
      unit
    }
  }
}
fragment Concept on CodeableConcept {
  text
  coding {
    code
    display
  }
}`, {"fragmentName":"Latest"}) as unknown as TypedDocumentString<LatestFragment, unknown>;
export const SequenceDocument = new TypedDocumentString(`
    query Sequence {
  versionSequence
}
    `) as unknown as TypedDocumentString<SequenceQuery, SequenceQueryVariables>;
export const ChangesDocument = new TypedDocumentString(`
    subscription Changes($type: ResourceType!, $query: String, $after: SafeInt) {
  resourceChanged(type: $type, query: $query, after: $after) {
    action
    id
    sequence
  }
}
    `) as unknown as TypedDocumentString<ChangesSubscription, ChangesSubscriptionVariables>;
export const PatientChartDocument = new TypedDocumentString(`
    query PatientChart($id: ID!, $patient: [reference]) {
  Patient(id: $id) {
    ...PatientFields
    ...Summary
    ...Encounters
    managingOrganization {
      display
      resource(type: Organization, optional: true) {
        ... on Organization {
          name
        }
      }
    }
    ObservationConnection(_reference: subject, _sort: "-date", _count: 100) {
      count
      edges {
        resource {
          ...Values
        }
      }
    }
  }
  ObservationLastn(patient: $patient, category: "vital-signs") {
    ...Latest
  }
}
    fragment Encounters on Patient {
  EncounterConnection(_reference: subject, _sort: "-date", first: 50) {
    count
    nodes {
      _key
      status
      class {
        code
        display
      }
      type {
        ...Concept
      }
      period {
        start
        end
      }
    }
  }
}
fragment Values on Observation {
  _key
  code {
    ...Concept
  }
  effectiveDateTime
  valueQuantity {
    value
    unit
  }
  component {
    code {
      ...Concept
    }
    valueQuantity {
      value
      unit
    }
  }
}
fragment Concept on CodeableConcept {
  text
  coding {
    code
    display
  }
}
fragment PatientFields on Patient {
  id
  meta {
    versionId
    lastUpdated
  }
  active
  birthDate
  gender
  name {
    text
    family
    given
  }
  telecom {
    system
    value
  }
}
fragment Summary on Patient {
  ConditionList(
    _reference: subject
    clinical_status: "active"
    _sort: "-onset-date"
    _count: 20
  ) {
    _key
    code {
      ...Concept
    }
    onsetDateTime
  }
  AllergyIntoleranceList(
    _reference: patient
    clinical_status: "active"
    _count: 20
  ) {
    _key
    code {
      ...Concept
    }
    criticality
  }
  MedicationRequestList(
    _reference: subject
    status: "active"
    _sort: "-authoredon"
    _count: 20
  ) {
    _key
    medicationCodeableConcept {
      ...Concept
    }
    medicationReference {
      display
      resource(type: Medication, optional: true) {
        ... on Medication {
          _key
          code {
            ...Concept
          }
        }
      }
    }
    dosageInstruction {
      text
    }
  }
}
fragment Latest on Bundle {
  entry {
    resource {
      __typename
      ...Values
    }
  }
}`) as unknown as TypedDocumentString<PatientChartQuery, PatientChartQueryVariables>;
export const EditPatientDocument = new TypedDocumentString(`
    mutation EditPatient($id: ID!, $version: ID!, $patch: [JsonPatchOperation!]!) {
  PatientPatch(id: $id, ifVersion: $version, patch: $patch) {
    resource {
      meta {
        versionId
      }
    }
  }
}
    `) as unknown as TypedDocumentString<EditPatientMutation, EditPatientMutationVariables>;
export const CurrentVersionDocument = new TypedDocumentString(`
    query CurrentVersion($id: ID!) {
  Patient(id: $id) {
    meta {
      versionId
    }
  }
}
    `) as unknown as TypedDocumentString<CurrentVersionQuery, CurrentVersionQueryVariables>;
export const ChangedMeanwhileDocument = new TypedDocumentString(`
    query ChangedMeanwhile($id: ID!, $from: ID!, $to: ID!) {
  diff(type: Patient, id: $id, from: $from, to: $to)
}
    `) as unknown as TypedDocumentString<ChangedMeanwhileQuery, ChangedMeanwhileQueryVariables>;
export const PatientsDocument = new TypedDocumentString(`
    query Patients($name: [String], $cursor: String) {
  PatientConnection(name: $name, _sort: "family", _count: 20, _cursor: $cursor) {
    count
    next
    edges {
      resource {
        id
        birthDate
        gender
        name {
          text
          family
          given
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<PatientsQuery, PatientsQueryVariables>;