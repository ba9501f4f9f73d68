/** http://hl7.org/fhirpath/N1/#math */
import { fault, one, type CallSite, type Compiled, type FunctionTable, type Scope } from '../compiled';
import { isNumber } from '../equality';
import { fromExact, negate, numberSteps, round, toExact, toJsonNumber, type Exact } from '../number';
import { SYSTEM_NODES } from '../type-node';
import { EMPTY, isObject, single, type PathNode, type PathNodes } from '../value';

function numberOf(node: PathNode | undefined, scope: Scope, name: string): Exact | undefined {
  if (!node) return undefined;
  scope.spend(numberSteps(node.value));
  const value = isNumber(node.node.kind) ? toExact(node.value) : undefined;
  if (!value) fault(scope, `${name} takes a number`);
  return value;
}

function toDouble({ unscaled, scale }: Exact): number {
  return Number(`${unscaled}e${-scale}`);
}

/**
 * A function computed with doubles; a result that is not finite is empty. `isWhole`: an integer result of integers is
 * an Integer.
 */
function real(
  compute: (value: number, argument: number) => number,
  isWhole = false,
): (call: CallSite) => Compiled {
  return (call) => {
    const name = `${call.syntax.name}()`;
    const argument = call.syntax.arguments.length > 0 ? call.argument(0).run : undefined;
    return {
      run: (focus, scope) => {
        const node = one(call.on.run(focus, scope), scope, name);
        const given = argument && one(argument(scope.self, scope), scope, name);
        const value = numberOf(node, scope, name);
        const other = argument ? numberOf(given, scope, name) : ZERO;
        if (!value || !other) return EMPTY;
        const result = compute(toDouble(value), toDouble(other));
        if (!Number.isFinite(result)) return EMPTY;
        const areWhole = node?.node.kind === 'Integer' && given?.node.kind === 'Integer';
        return isWhole && areWhole && Number.isInteger(result)
          ? single(result, 'Integer')
          : single(toJsonNumber(String(result)), 'Decimal');
      },
      nodes: isWhole ? undefined : [SYSTEM_NODES.Decimal],
    };
  };
}
const ZERO: Exact = { unscaled: 0n, scale: 0 };

function whole(compute: (value: Exact) => Exact): (call: CallSite) => Compiled {
  return (call) => ({
    run: (focus, scope) => {
      const name = `${call.syntax.name}()`;
      const value = numberOf(one(call.on.run(focus, scope), scope, name), scope, name);
      return value ? single(fromExact(compute(value)), 'Integer') : EMPTY;
    },
    nodes: [SYSTEM_NODES.Integer],
  });
}

/** Returns the greatest integer that is not above the value. */
function floor({ unscaled, scale }: Exact): Exact {
  const factor = 10n ** BigInt(scale);
  const quotient = unscaled / factor;
  return { unscaled: unscaled < 0n && unscaled % factor !== 0n ? quotient - 1n : quotient, scale: 0 };
}

function abs(nodes: PathNodes, scope: Scope): PathNodes {
  const node = one(nodes, scope, 'abs()');
  if (!node) return EMPTY;
  if (node.node === SYSTEM_NODES.Quantity && isObject(node.value)) {
    const value = toExact(node.value['value']);
    return value ? single({ ...node.value, value: fromExact(positive(value)) }, 'Quantity') : EMPTY;
  }
  const value = numberOf(node, scope, 'abs()');
  return value
    ? single(fromExact(positive(value)), node.node.kind === 'Integer' ? 'Integer' : 'Decimal')
    : EMPTY;
}

function positive(value: Exact): Exact {
  return value.unscaled < 0n ? negate(value) : value;
}

export const MATHEMATICS: FunctionTable = {
  abs: [0, 0, ({ on }) => ({ run: (focus, scope) => abs(on.run(focus, scope), scope), nodes: undefined })],
  ceiling: [0, 0, whole((value) => negate(floor(negate(value))))],
  floor: [0, 0, whole(floor)],
  truncate: [0, 0, whole((value) => ({ unscaled: value.unscaled / 10n ** BigInt(value.scale), scale: 0 }))],
  exp: [0, 0, real((value) => Math.exp(value))],
  ln: [0, 0, real((value) => Math.log(value))],
  log: [1, 1, real((value, base) => Math.log(value) / Math.log(base))],
  sqrt: [0, 0, real((value) => Math.sqrt(value))],
  power: [1, 1, real((value, exponent) => value ** exponent, true)],
  round: [
    0,
    1,
    (call) => {
      const digits = call.syntax.arguments.length > 0 ? call.argument(0).run : undefined;
      return {
        run: (focus, scope) => {
          const value = numberOf(one(call.on.run(focus, scope), scope, 'round()'), scope, 'round()');
          const scale = digits ? one(digits(scope.self, scope), scope, 'round()')?.value : 0;
          if (!value || typeof scale !== 'number' || !Number.isInteger(scale)) return EMPTY;
          return scale < 0
            ? fault(scope, 'round() takes a precision of zero or more')
            : single(fromExact(round(value, scale)), 'Decimal');
        },
        nodes: [SYSTEM_NODES.Decimal],
      };
    },
  ],
};
