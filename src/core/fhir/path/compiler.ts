/** Compiles syntax to closures. Refuses unsupported functions and variables here, not during evaluation. */
import {
  NEEDS,
  typeError,
  unsupported,
  type CallSite,
  type Compiled,
  type FunctionTable,
  type CompileContext,
} from './compiled';
import { COLLECTIONS } from './functions/collections';
import { CONVERSIONS } from './functions/conversions';
import { EXISTENCE } from './functions/existence';
import { FHIR } from './functions/fhir';
import { MATHEMATICS } from './functions/mathematics';
import { TEXT } from './functions/text';
import { JsonNameError } from './error';
import { firstMembers, MemberStep, selectMembers } from './member';
import { markSearched } from './membership';
import { toJsonNumber } from './number';
import { compileBinary, compilePolarity } from './operators';
import type { BinarySyntax, CallSyntax, LiteralSyntax, MemberSyntax, PathSyntax } from './syntax';
import { isAbstractResource, SYSTEM_NODES, type TypeNode } from './type-node';
import { checkType, compileIs, compileOfType, membersOf, typeTest } from './types';
import { EMPTY, FALSE, single, TRUE, type PathNodes } from './value';
import { compileVariable } from './variables';

/** All functions, by name. */
export const FUNCTIONS: FunctionTable = {
  ...EXISTENCE,
  ...COLLECTIONS,
  ...TEXT,
  ...CONVERSIONS,
  ...MATHEMATICS,
  ...FHIR,
};

/** Throws UnsupportedPathError; in strict mode PathTypeError too. */
export function compileSyntax(syntax: PathSyntax, context: CompileContext): Compiled {
  const isTrivial = syntax.kind === 'variable' || syntax.kind === 'literal' || syntax.kind === 'empty';
  if (isTrivial) return compileKind(syntax, context);
  const { isFromClient } = context;
  const compiled = isFromClient ? counted(compileKind(syntax, context)) : compileKind(syntax, context);
  const { needs } = compiled;
  if (needs === undefined) return compiled;
  // The values of a client expression must not stay in memory as long as the expression.
  if (needs === 0 && !isFromClient) return constant(compiled);
  return (needs & (NEEDS.focus | NEEDS.total)) === 0 ? cached(compiled, needs) : compiled;
}

/** Counts each evaluation of a part of an expression, and its values. */
function counted(compiled: Compiled): Compiled {
  const { run, test } = compiled;
  return {
    ...compiled,
    run: (focus, scope) => {
      scope.spend(1);
      const found = run(focus, scope);
      if (found.length > 1) scope.makeValues(found.length);
      return found;
    },
    ...(test && {
      test: (focus, scope) => {
        scope.spend(1);
        return test(focus, scope);
      },
    }),
  };
}

/** Caches a constant such as `('a' | 'b')` on first use, because it may throw in strict mode. */
function constant({ run, nodes, needs }: Compiled): Compiled {
  let found: PathNodes | undefined;
  return { run: (focus, scope) => (found ??= run(focus, scope)), nodes, needs };
}

/** Caches a value that is constant throughout an evaluation or a resource. */
function cached(compiled: Compiled, needs: number): Compiled {
  const { run, nodes } = compiled;
  const isOfResource = needs === NEEDS.resource;
  return {
    run: (focus, scope) => {
      const findings = isOfResource ? scope.cachedResourceValues : scope.cachedValues;
      let found = findings.get(compiled);
      if (!found) {
        found = run(focus, scope);
        findings.set(compiled, found);
        markSearched(found);
      }
      return found;
    },
    nodes,
    needs,
  };
}

function compileKind(syntax: PathSyntax, context: CompileContext): Compiled {
  switch (syntax.kind) {
    case 'literal':
      return compileLiteral(syntax);
    case 'empty':
      return { run: () => EMPTY, nodes: [], needs: 0 };
    case 'this':
      return { run: (_focus, scope) => scope.self, nodes: context.focus, needs: NEEDS.focus };
    case 'index':
      return {
        run: (_focus, scope) => single(scope.index, 'Integer'),
        nodes: [SYSTEM_NODES.Integer],
        needs: NEEDS.focus,
      };
    case 'total':
      return { run: (_focus, scope) => scope.total, nodes: undefined, needs: NEEDS.total };
    case 'variable':
      return compileVariable(syntax.name, syntax);
    case 'member':
      return compileMember(syntax, context);
    case 'call':
      return compileCall(syntax, context);
    case 'indexer':
      return compileIndexer(compileSyntax(syntax.on, context), compileSyntax(syntax.index, context));
    case 'polarity': {
      const operand = compileSyntax(syntax.operand, context);
      return { ...compilePolarity(syntax.operator, operand), needs: operand.needs };
    }
    case 'binary': {
      refuseUnits(syntax);
      const [left, right] = [compileSyntax(syntax.left, context), compileSyntax(syntax.right, context)];
      return { ...compileBinary(syntax.operator, left, right), needs: needsOf(left, right) };
    }
    case 'type': {
      checkType(syntax.typeName, context, syntax);
      const operand = compileSyntax(syntax.operand, context);
      const compile = syntax.operator === 'is' ? compileIs : compileOfType;
      return { ...compile(operand, syntax.typeName, context), needs: operand.needs };
    }
  }
}

/** Products of units would need UCUM's whole algebra. */
function refuseUnits(syntax: BinarySyntax): void {
  if (syntax.operator !== '*' && syntax.operator !== '/') return;
  for (const side of [syntax.left, syntax.right]) {
    if (side.kind === 'literal' && side.type === 'Quantity')
      throw unsupported(`${syntax.operator} of quantities`, syntax);
  }
}

function compileLiteral(syntax: LiteralSyntax): Compiled {
  const nodes = literalNodes(syntax);
  return { run: () => nodes, nodes: [SYSTEM_NODES[syntax.type]], needs: 0 };
}

function literalNodes({ type, text, unit, isCalendar }: LiteralSyntax): PathNodes {
  switch (type) {
    case 'Boolean':
      return text === 'true' ? TRUE : FALSE;
    case 'Integer':
    case 'Decimal':
      return single(toJsonNumber(text), type);
    case 'Quantity': {
      const value = toJsonNumber(text);
      const calendarUnit = isCalendar ? (unit ?? '').replace(/s$/, '') : undefined;
      return single(
        calendarUnit === undefined ? { value, code: unit ?? '1' } : { value, unit: calendarUnit },
        type,
      );
    }
    case 'DateTime':
      // `@2015T` is a date-time of the precision of a year.
      return single(text.replace(/T$/, ''), type);
    default:
      return single(text, type);
  }
}

function focusOf({ focus }: CompileContext): Compiled {
  return { run: (nodes) => nodes, nodes: focus, steps: [], needs: NEEDS.focus };
}

/** True if a choice of the type has this name in JSON. */
function hasJsonName(node: TypeNode, name: string): boolean {
  return [...node.elements].some((accesses) => accesses.some(({ key }) => key === name));
}

function compileMember(syntax: MemberSyntax, context: CompileContext): Compiled {
  const { model, isStrict } = context;
  if (!syntax.on && /^[A-Z]/.test(syntax.name)) return compileTypePrefix(syntax, context);
  const on = syntax.on ? compileSyntax(syntax.on, context) : focusOf(context);
  if (syntax.name === 'value' && on.nodes?.every(isAbstractResource) !== true) {
    const isOfPrimitive = on.nodes?.some(({ isPrimitive }) => isPrimitive) ?? true;
    if (isOfPrimitive) return compileValue(on, context);
  }
  const nodes = elementNodes(on.nodes, syntax.name);
  if (isStrict && nodes?.length === 0 && on.nodes && on.nodes.length > 0) {
    const reason = `${on.nodes.map((node) => node.name).join(', ')} has no element '${syntax.name}'`;
    if (on.nodes.some((node) => hasJsonName(node, syntax.name)))
      throw new JsonNameError(`${reason}, which is its name in JSON`, syntax.position);
    throw typeError(reason, syntax);
  }
  const step = new MemberStep(syntax.name);
  if (on.steps) {
    const steps = [...on.steps, step];
    const members = firstMembers(steps, context.focus);
    return {
      run: (focus, scope) => selectMembers(steps, focus, model, scope),
      nodes,
      steps,
      needs: on.needs,
      ...(members && { members }),
    };
  }
  const steps = [step];
  return {
    run: (focus, scope) => selectMembers(steps, on.run(focus, scope), model, scope),
    nodes,
    needs: on.needs,
    ...membersOf(on),
  };
}

/** `value` of a primitive is its FHIRPath value (the definitions of primitive types have this element). */
function compileValue(on: Compiled, { model }: CompileContext): Compiled {
  const step = new MemberStep('value');
  return {
    run: (focus, scope) =>
      on.run(focus, scope).flatMap((node) => {
        if (!node.node.isPrimitive) return selectMembers([step], [node], model, scope);
        const { kind } = node.node;
        return node.value === null || kind === 'Object' ? EMPTY : single(node.value, kind);
      }),
    nodes: on.nodes?.flatMap((node) => {
      if (!node.isPrimitive) return node.accesses('value').map((access) => access.node);
      return node.kind === 'Object' ? [] : [SYSTEM_NODES[node.kind]];
    }),
    needs: on.needs,
  };
}

/** Undefined if a value's own resourceType determines its type. */
function elementNodes(nodes: readonly TypeNode[] | undefined, name: string): readonly TypeNode[] | undefined {
  if (!nodes || nodes.some(isAbstractResource)) return undefined;
  return [...new Set(nodes.flatMap((node) => node.accesses(name).map((access) => access.node)))];
}

/** `Patient.name`: a path may begin with the type of its focus (http://hl7.org/fhirpath/N1/#path-selection). */
function compileTypePrefix(syntax: MemberSyntax, context: CompileContext): Compiled {
  const { model, focus, isStrict } = context;
  if (!model.hasType(syntax.name)) {
    if (isStrict) throw typeError(`The type '${syntax.name}' does not exist`, syntax);
    return { run: () => EMPTY, nodes: [], needs: 0 };
  }
  const test = typeTest(model, syntax.name);
  const hasKnownTypes = focus !== undefined && !focus.some(isAbstractResource);
  if (hasKnownTypes && focus.every(test)) return focusOf(context);
  if (hasKnownTypes && !focus.some(test) && isStrict)
    throw typeError(`The focus is not of the type ${syntax.name}`, syntax);
  return {
    ...compileOfType({ run: (nodes) => nodes, nodes: focus }, syntax.name, context),
    needs: NEEDS.focus,
  };
}

function compileIndexer(on: Compiled, index: Compiled): Compiled {
  return {
    run: (focus, scope) => {
      const number = index.run(scope.self, scope)[0]?.value;
      const node = typeof number === 'number' ? on.run(focus, scope)[number] : undefined;
      return node ? [node] : EMPTY;
    },
    nodes: on.nodes,
    needs: needsOf(on, index),
  };
}

/** Combines the dependencies of several parts; undefined if those of one are unknown. */
function needsOf(...parts: readonly Compiled[]): number | undefined {
  let needs = 0;
  for (const part of parts) {
    if (part.needs === undefined) return undefined;
    needs |= part.needs;
  }
  return needs;
}

function compileCall(syntax: CallSyntax, context: CompileContext): Compiled {
  const found = Object.hasOwn(FUNCTIONS, syntax.name) ? FUNCTIONS[syntax.name] : undefined;
  if (!found) throw unsupported(`${syntax.name}()`, syntax);
  const [least, most, compile] = found;
  const count = syntax.arguments.length;
  if (count < least || count > most) throw unsupported(`${syntax.name}() with ${count} arguments`, syntax);
  const on = syntax.on ? compileSyntax(syntax.on, context) : focusOf(context);
  const part = (index: number): PathSyntax => {
    const argument = syntax.arguments[index];
    if (!argument) throw unsupported(`${syntax.name}() without argument ${index + 1}`, syntax);
    return argument;
  };
  const parts: Compiled[] = [on];
  const call: CallSite = {
    syntax,
    on,
    context,
    argument: (index) => {
      const argument = compileSyntax(part(index), context);
      parts.push(argument);
      return argument;
    },
    criterion: (index) => {
      const criterion = compileSyntax(part(index), { ...context, focus: on.nodes });
      // The focus of a criterion is a value of `on`, whose dependencies count already.
      parts.push({ ...criterion, needs: criterion.needs && criterion.needs & ~NEEDS.focus });
      return criterion;
    },
    typeName: (index) => readTypeName(part(index)),
  };
  const compiled = compile(call);
  const needs = needsOf(...parts);
  return {
    ...compiled,
    needs: needs === undefined ? undefined : needs | (compiled.needs ?? 0),
    ...(compiled.members === undefined && SELECTING.has(syntax.name) ? membersOf(on) : {}),
  };
}

/** Functions that return the empty collection when they are called on it. */
const SELECTING: ReadonlySet<string> = new Set([
  'where',
  'ofType',
  'as',
  'extension',
  'resolve',
  'first',
  'last',
  'tail',
  'select',
]);

/** Reads a type name in the position of an expression, as in `is(FHIR.Patient)`. */
function readTypeName(syntax: PathSyntax): string {
  if (syntax.kind === 'member' && !syntax.on) return syntax.name;
  if (syntax.kind === 'member' && syntax.on?.kind === 'member' && !syntax.on.on)
    return `${syntax.on.name}.${syntax.name}`;
  throw typeError('A type is expected here', syntax);
}
