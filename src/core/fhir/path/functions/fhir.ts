/** Functions on the tree and FHIR's additions (http://hl7.org/fhir/R4/fhirpath.html#functions). */
import type { JsonObject, JsonValue } from '../../json';
import {
  NEEDS,
  fromTest,
  one,
  unsupported,
  type CallSite,
  type Compiled,
  type FunctionTable,
  type Run,
  type Scope,
} from '../compiled';
import { childrenOf, descendantsOf } from '../member';
import { isNarrative } from '../narrative';
import { UnknownMembershipError } from '../error';
import type { PathCoding } from '../scope';
import { SYSTEM_NODES, TYPE_INFO, type TypeModel } from '../type-node';
import { checkType, compileIs, compileOfType } from '../types';
import { EMPTY, isObject, PathNode, single, sourceOf, type PathNodes } from '../value';
import { ID } from '../../resource';

function extension(on: Run, url: string): Run {
  return (focus, scope) => {
    const found: PathNode[] = [];
    for (const node of on(focus, scope)) {
      const source = sourceOf(node);
      const extensions = source?.['extension'];
      const [access] = node.node.accesses('extension');
      if (!Array.isArray(extensions) || !access) continue;
      extensions.forEach((value, index) => {
        scope.spend(1);
        if (isObject(value) && value['url'] === url)
          found.push(new PathNode(value, access.node).at(source, access, index));
      });
    }
    return found.length === 0 ? EMPTY : found;
  };
}

/** Returns the url of extension(), nearly always a literal; a computed url is not supported. */
function literalUrl(call: CallSite): string {
  const argument = call.syntax.arguments[0];
  if (argument?.kind === 'literal' && argument.type === 'String') return argument.text;
  if (argument?.kind === 'variable' && argument.name.startsWith('ext-')) {
    return `http://hl7.org/fhir/StructureDefinition/${argument.name.slice(4)}`;
  }
  throw unsupported('extension() with a url that is not a literal', call.syntax);
}

const REFERENCE = new RegExp(`^(?:.*/)?([A-Z][A-Za-z]+)/(${ID})(?:/_history/${ID})?$`);

/**
 * Resolves references to a contained resource, to one of the same Bundle where the environment knows it, or to a stub
 * of a resource that has only type and id. Reads nothing from storage.
 */
function resolve(nodes: PathNodes, scope: Scope, model: TypeModel): PathNodes {
  const found: PathNode[] = [];
  for (const node of nodes) {
    const target = resolveOne(node, scope, model);
    if (target) found.push(target);
  }
  return found.length === 0 ? EMPTY : found;
}

function resolveOne({ value }: PathNode, scope: Scope, model: TypeModel): PathNode | undefined {
  const reference = isObject(value) ? value['reference'] : value;
  scope.spend(4 + (typeof reference === 'string' ? reference.length >> 3 : 0));
  if (typeof reference === 'string' && reference.startsWith('#'))
    return resolveContained(reference.slice(1), scope, model);
  const bundled = typeof reference === 'string' ? scope.findBundled(reference) : undefined;
  const bundledNode = bundled && model.resourceNode(bundled['resourceType']);
  if (bundled && bundledNode) return new PathNode(bundled, bundledNode);
  const match = typeof reference === 'string' ? REFERENCE.exec(reference) : null;
  const type = match ? match[1] : isObject(value) ? value['type'] : undefined;
  const node = model.resourceNode(type);
  if (!node) return undefined;
  const stub: JsonValue = { resourceType: node.name };
  if (match?.[2] !== undefined) stub['id'] = match[2];
  return new PathNode(stub, node);
}

function resolveContained(id: string, scope: Scope, model: TypeModel): PathNode | undefined {
  for (const root of [scope.rootResource[0], scope.resource[0]]) {
    if (!root || !isObject(root.value)) continue;
    if (id === '') return root;
    const found = containedIn(root, root.value, scope, model).get(id);
    if (found) return found;
  }
  return undefined;
}

/** Returns the contained resources by their ids; the first one if several have the same id. */
function containedIn(
  root: PathNode,
  resource: JsonObject,
  scope: Scope,
  model: TypeModel,
): ReadonlyMap<string, PathNode> {
  const cached = scope.contained.get(resource);
  if (cached) return cached;
  const byId = new Map<string, PathNode>();
  scope.contained.set(resource, byId);
  const contained = resource['contained'];
  if (!Array.isArray(contained)) return byId;
  scope.spend(contained.length);
  const [access] = root.node.accesses('contained');
  for (const [index, inner] of contained.entries()) {
    const id = isObject(inner) ? inner['id'] : undefined;
    const node = isObject(inner) ? model.resourceNode(inner['resourceType']) : undefined;
    if (node && typeof id === 'string' && !byId.has(id))
      byId.set(id, new PathNode(inner, node).at(resource, access, index));
  }
  return byId;
}

/** Returns the codings of a code, Coding or CodeableConcept. */
function codingsOf({ value, system }: PathNode): readonly PathCoding[] {
  if (typeof value === 'string') return [{ ...(system === undefined ? {} : { system }), code: value }];
  if (!isObject(value)) return [];
  const { coding } = value;
  const codings = Array.isArray(coding) ? coding.filter(isObject) : [value];
  return codings.flatMap((each) => {
    const { system: ofCoding, code } = each;
    if (typeof code !== 'string') return [];
    return [{ ...(typeof ofCoding === 'string' ? { system: ofCoding } : {}), code }];
  });
}

/** `memberOf(url)`: true if a code, or one coding of a concept, is in the value set. */
function memberOf(call: CallSite): Compiled {
  const [argument] = call.syntax.arguments;
  if (!call.context.hasTerminology) throw unsupported('memberOf()', call.syntax);
  if (argument?.kind !== 'literal' || argument.type !== 'String')
    throw unsupported('memberOf() with a url that is not a literal', call.syntax);
  const valueSet = argument.text;
  return fromTest((focus, scope) => {
    const node = one(call.on.run(focus, scope), scope, 'memberOf()');
    const codings = node === undefined ? [] : codingsOf(node);
    if (node === undefined) return undefined;
    scope.spend(1 + codings.length);
    if (codings.length === 0) return false;
    const isMember = scope.isMember(valueSet, codings);
    if (isMember === undefined) throw new UnknownMembershipError(valueSet);
    return isMember;
  });
}

function typeFunction(compile: typeof compileIs): (call: CallSite) => Compiled {
  return (call) => {
    const typeName = call.typeName(0);
    checkType(typeName, call.context, call.syntax);
    return compile(call.on, typeName, call.context);
  };
}

function withModel(
  run: (nodes: PathNodes, scope: Scope, model: TypeModel) => PathNodes,
): (call: CallSite) => Compiled {
  return ({ on, context: { model } }) => ({
    run: (focus, scope) => run(on.run(focus, scope), scope, model),
    nodes: undefined,
  });
}

/** Returns the current time in UTC, with a precision of milliseconds. */
function momentNow(
  type: 'Date' | 'DateTime' | 'Time',
  text: (iso: string) => string,
): (call: CallSite) => Compiled {
  return () => ({
    run: (_focus, scope) => single(text(new Date(scope.now).toISOString()), type),
    nodes: [SYSTEM_NODES[type]],
    needs: NEEDS.evaluation,
  });
}

export const FHIR: FunctionTable = {
  children: [0, 0, withModel((nodes, scope, model) => childrenOf(nodes, model, scope))],
  descendants: [0, 0, withModel((nodes, scope, model) => descendantsOf(nodes, model, scope))],
  resolve: [0, 0, (call) => ({ ...withModel(resolve)(call), needs: NEEDS.resource })],
  extension: [
    1,
    1,
    (call) => {
      const node = call.context.model.node('Extension');
      return {
        run: extension(call.on.run, literalUrl(call)),
        nodes: node && [node],
      };
    },
  ],
  memberOf: [1, 1, memberOf],
  is: [1, 1, typeFunction(compileIs)],
  as: [1, 1, typeFunction(compileOfType)],
  ofType: [1, 1, typeFunction(compileOfType)],
  type: [
    0,
    0,
    ({ on }) => ({
      run: (focus, scope) =>
        on.run(focus, scope).map(({ node: { namespace, name } }) => {
          scope.spend(2);
          return new PathNode({ namespace, name }, TYPE_INFO);
        }),
      nodes: [TYPE_INFO],
    }),
  ],
  hasValue: [
    0,
    0,
    ({ on }) =>
      fromTest((focus, scope) => {
        const nodes = on.run(focus, scope);
        const node = nodes.length === 1 ? nodes[0] : undefined;
        return (
          node !== undefined && node.value !== null && node.node.kind !== 'Object' && !isObject(node.value)
        );
      }),
  ],
  getValue: [
    0,
    0,
    ({ on }) => ({
      run: (focus, scope) => {
        const node = one(on.run(focus, scope), scope, 'getValue()');
        if (!node?.node.isPrimitive || node.value === null || node.node.kind === 'Object') return EMPTY;
        return single(node.value, node.node.kind);
      },
      nodes: undefined,
    }),
  ],
  trace: [1, 2, ({ on }) => on],
  htmlChecks: [
    0,
    0,
    ({ on }) =>
      fromTest((focus, scope) => {
        const node = one(on.run(focus, scope), scope, 'htmlChecks()');
        if (typeof node?.value !== 'string') return undefined;
        scope.spend(node.value.length >> 2);
        return isNarrative(node.value);
      }),
  ],
  now: [0, 0, momentNow('DateTime', (iso) => iso)],
  today: [0, 0, momentNow('Date', (iso) => iso.slice(0, 10))],
  timeOfDay: [0, 0, momentNow('Time', (iso) => iso.slice(11, 23))],
};
