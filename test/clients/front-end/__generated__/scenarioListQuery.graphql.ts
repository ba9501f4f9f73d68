/**
 * @generated SignedSource<<fd97c8018cf308ae13149e5d6423b70d>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ConcreteRequest } from 'relay-runtime';
export type scenarioListQuery$variables = Record<PropertyKey, never>;
export type scenarioListQuery$data = {
  readonly PatientList: ReadonlyArray<{
    readonly birthDate: any | null | undefined;
    readonly name: ReadonlyArray<{
      readonly family: string | null | undefined;
      readonly id: string | null | undefined;
    } | null | undefined> | null | undefined;
  } | null | undefined> | null | undefined;
};
export type scenarioListQuery = {
  response: scenarioListQuery$data;
  variables: scenarioListQuery$variables;
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
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "birthDate",
  "storageKey": null
},
v2 = {
  "alias": null,
  "args": null,
  "concreteType": "HumanName",
  "kind": "LinkedField",
  "name": "name",
  "plural": true,
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "id",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "family",
      "storageKey": null
    }
  ],
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": [],
    "kind": "Fragment",
    "metadata": null,
    "name": "scenarioListQuery",
    "selections": [
      {
        "alias": null,
        "args": (v0/*:: as any*/),
        "concreteType": "Patient",
        "kind": "LinkedField",
        "name": "PatientList",
        "plural": true,
        "selections": [
          (v1/*:: as any*/),
          (v2/*:: as any*/)
        ],
        "storageKey": "PatientList(_sort:\"_id\")"
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "scenarioListQuery",
    "selections": [
      {
        "alias": null,
        "args": (v0/*:: as any*/),
        "concreteType": "Patient",
        "kind": "LinkedField",
        "name": "PatientList",
        "plural": true,
        "selections": [
          (v1/*:: as any*/),
          (v2/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "_key",
            "storageKey": null
          }
        ],
        "storageKey": "PatientList(_sort:\"_id\")"
      }
    ]
  },
  "params": {
    "cacheID": "b95abd1a2afe923f18a8d86aecb859c3",
    "id": null,
    "metadata": {},
    "name": "scenarioListQuery",
    "operationKind": "query",
    "text": "query scenarioListQuery {\n  PatientList(_sort: \"_id\") {\n    birthDate\n    name {\n      id\n      family\n    }\n    _key\n  }\n}\n"
  }
};
})();

(node as any).hash = "4532c47009df30926f9c4921dca140eb";

export default node;
