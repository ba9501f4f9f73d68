/** The mutations of one resource type, such as PatientCreate. */
import type { GraphQLResolveInfo } from 'graphql';
import { fhirError, type Issue, toOutcome } from '../../core/index';
import type { ChangeKind, ChangeResult, TypedChange } from '../../schema/fhir/index';
import { isJsonObject, type JsonObject } from '../../schema/json';
import type { GatewayContext } from '../context';
import { toReturnedResource } from '../resource-source';
import { ChangeMaker, createOf, deleteOf, type FieldArguments, patchOf, targetOf, updateOf } from './change';
import { perform } from './perform';
import type { PerformedChange } from './run-alone';
import { showVersion } from './show-version';

/** Returns the extensions and the resolver of a mutation field for `type`. */
export function typedChange(kind: ChangeKind, type: string): TypedChange<GatewayContext> {
  const toChange = makerOf(kind, type);
  return {
    extensions: { toChange },
    async resolve(given: FieldArguments, context: GatewayContext, info: GraphQLResolveInfo) {
      return toChangeResult(context, await perform(context, info, toChange, given));
    },
  };
}

function makerOf(kind: ChangeKind, type: string): ChangeMaker {
  switch (kind) {
    case 'create':
      return new ChangeMaker((given) => createOf(type, resourceOf(given), given));
    case 'update':
      return new ChangeMaker((given) => updateOf(targetOf({ ...given, type }), resourceOf(given), given));
    case 'patch':
      return new ChangeMaker((given) => patchOf(targetOf({ ...given, type }), given));
    case 'delete':
      return new ChangeMaker((given) => deleteOf(targetOf({ ...given, type }), given));
  }
}

function resourceOf({ res }: FieldArguments): JsonObject {
  if (isJsonObject(res)) return res;
  throw fhirError('invalidValue', { reason: "'res' must be a JSON object" });
}

function toChangeResult(context: GatewayContext, { answer, isDryRun }: PerformedChange): ChangeResult {
  switch (answer.kind) {
    case 'written': {
      const { version, warnings, isUnchanged } = answer.result;
      const { type, id, versionId } = version;
      const done =
        isUnchanged === true
          ? `The patch only tests; ${type}/${id} is unchanged in version ${versionId}`
          : `${type}/${id} ${isDryRun ? 'would be' : 'is'} stored as version ${versionId}`;
      return {
        location: `${type}/${id}/_history/${versionId}`,
        resource: showVersion(context, version, isDryRun),
        information: informationOf(done, warnings),
      };
    }
    case 'found': {
      const { version } = answer;
      const { type, id, versionId } = version;
      return {
        location: `${type}/${id}/_history/${versionId}`,
        resource: showVersion(context, version, isDryRun),
        information: informationOf(`${type}/${id} already meets the criteria; nothing was stored`, []),
      };
    }
    case 'deleted': {
      const { type, versions } = answer;
      const [one, other] = versions;
      const named = other === undefined ? `${type}/${one?.id ?? ''}` : `${versions.length} resources`;
      const verb = isDryRun ? 'would be' : other === undefined ? 'is' : 'are';
      const done = one === undefined ? 'There is nothing to delete' : `${named} ${verb} deleted`;
      return { information: informationOf(done, []) };
    }
  }
}

function informationOf(diagnostics: string, warnings: readonly Issue[]): ChangeResult['information'] {
  const done: Issue = { severity: 'information', code: 'informational', diagnostics };
  return toReturnedResource(toOutcome([done, ...warnings]));
}
