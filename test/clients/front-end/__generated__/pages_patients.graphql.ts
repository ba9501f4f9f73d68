/**
 * @generated SignedSource<<ddd4d859de0fa14e91151638df31c756>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type pages_patients$data = {
  readonly PatientConnection: {
    readonly edges: ReadonlyArray<{
      readonly node: {
        readonly birthDate: any | null | undefined;
      } | null | undefined;
    } | null | undefined> | null | undefined;
  } | null | undefined;
  readonly " $fragmentType": "pages_patients";
};
export type pages_patients$key = {
  readonly " $data"?: pages_patients$data;
  readonly " $fragmentSpreads": FragmentRefs<"pages_patients">;
};

import pagesPaginationQuery_graphql from './pagesPaginationQuery.graphql';

const node: ReaderFragment = (function(){
var v0 = [
  "PatientConnection"
];
return {
  "argumentDefinitions": [
    {
      "defaultValue": 1,
      "kind": "LocalArgument",
      "name": "count"
    },
    {
      "defaultValue": null,
      "kind": "LocalArgument",
      "name": "cursor"
    }
  ],
  "kind": "Fragment",
  "metadata": {
    "connection": [
      {
        "count": "count",
        "cursor": "cursor",
        "direction": "forward",
        "path": (v0/*:: as any*/)
      }
    ],
    "refetch": {
      "connection": {
        "forward": {
          "count": "count",
          "cursor": "cursor"
        },
        "backward": null,
        "path": (v0/*:: as any*/)
      },
      "fragmentPathInResult": [],
      "operation": pagesPaginationQuery_graphql
    }
  },
  "name": "pages_patients",
  "selections": [
    {
      "alias": "PatientConnection",
      "args": [
        {
          "kind": "Literal",
          "name": "_sort",
          "value": "_id"
        }
      ],
      "concreteType": "PatientConnection",
      "kind": "LinkedField",
      "name": "__pages_PatientConnection_connection",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "concreteType": "PatientEdge",
          "kind": "LinkedField",
          "name": "edges",
          "plural": true,
          "selections": [
            {
              "alias": null,
              "args": null,
              "concreteType": "Patient",
              "kind": "LinkedField",
              "name": "node",
              "plural": false,
              "selections": [
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "birthDate",
                  "storageKey": null
                },
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "__typename",
                  "storageKey": null
                }
              ],
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "cursor",
              "storageKey": null
            }
          ],
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "concreteType": "PageInfo",
          "kind": "LinkedField",
          "name": "pageInfo",
          "plural": false,
          "selections": [
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "endCursor",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "hasNextPage",
              "storageKey": null
            }
          ],
          "storageKey": null
        }
      ],
      "storageKey": "__pages_PatientConnection_connection(_sort:\"_id\")"
    }
  ],
  "type": "Query",
  "abstractKey": null
};
})();

(node as any).hash = "cbd99210609069b3681a2c74897905eb";

export default node;
