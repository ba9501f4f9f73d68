import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import { fhirError, type JsonObject, type StoredVersion, type VersionGuard } from '../core/index';
import { resourceInputScalar, resourceTypePlaceholder } from '../schema/scalars';
import { JsonPatchOperation, WriteResult } from '../schema/types/write';
import type { GatewayContext } from './context';
import { toInput } from './json-document';
import { toResource } from './resource-source';

const ifVersionDescription =
  'The version that must be the current one; otherwise the error has the code `conflict`.';

function toGuard(ifVersion: string | null | undefined): VersionGuard | undefined {
  return typeof ifVersion === 'string' ? { ifMatch: [ifVersion] } : undefined;
}

function toResult(version: StoredVersion | undefined, created: boolean, extensionBase: string): WriteResult {
  if (!version) return { created };
  const { type, id, versionId, change } = version;
  return {
    resource: change === 'delete' ? undefined : toResource(version, extensionBase),
    versionId: String(versionId),
    created,
    location: `${type}/${id}/_history/${versionId}`,
  };
}

/** A member of the resource that says where it belongs. */
function requiredText(resource: JsonObject, name: 'resourceType' | 'id'): string {
  const value = resource[name];
  if (typeof value === 'string') return value;
  throw fhirError(
    'requiredMissing',
    { reason: `The resource has no '${name}'` },
    name === 'id' ? 'Resource.id' : undefined,
  );
}

/** Without members that were not given, as RFC 6902 wants its operations; `value: null` was given. */
function toJsonPatch(operations: readonly JsonPatchOperation[]): JsonObject[] {
  return operations.map(({ op, path, from, value }) => ({
    op,
    path,
    ...(from === undefined || from === null ? {} : { from }),
    ...(value === undefined ? {} : { value }),
  }));
}

@Resolver()
export class WriteResolver {
  @Mutation(() => WriteResult, {
    nullable: true,
    description: 'Stores a new resource under an id that the server gives.',
  })
  async create(
    @Ctx() context: GatewayContext,
    @Arg('resource', () => resourceInputScalar) resource: JsonObject,
  ): Promise<WriteResult> {
    const type = requiredText(resource, 'resourceType');
    const input = toInput(resource, context.maxDepth);
    const { version, created } = await context.core.create(context.request, type, input);
    return toResult(version, created, context.extensionBase);
  }

  @Mutation(() => WriteResult, {
    nullable: true,
    description: 'Stores a resource under its own id, as the next version or as the first.',
  })
  async update(
    @Ctx() context: GatewayContext,
    @Arg('resource', () => resourceInputScalar) resource: JsonObject,
    @Arg('ifVersion', () => ID, { nullable: true, description: ifVersionDescription })
    ifVersion: string | null | undefined,
  ): Promise<WriteResult> {
    const type = requiredText(resource, 'resourceType');
    const id = requiredText(resource, 'id');
    const { version, created } = await context.core.update(
      context.request,
      type,
      id,
      toInput(resource, context.maxDepth),
      toGuard(ifVersion),
    );
    return toResult(version, created, context.extensionBase);
  }

  @Mutation(() => WriteResult, {
    nullable: true,
    description: 'Changes a resource by a JSON Patch: all of it or nothing.',
  })
  async patch(
    @Ctx() context: GatewayContext,
    @Arg('type', () => resourceTypePlaceholder) type: string,
    @Arg('id', () => ID) id: string,
    @Arg('patch', () => [JsonPatchOperation]) operations: JsonPatchOperation[],
    @Arg('ifVersion', () => ID, { nullable: true, description: ifVersionDescription })
    ifVersion: string | null | undefined,
  ): Promise<WriteResult> {
    const patch = toInput(toJsonPatch(operations), context.maxDepth);
    const { version, created } = await context.core.patch(
      context.request,
      type,
      id,
      patch,
      toGuard(ifVersion),
    );
    return toResult(version, created, context.extensionBase);
  }

  @Mutation(() => WriteResult, {
    nullable: true,
    description:
      'Deletes a resource; its versions stay in its history. `versionId` is null when there was nothing to delete.',
  })
  async delete(
    @Ctx() context: GatewayContext,
    @Arg('type', () => resourceTypePlaceholder) type: string,
    @Arg('id', () => ID) id: string,
    @Arg('ifVersion', () => ID, { nullable: true, description: ifVersionDescription })
    ifVersion: string | null | undefined,
  ): Promise<WriteResult> {
    const { version } = await context.core.delete(context.request, type, id, toGuard(ifVersion));
    return toResult(version, false, context.extensionBase);
  }
}
