/**
 * @generated SignedSource<<3604dc6047a4560476eb273b4240b99c>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ConcreteRequest } from 'relay-runtime';
export type scenarioUpdateMutation$variables = {
  patient: any;
};
export type scenarioUpdateMutation$data = {
  readonly PatientUpdate: {
    readonly resource: {
      readonly birthDate: any | null | undefined;
    } | null | undefined;
  } | null | undefined;
};
export type scenarioUpdateMutation = {
  response: scenarioUpdateMutation$data;
  variables: scenarioUpdateMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "patient"
  }
],
v1 = [
  {
    "kind": "Literal",
    "name": "id",
    "value": "one"
  },
  {
    "kind": "Variable",
    "name": "res",
    "variableName": "patient"
  }
],
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "birthDate",
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "scenarioUpdateMutation",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "PatientUpdate",
        "kind": "LinkedField",
        "name": "PatientUpdate",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "Patient",
            "kind": "LinkedField",
            "name": "resource",
            "plural": false,
            "selections": [
              (v2/*:: as any*/)
            ],
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ],
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "scenarioUpdateMutation",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "PatientUpdate",
        "kind": "LinkedField",
        "name": "PatientUpdate",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "Patient",
            "kind": "LinkedField",
            "name": "resource",
            "plural": false,
            "selections": [
              (v2/*:: as any*/),
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
    ]
  },
  "params": {
    "cacheID": "8a5ab8117195f30689111a82d7bb7c6f",
    "id": null,
    "metadata": {},
    "name": "scenarioUpdateMutation",
    "operationKind": "mutation",
    "text": "mutation scenarioUpdateMutation(\n  $patient: ResourceInput!\n) {\n  PatientUpdate(id: \"one\", res: $patient) {\n    resource {\n      birthDate\n      _key\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "674a115e29a1a1f290d18d4cd8e86385";

export default node;
