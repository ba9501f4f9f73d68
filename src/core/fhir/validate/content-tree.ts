/** Builds content checks from the definitions of a release, one per type and nested element, on first use. */
import type { Definitions } from '../definitions';
import type { JsonObject } from '../json';
import {
  ElementContent,
  ObjectContentCheck,
  PrimitiveContent,
  ResourceContent,
  type ContentMember,
  type ObjectContent,
} from './content-check';
import { rulesOfElement, rulesOfObject } from './content-rules';
import { memberDefinitions, splitObjectName, structureOf, type MemberDefinition } from './member-definition';
import { compilePrimitive } from './primitive';
import type { ValidationRun } from './run';

export class ContentTree {
  private readonly objects = new Map<string, ObjectContentCheck>();
  private readonly resourceCheck = (resource: JsonObject): ObjectContentCheck | undefined => {
    const type = resource['resourceType'];
    return typeof type === 'string' && this.definitions.isResourceType(type) ? this.object(type) : undefined;
  };

  constructor(private readonly definitions: Definitions) {}

  /** Input: the resource for which the run was made, after the check of its structure. */
  check(resource: JsonObject, run: ValidationRun): void {
    this.resourceCheck(resource)?.check(resource, run);
  }

  private object(name: string): ObjectContentCheck {
    let check = this.objects.get(name);
    if (check === undefined) {
      check = new ObjectContentCheck(() => this.read(name, rulesOfObject(this.definitions, name)));
      this.objects.set(name, check);
    }
    return check;
  }

  /** The check of a primitive's id and extensions; the rules of the primitive run with its value. */
  private companion(typeName: string): ObjectContentCheck {
    const name = `_${typeName}`;
    let check = this.objects.get(name);
    if (check === undefined) {
      check = new ObjectContentCheck(() => this.read(typeName, []));
      this.objects.set(name, check);
    }
    return check;
  }

  private read(name: string, rules: ObjectContent['rules']): ObjectContent {
    const [typeName, path] = splitObjectName(name);
    const structure = structureOf(this.definitions, typeName);
    const members = new Map<string, ContentMember>();
    for (const element of structure.children(path)) {
      for (const definition of memberDefinitions(this.definitions, structure, element, 0)) {
        const member = this.member(name, definition);
        if (member !== undefined) members.set(member.place.key, member);
      }
    }
    return { rules, members };
  }

  /** Undefined if there is nothing to check. */
  private member(objectName: string, definition: MemberDefinition): ContentMember | undefined {
    const { kind, place, element, isList } = definition;
    const rulesOf = (type: Parameters<typeof rulesOfElement>[3]) =>
      rulesOfElement(this.definitions, objectName, element, type);
    switch (kind) {
      case 'forbidden':
        return undefined;
      case 'primitive': {
        const rules = rulesOf(definition.type);
        if (rules.length === 0) return undefined;
        return new PrimitiveContent(
          place,
          isList,
          rules,
          compilePrimitive(this.definitions, definition.type.code),
        );
      }
      case 'companion':
        return new ElementContent(place, isList, [], this.companion(definition.type.code));
      case 'resource':
        return new ResourceContent(definition, rulesOf(undefined), this.resourceCheck);
      case 'object': {
        const { type, objectName: inner } = definition;
        return new ElementContent(place, isList, rulesOf(type), this.object(inner));
      }
    }
  }
}
