/**
 * @generated SignedSource<<f580550f0425b0f1946446f4ee038b63>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ConcreteRequest } from 'relay-runtime';
export type scenarioSubjectQuery$variables = Record<PropertyKey, never>;
export type scenarioSubjectQuery$data = {
  readonly MedicationRequest: {
    readonly subject: {
      readonly resource: {
        readonly birthDate?: any | null | undefined;
      } | null | undefined;
    } | null | undefined;
  } | null | undefined;
};
export type scenarioSubjectQuery = {
  response: scenarioSubjectQuery$data;
  variables: scenarioSubjectQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "kind": "Literal",
    "name": "id",
    "value": "a"
  }
],
v1 = {
  "kind": "InlineFragment",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "birthDate",
      "storageKey": null
    }
  ],
  "type": "Patient",
  "abstractKey": null
},
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "_key",
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": [],
    "kind": "Fragment",
    "metadata": null,
    "name": "scenarioSubjectQuery",
    "selections": [
      {
        "alias": null,
        "args": (v0/*:: as any*/),
        "concreteType": "MedicationRequest",
        "kind": "LinkedField",
        "name": "MedicationRequest",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "Reference",
            "kind": "LinkedField",
            "name": "subject",
            "plural": false,
            "selections": [
              {
                "alias": null,
                "args": null,
                "concreteType": null,
                "kind": "LinkedField",
                "name": "resource",
                "plural": false,
                "selections": [
                  (v1/*:: as any*/)
                ],
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "storageKey": "MedicationRequest(id:\"a\")"
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "scenarioSubjectQuery",
    "selections": [
      {
        "alias": null,
        "args": (v0/*:: as any*/),
        "concreteType": "MedicationRequest",
        "kind": "LinkedField",
        "name": "MedicationRequest",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "Reference",
            "kind": "LinkedField",
            "name": "subject",
            "plural": false,
            "selections": [
              {
                "alias": null,
                "args": null,
                "concreteType": null,
                "kind": "LinkedField",
                "name": "resource",
                "plural": false,
                "selections": [
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "__typename",
                    "storageKey": null
                  },
                  (v1/*:: as any*/),
                  (v2/*:: as any*/)
                ],
                "storageKey": null
              }
            ],
            "storageKey": null
          },
          (v2/*:: as any*/)
        ],
        "storageKey": "MedicationRequest(id:\"a\")"
      }
    ]
  },
  "params": {
    "cacheID": "f6114a46323dd12d96a75bd30bf29809",
    "id": null,
    "metadata": {},
    "name": "scenarioSubjectQuery",
    "operationKind": "query",
    "text": "query scenarioSubjectQuery {\n  MedicationRequest(id: \"a\") {\n    subject {\n      resource {\n        __typename\n        ... on Patient {\n          birthDate\n        }\n        _key\n      }\n    }\n    _key\n  }\n}\n"
  }
};
})();

(node as any).hash = "31982f1a2d1825ab2a598359a722f0e2";

export default node;
