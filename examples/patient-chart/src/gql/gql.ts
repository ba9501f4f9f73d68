/* eslint-disable */
import * as types from './graphql';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  fragment Encounters on Patient {\n    EncounterConnection(_reference: subject, _sort: \"-date\", first: 50) {\n      count\n      nodes {\n        _key\n        status\n        class {\n          code\n          display\n        }\n        type {\n          ...Concept\n        }\n        period {\n          start\n          end\n        }\n      }\n    }\n  }\n": typeof types.EncountersFragmentDoc,
    "\n  query Sequence {\n    versionSequence\n  }\n": typeof types.SequenceDocument,
    "\n  subscription Changes($type: ResourceType!, $query: String, $after: SafeInt) {\n    resourceChanged(type: $type, query: $query, after: $after) {\n      action\n      id\n      sequence\n    }\n  }\n": typeof types.ChangesDocument,
    "\n  query PatientChart($id: ID!, $patient: [reference]) {\n    Patient(id: $id) {\n      ...PatientFields\n      ...Summary\n      ...Encounters\n      managingOrganization {\n        display\n        resource(type: Organization, optional: true) {\n          ... on Organization {\n            name\n          }\n        }\n      }\n      ObservationConnection(_reference: subject, _sort: \"-date\", _count: 100) {\n        count\n        edges {\n          resource {\n            ...Values\n          }\n        }\n      }\n    }\n    ObservationLastn(patient: $patient, category: \"vital-signs\") {\n      ...Latest\n    }\n  }\n\n  fragment Values on Observation {\n    _key\n    code {\n      ...Concept\n    }\n    effectiveDateTime\n    valueQuantity {\n      value\n      unit\n    }\n    component {\n      code {\n        ...Concept\n      }\n      valueQuantity {\n        value\n        unit\n      }\n    }\n  }\n\n  fragment Concept on CodeableConcept {\n    text\n    coding {\n      code\n      display\n    }\n  }\n\n  fragment PatientFields on Patient {\n    id\n    meta {\n      versionId\n      lastUpdated\n    }\n    active\n    birthDate\n    gender\n    name {\n      text\n      family\n      given\n    }\n    telecom {\n      system\n      value\n    }\n  }\n": typeof types.PatientChartDocument,
    "\n  mutation EditPatient($id: ID!, $version: ID!, $patch: [JsonPatchOperation!]!) {\n    PatientPatch(id: $id, ifVersion: $version, patch: $patch) {\n      resource {\n        meta {\n          versionId\n        }\n      }\n    }\n  }\n": typeof types.EditPatientDocument,
    "\n  query CurrentVersion($id: ID!) {\n    Patient(id: $id) {\n      meta {\n        versionId\n      }\n    }\n  }\n": typeof types.CurrentVersionDocument,
    "\n  query ChangedMeanwhile($id: ID!, $from: ID!, $to: ID!) {\n    diff(type: Patient, id: $id, from: $from, to: $to)\n  }\n": typeof types.ChangedMeanwhileDocument,
    "\n  query Patients($name: [String], $cursor: String) {\n    PatientConnection(name: $name, _sort: \"family\", _count: 20, _cursor: $cursor) {\n      count\n      next\n      edges {\n        resource {\n          id\n          birthDate\n          gender\n          name {\n            text\n            family\n            given\n          }\n        }\n      }\n    }\n  }\n": typeof types.PatientsDocument,
    "\n  fragment Summary on Patient {\n    ConditionList(_reference: subject, clinical_status: \"active\", _sort: \"-onset-date\", _count: 20) {\n      _key\n      code {\n        ...Concept\n      }\n      onsetDateTime\n    }\n    AllergyIntoleranceList(_reference: patient, clinical_status: \"active\", _count: 20) {\n      _key\n      code {\n        ...Concept\n      }\n      criticality\n    }\n    MedicationRequestList(_reference: subject, status: \"active\", _sort: \"-authoredon\", _count: 20) {\n      _key\n      medicationCodeableConcept {\n        ...Concept\n      }\n      medicationReference {\n        display\n        resource(type: Medication, optional: true) {\n          ... on Medication {\n            _key\n            code {\n              ...Concept\n            }\n          }\n        }\n      }\n      dosageInstruction {\n        text\n      }\n    }\n  }\n": typeof types.SummaryFragmentDoc,
    "\n  fragment Latest on Bundle {\n    entry {\n      resource {\n        __typename\n        ...Values\n      }\n    }\n  }\n": typeof types.LatestFragmentDoc,
};
const documents: Documents = {
    "\n  fragment Encounters on Patient {\n    EncounterConnection(_reference: subject, _sort: \"-date\", first: 50) {\n      count\n      nodes {\n        _key\n        status\n        class {\n          code\n          display\n        }\n        type {\n          ...Concept\n        }\n        period {\n          start\n          end\n        }\n      }\n    }\n  }\n": types.EncountersFragmentDoc,
    "\n  query Sequence {\n    versionSequence\n  }\n": types.SequenceDocument,
    "\n  subscription Changes($type: ResourceType!, $query: String, $after: SafeInt) {\n    resourceChanged(type: $type, query: $query, after: $after) {\n      action\n      id\n      sequence\n    }\n  }\n": types.ChangesDocument,
    "\n  query PatientChart($id: ID!, $patient: [reference]) {\n    Patient(id: $id) {\n      ...PatientFields\n      ...Summary\n      ...Encounters\n      managingOrganization {\n        display\n        resource(type: Organization, optional: true) {\n          ... on Organization {\n            name\n          }\n        }\n      }\n      ObservationConnection(_reference: subject, _sort: \"-date\", _count: 100) {\n        count\n        edges {\n          resource {\n            ...Values\n          }\n        }\n      }\n    }\n    ObservationLastn(patient: $patient, category: \"vital-signs\") {\n      ...Latest\n    }\n  }\n\n  fragment Values on Observation {\n    _key\n    code {\n      ...Concept\n    }\n    effectiveDateTime\n    valueQuantity {\n      value\n      unit\n    }\n    component {\n      code {\n        ...Concept\n      }\n      valueQuantity {\n        value\n        unit\n      }\n    }\n  }\n\n  fragment Concept on CodeableConcept {\n    text\n    coding {\n      code\n      display\n    }\n  }\n\n  fragment PatientFields on Patient {\n    id\n    meta {\n      versionId\n      lastUpdated\n    }\n    active\n    birthDate\n    gender\n    name {\n      text\n      family\n      given\n    }\n    telecom {\n      system\n      value\n    }\n  }\n": types.PatientChartDocument,
    "\n  mutation EditPatient($id: ID!, $version: ID!, $patch: [JsonPatchOperation!]!) {\n    PatientPatch(id: $id, ifVersion: $version, patch: $patch) {\n      resource {\n        meta {\n          versionId\n        }\n      }\n    }\n  }\n": types.EditPatientDocument,
    "\n  query CurrentVersion($id: ID!) {\n    Patient(id: $id) {\n      meta {\n        versionId\n      }\n    }\n  }\n": types.CurrentVersionDocument,
    "\n  query ChangedMeanwhile($id: ID!, $from: ID!, $to: ID!) {\n    diff(type: Patient, id: $id, from: $from, to: $to)\n  }\n": types.ChangedMeanwhileDocument,
    "\n  query Patients($name: [String], $cursor: String) {\n    PatientConnection(name: $name, _sort: \"family\", _count: 20, _cursor: $cursor) {\n      count\n      next\n      edges {\n        resource {\n          id\n          birthDate\n          gender\n          name {\n            text\n            family\n            given\n          }\n        }\n      }\n    }\n  }\n": types.PatientsDocument,
    "\n  fragment Summary on Patient {\n    ConditionList(_reference: subject, clinical_status: \"active\", _sort: \"-onset-date\", _count: 20) {\n      _key\n      code {\n        ...Concept\n      }\n      onsetDateTime\n    }\n    AllergyIntoleranceList(_reference: patient, clinical_status: \"active\", _count: 20) {\n      _key\n      code {\n        ...Concept\n      }\n      criticality\n    }\n    MedicationRequestList(_reference: subject, status: \"active\", _sort: \"-authoredon\", _count: 20) {\n      _key\n      medicationCodeableConcept {\n        ...Concept\n      }\n      medicationReference {\n        display\n        resource(type: Medication, optional: true) {\n          ... on Medication {\n            _key\n            code {\n              ...Concept\n            }\n          }\n        }\n      }\n      dosageInstruction {\n        text\n      }\n    }\n  }\n": types.SummaryFragmentDoc,
    "\n  fragment Latest on Bundle {\n    entry {\n      resource {\n        __typename\n        ...Values\n      }\n    }\n  }\n": types.LatestFragmentDoc,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment Encounters on Patient {\n    EncounterConnection(_reference: subject, _sort: \"-date\", first: 50) {\n      count\n      nodes {\n        _key\n        status\n        class {\n          code\n          display\n        }\n        type {\n          ...Concept\n        }\n        period {\n          start\n          end\n        }\n      }\n    }\n  }\n"): typeof import('./graphql').EncountersFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Sequence {\n    versionSequence\n  }\n"): typeof import('./graphql').SequenceDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription Changes($type: ResourceType!, $query: String, $after: SafeInt) {\n    resourceChanged(type: $type, query: $query, after: $after) {\n      action\n      id\n      sequence\n    }\n  }\n"): typeof import('./graphql').ChangesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PatientChart($id: ID!, $patient: [reference]) {\n    Patient(id: $id) {\n      ...PatientFields\n      ...Summary\n      ...Encounters\n      managingOrganization {\n        display\n        resource(type: Organization, optional: true) {\n          ... on Organization {\n            name\n          }\n        }\n      }\n      ObservationConnection(_reference: subject, _sort: \"-date\", _count: 100) {\n        count\n        edges {\n          resource {\n            ...Values\n          }\n        }\n      }\n    }\n    ObservationLastn(patient: $patient, category: \"vital-signs\") {\n      ...Latest\n    }\n  }\n\n  fragment Values on Observation {\n    _key\n    code {\n      ...Concept\n    }\n    effectiveDateTime\n    valueQuantity {\n      value\n      unit\n    }\n    component {\n      code {\n        ...Concept\n      }\n      valueQuantity {\n        value\n        unit\n      }\n    }\n  }\n\n  fragment Concept on CodeableConcept {\n    text\n    coding {\n      code\n      display\n    }\n  }\n\n  fragment PatientFields on Patient {\n    id\n    meta {\n      versionId\n      lastUpdated\n    }\n    active\n    birthDate\n    gender\n    name {\n      text\n      family\n      given\n    }\n    telecom {\n      system\n      value\n    }\n  }\n"): typeof import('./graphql').PatientChartDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation EditPatient($id: ID!, $version: ID!, $patch: [JsonPatchOperation!]!) {\n    PatientPatch(id: $id, ifVersion: $version, patch: $patch) {\n      resource {\n        meta {\n          versionId\n        }\n      }\n    }\n  }\n"): typeof import('./graphql').EditPatientDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CurrentVersion($id: ID!) {\n    Patient(id: $id) {\n      meta {\n        versionId\n      }\n    }\n  }\n"): typeof import('./graphql').CurrentVersionDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ChangedMeanwhile($id: ID!, $from: ID!, $to: ID!) {\n    diff(type: Patient, id: $id, from: $from, to: $to)\n  }\n"): typeof import('./graphql').ChangedMeanwhileDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Patients($name: [String], $cursor: String) {\n    PatientConnection(name: $name, _sort: \"family\", _count: 20, _cursor: $cursor) {\n      count\n      next\n      edges {\n        resource {\n          id\n          birthDate\n          gender\n          name {\n            text\n            family\n            given\n          }\n        }\n      }\n    }\n  }\n"): typeof import('./graphql').PatientsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment Summary on Patient {\n    ConditionList(_reference: subject, clinical_status: \"active\", _sort: \"-onset-date\", _count: 20) {\n      _key\n      code {\n        ...Concept\n      }\n      onsetDateTime\n    }\n    AllergyIntoleranceList(_reference: patient, clinical_status: \"active\", _count: 20) {\n      _key\n      code {\n        ...Concept\n      }\n      criticality\n    }\n    MedicationRequestList(_reference: subject, status: \"active\", _sort: \"-authoredon\", _count: 20) {\n      _key\n      medicationCodeableConcept {\n        ...Concept\n      }\n      medicationReference {\n        display\n        resource(type: Medication, optional: true) {\n          ... on Medication {\n            _key\n            code {\n              ...Concept\n            }\n          }\n        }\n      }\n      dosageInstruction {\n        text\n      }\n    }\n  }\n"): typeof import('./graphql').SummaryFragmentDoc;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment Latest on Bundle {\n    entry {\n      resource {\n        __typename\n        ...Values\n      }\n    }\n  }\n"): typeof import('./graphql').LatestFragmentDoc;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
