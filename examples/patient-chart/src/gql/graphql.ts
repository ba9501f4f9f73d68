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
  /** For `move` and `copy`. */
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
}>;


export type PatientChartQuery = { Patient: { id: string | null, active: boolean | null, birthDate: string | null, gender: string | null, managingOrganization: { display: string | null, resource:
        | { name: string | null }
        | Record<PropertyKey, never>
       | null } | null, ObservationConnection: { count: number | null, edges: Array<{ resource: { id: string | null, effectiveDateTime: string | null, code: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null, valueQuantity: { value: number | null, unit: string | null } | null, component: Array<{ code: { text: string | null, coding: Array<{ code: string | null, display: string | null } | null> | null } | null, valueQuantity: { value: number | null, unit: string | null } | null } | null> | null } | null } | null> | null } | null, meta: { versionId: string | null, lastUpdated: string | null } | null, name: Array<{ text: string | null, family: string | null, given: Array<string | null> | null } | null> | null, telecom: Array<{ system: string | null, value: string | null } | null> | null } | null };

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
export const SequenceDocument = new TypedDocumentString(`
    query Sequence {
  versionSequence
}
    `) as unknown as TypedDocumentString<SequenceQuery, SequenceQueryVariables>;
export const ChangesDocument = new TypedDocumentString(`
    subscription Changes($type: ResourceType!, $query: String, $after: Int) {
  resourceChanged(type: $type, query: $query, after: $after) {
    action
    id
    sequence
  }
}
    `) as unknown as TypedDocumentString<ChangesSubscription, ChangesSubscriptionVariables>;
export const PatientChartDocument = new TypedDocumentString(`
    query PatientChart($id: ID!) {
  Patient(id: $id) {
    ...PatientFields
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
          id
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