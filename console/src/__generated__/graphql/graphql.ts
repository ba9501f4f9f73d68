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

/** The kind of a write: UPDATE is a write under an id of the client, including the first one. */
export type ChangeKind =
  | 'CREATE'
  | 'DELETE'
  | 'UPDATE';

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

/** The reason why a resource is in the result of a search. */
export type SearchEntryMode =
  | 'INCLUDE'
  | 'MATCH';

export type BinaryContentQueryVariables = Exact<{
  key: string | number;
}>;


export type BinaryContentQuery = { node:
    | { content: { address: string | null } | null }
    | Record<PropertyKey, never>
   | null };

export type ChangedSubscriptionVariables = Exact<{
  type: ResourceType;
  id: string | number;
  after?: number | null | undefined;
}>;


export type ChangedSubscription = { resourceChanged: { action: ChangeAction, versionId: string, sequence: number, json: unknown, resource:
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
      | { meta: { authorName: string | null } | null }
     | null } };

export type ReadQueryVariables = Exact<{
  type: ResourceType;
  id: string | number;
  versionId?: string | number | null | undefined;
}>;


export type ReadQuery = { read:
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
    | { json: unknown, meta: { authorName: string | null } | null }
   | null };

export type SearchQueryVariables = Exact<{
  type?: ResourceType | null | undefined;
  query: string;
  first: number;
  after?: string | null | undefined;
}>;


export type SearchQuery = { search: { edges: Array<{ mode: SearchEntryMode, node:
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
       }>, pageInfo: { hasNextPage: boolean, endCursor: string | null }, issues: Array<{ severity: string, code: string, diagnostics: string }> } | null };

export type CountQueryVariables = Exact<{
  type?: ResourceType | null | undefined;
  query: string;
}>;


export type CountQuery = { search: { total: number | null } | null };

export type HistoryQueryVariables = Exact<{
  type: ResourceType;
  id: string | number;
  first: number;
  after?: string | null | undefined;
}>;


export type HistoryQuery = { history: { versions: Array<{ versionId: string, versionSequence: number, lastUpdated: string, change: ChangeKind, author: string, authorName: string | null, resource:
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
        | { json: unknown }
       | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type SubscriptionEventsQueryVariables = Exact<{
  id: string | number;
  since?: number | null | undefined;
}>;


export type SubscriptionEventsQuery = { subscriptionDelivery: { events: Array<{ number: number, timestamp: string, change: ChangeKind | null, focus: string | null }> | null } | null };

export type DefinitionsQueryVariables = Exact<{
  type: ResourceType;
  first: number;
  after?: string | null | undefined;
}>;


export type DefinitionsQuery = { search: { edges: Array<{ node:
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { url: string | null, name: string | null, title: string | null, version: string | null, status: string | null, content: string | null, count: number | null, id: string | null, identifier: Array<{ system: string | null } | null> | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { url: string | null, name: string | null, title: string | null, version: string | null, status: string | null, id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { url: string | null, name: string | null, title: string | null, version: string | null, status: string | null, id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
        | { id: string | null, meta: { extension: Array<{ url: string | null, valueInteger: number | null } | null> | null } | null }
       }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type ResourceTypesQueryVariables = Exact<{ [key: string]: never; }>;


export type ResourceTypesQuery = { metadata: { resourceTypes: Array<string> } | null };

export type NamesQueryVariables = Exact<{
  keys: Array<string | number> | string | number;
}>;


export type NamesQuery = { nodes: Array<
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
    | { json: unknown, _key: string }
   | null> };

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

export const BinaryContentDocument = new TypedDocumentString(`
    query BinaryContent($key: ID!) {
  node(_key: $key) {
    ... on Binary {
      content {
        address
      }
    }
  }
}
    `) as unknown as TypedDocumentString<BinaryContentQuery, BinaryContentQueryVariables>;
export const ChangedDocument = new TypedDocumentString(`
    subscription Changed($type: ResourceType!, $id: ID!, $after: SafeInt) {
  resourceChanged(type: $type, id: $id, after: $after) {
    action
    versionId
    sequence
    json
    resource {
      meta {
        authorName
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ChangedSubscription, ChangedSubscriptionVariables>;
export const ReadDocument = new TypedDocumentString(`
    query Read($type: ResourceType!, $id: ID!, $versionId: ID) {
  read(type: $type, id: $id, versionId: $versionId) {
    json
    meta {
      authorName
    }
  }
}
    `) as unknown as TypedDocumentString<ReadQuery, ReadQueryVariables>;
export const SearchDocument = new TypedDocumentString(`
    query Search($type: ResourceType, $query: String!, $first: Int!, $after: String) {
  search(type: $type, query: $query, first: $first, after: $after) {
    edges {
      mode
      node {
        json
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
    issues {
      severity
      code
      diagnostics
    }
  }
}
    `) as unknown as TypedDocumentString<SearchQuery, SearchQueryVariables>;
export const CountDocument = new TypedDocumentString(`
    query Count($type: ResourceType, $query: String!) {
  search(type: $type, query: $query, first: 0) {
    total
  }
}
    `) as unknown as TypedDocumentString<CountQuery, CountQueryVariables>;
export const HistoryDocument = new TypedDocumentString(`
    query History($type: ResourceType!, $id: ID!, $first: Int!, $after: String) {
  history(type: $type, id: $id, first: $first, after: $after) {
    versions {
      versionId
      versionSequence
      lastUpdated
      change
      author
      authorName
      resource {
        json
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<HistoryQuery, HistoryQueryVariables>;
export const SubscriptionEventsDocument = new TypedDocumentString(`
    query SubscriptionEvents($id: ID!, $since: Int) {
  subscriptionDelivery(id: $id) {
    events(since: $since) {
      number
      timestamp
      change
      focus
    }
  }
}
    `) as unknown as TypedDocumentString<SubscriptionEventsQuery, SubscriptionEventsQueryVariables>;
export const DefinitionsDocument = new TypedDocumentString(`
    query Definitions($type: ResourceType!, $first: Int!, $after: String) {
  search(type: $type, first: $first, after: $after) {
    edges {
      node {
        id
        meta {
          extension {
            url
            valueInteger
          }
        }
        ... on CodeSystem {
          url
          name
          title
          version
          status
          content
          count
          identifier {
            system
          }
        }
        ... on ValueSet {
          url
          name
          title
          version
          status
        }
        ... on ConceptMap {
          url
          name
          title
          version
          status
        }
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<DefinitionsQuery, DefinitionsQueryVariables>;
export const ResourceTypesDocument = new TypedDocumentString(`
    query ResourceTypes {
  metadata {
    resourceTypes
  }
}
    `) as unknown as TypedDocumentString<ResourceTypesQuery, ResourceTypesQueryVariables>;
export const NamesDocument = new TypedDocumentString(`
    query Names($keys: [ID!]!) {
  nodes(_keys: $keys) {
    _key
    ... on Resource {
      json
    }
  }
}
    `) as unknown as TypedDocumentString<NamesQuery, NamesQueryVariables>;