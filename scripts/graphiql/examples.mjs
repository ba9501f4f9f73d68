/** The first tabs of GraphiQL; all work on the official examples that the quick start loads. */
export const examples = [
  {
    query: `# FHIR over GraphQL. Ctrl-Enter runs,
# Ctrl-Space completes.
query Welcome {
  PatientList(_count: 5, _sort: "name") {
    id
    name(use: official) {
      family
      given
    }
    birthDate
    ObservationList(
      _reference: subject
      _count: 3
    ) {
      code {
        coding {
          display
        }
      }
      valueQuantity {
        value
        unit
      }
    }
  }
}
`,
  },
  {
    query: `# Everything that REST can search for, typed: alternatives,
# ranges, chains and what refers to a resource.
query Where {
  ObservationConnection(
    where: {
      status: { eq: final }
      date: { ge: "2000" }
      subject: { Patient: { name: { startsWith: "ch" } } }
    }
    _count: 3
  ) {
    count
    next
    edges {
      resource {
        id
        effectiveDateTime
        subject {
          resource(type: Patient) {
            ... on Patient { name { family } }
          }
        }
      }
    }
  }
}
`,
  },
  {
    query: `# By the query string of REST, in pages. With the header
# {"x-graphql-cost": "1"} (below) it tells what it took.
query Search {
  search(
    type: Observation
    query: "subject=Patient/example&_sort=-date"
    first: 2
  ) {
    total
    resources { id meta { lastUpdated } }
    pageInfo { hasNextPage endCursor }
  }
}
`,
  },
  {
    query: `# All that changed: the newest version first.
query History {
  history(type: Patient, id: "example") {
    versions {
      versionId
      change
      lastUpdated
      resource {
        meta { versionSequence author { reference } }
        json
      }
    }
  }
}
`,
  },
  {
    query: `# A JSON Patch with real JSON values. With ifVersion
# it is refused when somebody else was faster.
mutation Patch($patch: [JsonPatchOperation!]!) {
  PatientPatch(id: "example", patch: $patch) {
    resource { active meta { versionId } }
  }
}
`,
    variables: `{
  "patch": [
    { "op": "replace", "path": "/active", "value": true }
  ]
}
`,
  },
  {
    query: `# One transaction: the observation refers to the patient
# that is created with it. dryRun tries it out, and keeps nothing.
mutation Atomic($patient: ResourceInput!, $weight: ResourceInput!) @atomic {
  patient: create(resource: $patient, as: "urn:uuid:4f1f3a2e-0000-4000-8000-000000000001", dryRun: true) {
    resource { id }
  }
  weight: create(resource: $weight, dryRun: true) {
    location
    resource { json }
  }
}
`,
    variables: `{
  "patient": { "resourceType": "Patient", "name": [{ "family": "Abel" }] },
  "weight": {
    "resourceType": "Observation",
    "status": "final",
    "code": { "text": "weight" },
    "subject": { "reference": "urn:uuid:4f1f3a2e-0000-4000-8000-000000000001" },
    "valueQuantity": { "value": 71.5, "unit": "kg" }
  }
}
`,
  },
  {
    query: `# An operation; \`operations\` lists all that there are.
query Expand {
  ValueSetExpand(
    url: "http://hl7.org/fhir/ValueSet/administrative-gender"
  ) {
    expansion { total contains { code display } }
  }
}
`,
  },
  {
    query: `# A live query: changes as they come, by server-sent events.
# Run it, then change a patient in another window. With
# \`after: 0\` it begins with all changes that there were.
subscription Follow {
  resourceChanged(type: Patient) {
    action
    id
    versionId
    sequence
    resource {
      ... on Patient { active name { family } }
    }
  }
}
`,
  },
];
