/**
 * @generated SignedSource<<fff654bfc253d0acf4add49ad0706698>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ConcreteRequest } from 'relay-runtime';
export type scenarioPatientQuery$variables = Record<PropertyKey, never>;
export type scenarioPatientQuery$data = {
  readonly Patient: {
    readonly birthDate: any | null | undefined;
  } | null | undefined;
};
export type scenarioPatientQuery = {
  response: scenarioPatientQuery$data;
  variables: scenarioPatientQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "kind": "Literal",
    "name": "id",
    "value": "one"
  }
],
v1 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "birthDate",
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": [],
    "kind": "Fragment",
    "metadata": null,
    "name": "scenarioPatientQuery",
    "selections": [
      {
        "alias": null,
        "args": (v0/*:: as any*/),
        "concreteType": "Patient",
        "kind": "LinkedField",
        "name": "Patient",
        "plural": false,
        "selections": [
          (v1/*:: as any*/)
        ],
        "storageKey": "Patient(id:\"one\")"
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "scenarioPatientQuery",
    "selections": [
      {
        "alias": null,
        "args": (v0/*:: as any*/),
        "concreteType": "Patient",
        "kind": "LinkedField",
        "name": "Patient",
        "plural": false,
        "selections": [
          (v1/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "_key",
            "storageKey": null
          }
        ],
        "storageKey": "Patient(id:\"one\")"
      }
    ]
  },
  "params": {
    "cacheID": "17449e35a82202369715b246ddd9fe0b",
    "id": null,
    "metadata": {},
    "name": "scenarioPatientQuery",
    "operationKind": "query",
    "text": "query scenarioPatientQuery {\n  Patient(id: \"one\") {\n    birthDate\n    _key\n  }\n}\n"
  }
};
})();

(node as any).hash = "e2d084e70779f6fbd55406ba027f9bb4";

export default node;
