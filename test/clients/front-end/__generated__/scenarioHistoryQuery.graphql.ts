/**
 * @generated SignedSource<<b1417c20963d0775c9b3df9570620b76>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ConcreteRequest } from 'relay-runtime';
export type scenarioHistoryQuery$variables = Record<PropertyKey, never>;
export type scenarioHistoryQuery$data = {
  readonly history: {
    readonly versions: ReadonlyArray<{
      readonly resource: {
        readonly birthDate?: any | null | undefined;
      } | null | undefined;
    }>;
  } | null | undefined;
};
export type scenarioHistoryQuery = {
  response: scenarioHistoryQuery$data;
  variables: scenarioHistoryQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "kind": "Literal",
    "name": "id",
    "value": "one"
  },
  {
    "kind": "Literal",
    "name": "type",
    "value": "Patient"
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
};
return {
  "fragment": {
    "argumentDefinitions": [],
    "kind": "Fragment",
    "metadata": null,
    "name": "scenarioHistoryQuery",
    "selections": [
      {
        "alias": null,
        "args": (v0/*:: as any*/),
        "concreteType": "HistoryResult",
        "kind": "LinkedField",
        "name": "history",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "HistoryEntry",
            "kind": "LinkedField",
            "name": "versions",
            "plural": true,
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
        "storageKey": "history(id:\"one\",type:\"Patient\")"
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "scenarioHistoryQuery",
    "selections": [
      {
        "alias": null,
        "args": (v0/*:: as any*/),
        "concreteType": "HistoryResult",
        "kind": "LinkedField",
        "name": "history",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "HistoryEntry",
            "kind": "LinkedField",
            "name": "versions",
            "plural": true,
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
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "_key",
                    "storageKey": null
                  }
                ],
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "storageKey": "history(id:\"one\",type:\"Patient\")"
      }
    ]
  },
  "params": {
    "cacheID": "d3c99f3e1b0fcbeafe0e0f21c297f25f",
    "id": null,
    "metadata": {},
    "name": "scenarioHistoryQuery",
    "operationKind": "query",
    "text": "query scenarioHistoryQuery {\n  history(type: Patient, id: \"one\") {\n    versions {\n      resource {\n        __typename\n        ... on Patient {\n          birthDate\n        }\n        _key\n      }\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "2215923b596f4edf41c1fea9f9369c36";

export default node;
