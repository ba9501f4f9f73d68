/**
 * @generated SignedSource<<39e7d963c4b8a9ea09f90ed94b628a16>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ConcreteRequest } from 'relay-runtime';
export type scenarioPastQuery$variables = Record<PropertyKey, never>;
export type scenarioPastQuery$data = {
  readonly read: {
    readonly birthDate?: any | null | undefined;
  } | null | undefined;
};
export type scenarioPastQuery = {
  response: scenarioPastQuery$data;
  variables: scenarioPastQuery$variables;
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
  },
  {
    "kind": "Literal",
    "name": "versionId",
    "value": "1"
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
    "name": "scenarioPastQuery",
    "selections": [
      {
        "alias": null,
        "args": (v0/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "read",
        "plural": false,
        "selections": [
          (v1/*:: as any*/)
        ],
        "storageKey": "read(id:\"one\",type:\"Patient\",versionId:\"1\")"
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "scenarioPastQuery",
    "selections": [
      {
        "alias": null,
        "args": (v0/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "read",
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
        "storageKey": "read(id:\"one\",type:\"Patient\",versionId:\"1\")"
      }
    ]
  },
  "params": {
    "cacheID": "95940970b268817882293f40d1fc136b",
    "id": null,
    "metadata": {},
    "name": "scenarioPastQuery",
    "operationKind": "query",
    "text": "query scenarioPastQuery {\n  read(type: Patient, id: \"one\", versionId: \"1\") {\n    __typename\n    ... on Patient {\n      birthDate\n    }\n    _key\n  }\n}\n"
  }
};
})();

(node as any).hash = "6a6b9fadd899aabd118ab803f975ac26";

export default node;
