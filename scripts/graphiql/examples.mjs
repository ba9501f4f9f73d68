/** What GraphiQL opens with; every one works on the official examples that the quick start loads. */
export const examples = [
  {
    query: `# Andiron: FHIR over GraphQL. Run this with Ctrl-Enter; the other tabs show more.
query Observations {
  search(
    type: Observation
    query: "subject=Patient/example&code=29463-7,85354-9"
    first: 3
  ) {
    total
    resources {
      id
      meta {
        versionId
        lastUpdated
      }
      json
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`,
  },
  {
    query: `# One resource, and what the server knows about its version.
query Patient {
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
    json
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
    query: `# A JSON Patch with real JSON values. With ifVersion it is refused (code conflict)
# when somebody else was faster.
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
    query: `# An operation. \`operations\` in the documentation lists all that there are.
mutation Expand {
  invoke(
    code: "expand"
    type: ValueSet
    parameters: { url: "http://hl7.org/fhir/ValueSet/administrative-gender" }
  ) {
    json
  }
}
`,
  },
];
