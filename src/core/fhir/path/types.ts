/** is, as and ofType (http://hl7.org/fhirpath/N1/#types), also for the resource types of references after resolve(). */
import { fromTest, one, typeError, type Compiled, type CompileContext } from './compiled';
import { firstMembers, selectMembers } from './member';
import type { PathSyntax } from './syntax';
import { isAbstractResource, type TypeModel, type TypeNode } from './type-node';
import { EMPTY, type PathNode } from './value';

/** Returns a test for nodes of a type. It caches its results, because there are few nodes. */
export function typeTest(model: TypeModel, typeName: string): (node: TypeNode) => boolean {
  const cache = new Map<TypeNode, boolean>();
  return (node) => {
    let answer = cache.get(node);
    if (answer === undefined) cache.set(node, (answer = model.conforms(node, typeName)));
    return answer;
  };
}

export function checkType(typeName: string, { model }: CompileContext, syntax: PathSyntax): void {
  if (!model.hasType(typeName)) throw typeError(`The type '${typeName}' does not exist`, syntax);
}

export function compileIs(operand: Compiled, typeName: string, { model }: CompileContext): Compiled {
  const test = typeTest(model, typeName);
  return fromTest((focus, scope) => {
    const node = one(operand.run(focus, scope), scope, 'is');
    return node && test(node.node);
  });
}

/**
 * Compiles `as` and ofType, also on several values. R4's own search parameters and invariants depend on that
 * (`(Observation.component.value as Quantity)`), although FHIRPath requires a single value for `as`. A primitive must
 * have exactly this type (a code is a string, but not `as string`), as in HL7's test suite; dom-3 depends on it.
 */
export function compileOfType(operand: Compiled, typeName: string, surroundings: CompileContext): Compiled {
  const { model } = surroundings;
  const conforms = typeTest(model, typeName);
  const name = typeName.slice(typeName.indexOf('.') + 1);
  const test = (node: TypeNode): boolean => (node.isPrimitive ? node.name === name : true) && conforms(node);
  const nodes = operand.nodes?.filter(test);
  const last = operand.steps?.at(-1);
  // If the declared types decide, members of other types are not read.
  if (operand.steps && last && operand.nodes && !operand.nodes.some(isAbstractResource)) {
    const steps = [...operand.steps.slice(0, -1), last.withFilter(test)];
    const members = firstMembers(steps, surroundings.focus);
    return {
      run: (focus, scope) => selectMembers(steps, focus, model, scope),
      nodes,
      steps,
      ...(members && { members }),
    };
  }
  return {
    run: (focus, scope) => {
      const found: PathNode[] = [];
      for (const node of operand.run(focus, scope)) if (test(node.node)) found.push(node);
      return found.length === 0 ? EMPTY : found;
    },
    nodes: operand.nodes?.some(isAbstractResource) ? concreteNode(typeName, model) : nodes,
    ...membersOf(operand),
  };
}

/** Returns `members` for an expression that is empty if `operand` is. */
export function membersOf({ members }: Compiled): Pick<Compiled, 'members'> {
  return members === undefined ? {} : { members };
}

function concreteNode(typeName: string, model: TypeModel): readonly TypeNode[] | undefined {
  const node = model.resourceNode(typeName.replace(/^FHIR\./, ''));
  return node && [node];
}
