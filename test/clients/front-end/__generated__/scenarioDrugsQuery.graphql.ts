/**
 * @generated SignedSource<<703f106cccb0eeebddb321da4622fb5c>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ConcreteRequest } from 'relay-runtime';
export type scenarioDrugsQuery$variables = Record<PropertyKey, never>;
export type scenarioDrugsQuery$data = {
  readonly MedicationRequestList: ReadonlyArray<{
    readonly medicationReference: {
      readonly resource: {
        readonly code?: {
          readonly text: string | null | undefined;
        } | null | undefined;
      } | null | undefined;
    } | null | undefined;
  } | null | undefined> | null | undefined;
};
export type scenarioDrugsQuery = {
  response: scenarioDrugsQuery$data;
  variables: scenarioDrugsQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "kind": "Literal",
    "name": "_sort",
    "value": "_id"
  }
],
v1 = {
  "kind": "InlineFragment",
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "CodeableConcept",
      "kind": "LinkedField",
      "name": "code",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "text",
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "type": "Medication",
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
    "name": "scenarioDrugsQuery",
    "selections": [
      {
        "alias": null,
        "args": (v0/*:: as any*/),
        "concreteType": "MedicationRequest",
        "kind": "LinkedField",
        "name": "MedicationRequestList",
        "plural": true,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "Reference",
            "kind": "LinkedField",
            "name": "medicationReference",
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
        "storageKey": "MedicationRequestList(_sort:\"_id\")"
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "scenarioDrugsQuery",
    "selections": [
      {
        "alias": null,
        "args": (v0/*:: as any*/),
        "concreteType": "MedicationRequest",
        "kind": "LinkedField",
        "name": "MedicationRequestList",
        "plural": true,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "Reference",
            "kind": "LinkedField",
            "name": "medicationReference",
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
        "storageKey": "MedicationRequestList(_sort:\"_id\")"
      }
    ]
  },
  "params": {
    "cacheID": "e7e5144faed4e2fc54a7a8919450b08c",
    "id": null,
    "metadata": {},
    "name": "scenarioDrugsQuery",
    "operationKind": "query",
    "text": "query scenarioDrugsQuery {\n  MedicationRequestList(_sort: \"_id\") {\n    medicationReference {\n      resource {\n        __typename\n        ... on Medication {\n          code {\n            text\n          }\n        }\n        _key\n      }\n    }\n    _key\n  }\n}\n"
  }
};
})();

(node as any).hash = "1d392d133c9e365c1fdf83feadef8074";

export default node;
