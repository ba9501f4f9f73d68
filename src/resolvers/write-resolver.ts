import { type GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Extensions, ID, Info, Mutation, Resolver } from 'type-graphql';
import type { JsonObject } from '../core/index';
import { resourceInputScalar, resourceTypePlaceholder } from '../schema/scalars';
import { Resource } from '../schema/types/resource';
import { JsonPatchOperation, WriteResult } from '../schema/types/write';
import { creation, deletion, patching, update } from './changes/change';
import { clearLoaders } from './changes/clear-loaders';
import { perform, reportIssues } from './changes/perform';
import { toWriteResult } from './changes/write-result';
import type { GatewayContext } from './context';
import { toInput } from './json-document';
import { toReturnedResource } from './resource-source';
import { toResponseText } from './transaction-bundle';

/** Descriptions of arguments that several mutations have. */
const DESCRIPTIONS = {
  as: 'A urn by which the other mutations of an operation with `@atomic` refer to the resource: `urn:uuid:…`.',
  criteria:
    'Instead of the id, the query string of a search that finds one resource: `identifier=http://hospital.example/mrn|17`.',
  dryRun: 'True: nothing is stored, and the result shows what would be.',
  ifMatch:
    'Versions; one must be the current one (`3`, or `W/"3"` as in REST). `*`: the resource must exist. Otherwise the ' +
    'error has the code `conflict`.',
  ifVersion: 'The version that must be the current one; otherwise the error has the code `conflict`.',
} as const;

@Resolver()
export class WriteResolver {
  @Extensions({ toChange: creation })
  @Mutation(() => WriteResult, {
    nullable: true,
    description: 'Stores a new resource under an id that the server gives.',
  })
  async create(
    @Ctx() context: GatewayContext,
    @Info() info: GraphQLResolveInfo,
    @Arg('resource', () => resourceInputScalar) resource: JsonObject,
    @Arg('ifNoneExist', () => String, {
      nullable: true,
      description:
        'The query string of a search: `identifier=http://hospital.example/mrn|17`. If it finds a resource, nothing is stored, and that resource is returned.',
    })
    ifNoneExist: string | null | undefined,
    @Arg('as', () => String, { nullable: true, description: DESCRIPTIONS.as }) as: string | null | undefined,
    @Arg('dryRun', () => Boolean, { nullable: true, description: DESCRIPTIONS.dryRun })
    dryRun: boolean | null | undefined,
  ): Promise<WriteResult> {
    return toWriteResult(
      context,
      await perform(context, info, creation, { resource, ifNoneExist, as, dryRun }),
    );
  }

  @Extensions({ toChange: update })
  @Mutation(() => WriteResult, {
    nullable: true,
    description: 'Stores a resource under its own id, as the next version or as the first.',
  })
  async update(
    @Ctx() context: GatewayContext,
    @Info() info: GraphQLResolveInfo,
    @Arg('resource', () => resourceInputScalar) resource: JsonObject,
    @Arg('criteria', () => String, {
      nullable: true,
      description:
        'The query string of a search: the one resource that it finds gets its next version; where there is none, a new one is stored.',
    })
    criteria: string | null | undefined,
    @Arg('ifMatch', () => [ID], { nullable: true, description: DESCRIPTIONS.ifMatch })
    ifMatch: readonly string[] | null | undefined,
    @Arg('ifVersion', () => ID, { nullable: true, description: DESCRIPTIONS.ifVersion })
    ifVersion: string | null | undefined,
    @Arg('as', () => String, { nullable: true, description: DESCRIPTIONS.as }) as: string | null | undefined,
    @Arg('dryRun', () => Boolean, { nullable: true, description: DESCRIPTIONS.dryRun })
    dryRun: boolean | null | undefined,
  ): Promise<WriteResult> {
    const given = { resource, criteria, ifMatch, ifVersion, as, dryRun };
    return toWriteResult(context, await perform(context, info, update, given));
  }

  @Extensions({ toChange: patching })
  @Mutation(() => WriteResult, {
    nullable: true,
    description: 'Changes a resource by a JSON Patch or a FHIRPath Patch, as a whole or not at all.',
  })
  async patch(
    @Ctx() context: GatewayContext,
    @Info() info: GraphQLResolveInfo,
    @Arg('type', () => resourceTypePlaceholder) type: string,
    @Arg('id', () => ID, { nullable: true }) id: string | null | undefined,
    @Arg('criteria', () => String, { nullable: true, description: DESCRIPTIONS.criteria })
    criteria: string | null | undefined,
    @Arg('patch', () => [JsonPatchOperation], {
      nullable: true,
      description: 'The operations of a JSON Patch.',
    })
    operations: JsonPatchOperation[] | null | undefined,
    @Arg('fhirPathPatch', () => resourceInputScalar, {
      nullable: true,
      description:
        'Instead of `patch`, the Parameters of a FHIRPath Patch (http://hl7.org/fhir/fhirpatch.html).',
    })
    fhirPathPatch: JsonObject | null | undefined,
    @Arg('ifMatch', () => [ID], { nullable: true, description: DESCRIPTIONS.ifMatch })
    ifMatch: readonly string[] | null | undefined,
    @Arg('ifVersion', () => ID, { nullable: true, description: DESCRIPTIONS.ifVersion })
    ifVersion: string | null | undefined,
    @Arg('dryRun', () => Boolean, { nullable: true, description: DESCRIPTIONS.dryRun })
    dryRun: boolean | null | undefined,
  ): Promise<WriteResult> {
    const given = { type, id, criteria, patch: operations, fhirPathPatch, ifMatch, ifVersion, dryRun };
    return toWriteResult(context, await perform(context, info, patching, given));
  }

  @Extensions({ toChange: deletion })
  @Mutation(() => WriteResult, {
    nullable: true,
    description:
      'Deletes a resource; its versions stay in its history. `versionId` is null when there was nothing to delete.',
  })
  async delete(
    @Ctx() context: GatewayContext,
    @Info() info: GraphQLResolveInfo,
    @Arg('type', () => resourceTypePlaceholder) type: string,
    @Arg('id', () => ID, { nullable: true }) id: string | null | undefined,
    @Arg('criteria', () => String, { nullable: true, description: DESCRIPTIONS.criteria })
    criteria: string | null | undefined,
    @Arg('ifMatch', () => [ID], { nullable: true, description: DESCRIPTIONS.ifMatch })
    ifMatch: readonly string[] | null | undefined,
    @Arg('ifVersion', () => ID, { nullable: true, description: DESCRIPTIONS.ifVersion })
    ifVersion: string | null | undefined,
    @Arg('dryRun', () => Boolean, { nullable: true, description: DESCRIPTIONS.dryRun })
    dryRun: boolean | null | undefined,
  ): Promise<WriteResult> {
    const given = { type, id, criteria, ifMatch, ifVersion, dryRun };
    return toWriteResult(context, await perform(context, info, deletion, given));
  }

  @Mutation(() => Resource, {
    nullable: true,
    description:
      'Executes all entries of a Bundle of the type transaction, or none (http://hl7.org/fhir/http.html#transaction); returns the Bundle of the type transaction-response.',
  })
  async transaction(
    @Ctx() context: GatewayContext,
    @Info() info: GraphQLResolveInfo,
    @Arg('bundle', () => resourceInputScalar) bundle: JsonObject,
    @Arg('dryRun', () => Boolean, { nullable: true, description: DESCRIPTIONS.dryRun })
    dryRun: boolean | null | undefined,
  ): Promise<Resource> {
    const { core, request, maxDepth } = context;
    const input = await toInput(bundle, maxDepth);
    clearLoaders(context);
    const answer = await core.interactions.bundle(request, {
      input,
      types: ['transaction'],
      isDryRun: dryRun === true,
    });
    for (const [index, entry] of answer.entries.entries())
      reportIssues(context, [String(info.path.key), 'entry', index], entry);
    return toReturnedResource(toResponseText(answer));
  }
}
