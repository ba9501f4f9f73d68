/** What GraphiQL opens with; every one works on the official examples that the quick start loads. */
export const examples = [
  {
    query: `# FHIR over GraphQL. Run it with Ctrl-Enter.
# The other tabs show more, the documentation all.
query Welcome {
  search(
    type: Observation
    query: "subject=Patient/example&_sort=-date"
    first: 2
  ) {
    total
    resources {
      id
      meta {
        versionId
        lastUpdated
      }
    }
    pageInfo {
      hasNextPage
    }
  }
  read(type: Patient, id: "example") {
    json
  }
}
`,
  },
  {
    query: `# What the server knows about a version.
query Version {
  read(type: Patient, id: "example") {
    resourceType
    id
    meta {
      versionId
      lastUpdated
      versionSequence
      author {
        reference
      }
    }
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
  patch(type: Patient, id: "example", patch: $patch) {
    versionId
    resource {
      json
    }
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
    query: `# An operation; \`operations\` lists all that there are.
mutation Expand {
  invoke(
    code: "expand"
    type: ValueSet
    parameters: {
      url: "http://hl7.org/fhir/ValueSet/administrative-gender"
    }
  ) {
    json
  }
}
`,
  },
];
