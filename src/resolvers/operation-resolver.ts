import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { fhirError, type Invocation, type JsonObject, type JsonValue, RELEASES } from '../core/index';
import { DECIMAL_MARK } from '../schema/json';
import { RawJson } from '../schema/raw-json';
import { parametersInputScalar, resourceTypePlaceholder } from '../schema/scalars';
import { Metadata } from '../schema/types/metadata';
import { InvokeResult, OperationInfo, OperationLevel } from '../schema/types/operation';
import { clearLoaders } from './changes/clear-loaders';
import type { GatewayContext } from './context';
import { toInput } from './json-document';
import { toResultText } from './page-bundle';
import { toReturnedResource } from './resource-source';

/** Returns the text of a simple value. A marked decimal is its literal after the mark. */
function toSimple(name: string, value: JsonValue): [name: string, value: string] {
  if (typeof value === 'string')
    return [name, value.startsWith(DECIMAL_MARK) ? value.slice(DECIMAL_MARK.length) : value];
  if (typeof value === 'number' || typeof value === 'boolean') return [name, String(value)];
  throw fhirError('operationInputInvalid', {
    reason: `'${name}' is not a simple value; give the whole input as a Parameters resource`,
  });
}

/** Uses a Parameters resource or any other resource as the input. Other objects are names and simple values. */
async function toArguments(
  parameters: JsonObject | null | undefined,
  maxDepth: number,
): Promise<Pick<Invocation, 'input' | 'query'>> {
  if (!parameters) return {};
  if ('resourceType' in parameters) return { input: await toInput(parameters, maxDepth) };
  const query = Object.entries(parameters).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((single) => toSimple(name, single)),
  );
  return { query };
}

function toLevel(type: string | null | undefined, id: string | null | undefined): OperationLevel {
  if (typeof id === 'string') return OperationLevel.INSTANCE;
  return typeof type === 'string' ? OperationLevel.TYPE : OperationLevel.SYSTEM;
}

@Resolver()
export class OperationResolver {
  @Query(() => Metadata, {
    nullable: true,
    description: 'The capabilities of this server in this FHIR release.',
  })
  async metadata(@Ctx() context: GatewayContext): Promise<Metadata> {
    const { core, request } = context;
    const { release } = request.space;
    const { text } = await core.interactions.capabilities(request);
    return {
      fhirVersion: RELEASES[release].fhirVersion,
      resourceTypes: core.interactions.resourceTypes(release),
      json: new RawJson(text),
    };
  }

  @Query(() => [OperationInfo], { description: 'The operations that `invoke` supports.' })
  operations(
    @Ctx() context: GatewayContext,
    @Arg('level', () => OperationLevel, { nullable: true }) level: OperationLevel | null | undefined,
    @Arg('type', () => resourceTypePlaceholder, {
      nullable: true,
      description: 'Only operations of this type.',
    })
    type: string | null | undefined,
  ): OperationInfo[] {
    return context.core.interactions
      .operations(context.request.space.release)
      .filter((operation) => !level || operation.levels.includes(level))
      .filter((operation) => !type || operation.types.includes(type) || operation.types.includes('Resource'))
      .map((operation) => ({ ...operation }));
  }

  @Mutation(() => InvokeResult, {
    nullable: true,
    description:
      'Runs an operation (http://hl7.org/fhir/operations.html) on the server, a type or a resource.',
  })
  async invoke(
    @Ctx() context: GatewayContext,
    @Arg('code', () => String, { description: 'Without the leading `$`: `expand`.' }) code: string,
    @Arg('level', () => OperationLevel, {
      nullable: true,
      description: 'Default: derived from `type` and `id`.',
    })
    level: OperationLevel | null | undefined,
    @Arg('type', () => resourceTypePlaceholder, { nullable: true }) type: string | null | undefined,
    @Arg('id', () => ID, { nullable: true }) id: string | null | undefined,
    @Arg('parameters', () => parametersInputScalar, { nullable: true })
    parameters: JsonObject | null | undefined,
  ): Promise<InvokeResult> {
    clearLoaders(context);
    const result = await context.core.interactions.invoke(context.request, {
      level: level ?? toLevel(type, id),
      type: type ?? undefined,
      id: id ?? undefined,
      code,
      safe: false,
      ...(await toArguments(parameters, context.maxDepth)),
    });
    const text = toResultText(result);
    return { resource: toReturnedResource(text), json: new RawJson(text) };
  }
}
