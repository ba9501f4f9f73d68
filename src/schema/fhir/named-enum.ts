import { GraphQLEnumType, Kind, type ValueNode } from 'graphql';

/** HL7's examples write `_reference: patient`; a text of the same name is as good. */
export class NamedEnum extends GraphQLEnumType {
  override parseLiteral(node: ValueNode): unknown {
    return super.parseLiteral(
      node.kind === Kind.STRING ? { kind: Kind.ENUM, value: node.value, loc: node.loc } : node,
      null,
    );
  }
}
