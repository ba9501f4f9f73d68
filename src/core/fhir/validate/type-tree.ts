/** Builds structural checks from the definitions of a release, one per type and nested element, on first use. */
import type { Definitions, ElementDefinition, ElementType, TypeStructure } from '../definitions';
import { withArticle } from './found';
import { ForbiddenMember, TypeNameMember, type Member } from './member';
import { memberDefinitions, splitObjectName, structureOf, type MemberDefinition } from './member-definition';
import { structuralRules } from './native-rules';
import { ObjectCheck, type ObjectKind, type ObjectShape } from './object-check';
import type { ElementChoice } from './element-choice';
import { ObjectListMember, ObjectMember, ResourceMember } from './object-member';
import { compilePrimitive } from './primitive';
import {
  CompanionListMember,
  CompanionMember,
  PrimitiveListMember,
  PrimitiveMember,
  type PrimitiveOptions,
} from './primitive-member';
import { FragmentCheck, TargetCheck } from './reference-target';
import { ResourceCheck } from './resource-check';
import { choiceSuffix } from '../../../../packages/fhir-values/choice-name';

export class TypeTree {
  readonly resources: ResourceCheck;
  private readonly objects = new Map<string, ObjectCheck>();
  private readonly primitives = new Map<string, PrimitiveOptions>();

  constructor(private readonly definitions: Definitions) {
    this.resources = new ResourceCheck(definitions, (typeName) => this.object(typeName));
  }

  /** Input: a type that is not primitive (`Patient`), or a nested element (`Patient.contact`). */
  private object(name: string): ObjectCheck {
    let check = this.objects.get(name);
    if (check === undefined) {
      const [typeName, path] = splitObjectName(name);
      const structure = structureOf(this.definitions, typeName);
      const kind = path === '' && structure.kind === 'resource' ? 'resource' : 'element';
      check = this.makeObject(name, kind, structure, path);
      this.objects.set(name, check);
    }
    return check;
  }

  /** The check of a primitive's id and extensions. */
  private companion(typeName: string): ObjectCheck {
    const name = `_${typeName}`;
    let check = this.objects.get(name);
    if (check === undefined) {
      check = this.makeObject(typeName, 'companion', structureOf(this.definitions, typeName), '');
      this.objects.set(name, check);
    }
    return check;
  }

  private makeObject(name: string, kind: ObjectKind, structure: TypeStructure, path: string): ObjectCheck {
    const rules = structuralRules(name, this.definitions);
    return new ObjectCheck(name, kind, () => this.shape(kind, structure, path), rules);
  }

  private shape(kind: ObjectKind, structure: TypeStructure, path: string): ObjectShape {
    const members = new Map<string, Member>();
    const required: ObjectShape['required'][number][] = [];
    const choices: ElementChoice[] = [];
    if (kind === 'resource') members.set('resourceType', new TypeNameMember());
    let nextBit = 1;
    for (const element of structure.children(path)) {
      let bit = 0;
      if (element.min > 0 || element.isChoice) {
        bit = nextBit;
        nextBit <<= 1;
        if (bit <= 0)
          throw new Error(`${structure.name}.${path} has more required elements and choices than 31`);
      }
      if (element.min > 0) required.push({ bit, name: element.name, wanted: wantedOf(structure, element) });
      if (element.isChoice)
        choices.push({ name: element.name, types: element.types.map(({ code }) => choiceSuffix(code)) });
      for (const definition of memberDefinitions(this.definitions, structure, element, bit)) {
        members.set(definition.place.key, this.member(definition));
      }
    }
    return { members, required, choices };
  }

  private member(definition: MemberDefinition): Member {
    const { kind, place, element, isList } = definition;
    switch (kind) {
      case 'forbidden':
        return new ForbiddenMember(place);
      case 'primitive': {
        const options = this.primitive(definition.type);
        return isList
          ? new PrimitiveListMember(place, options, element.max)
          : new PrimitiveMember(place, options);
      }
      case 'companion': {
        const object = this.companion(definition.type.code);
        return isList ? new CompanionListMember(place, object) : new CompanionMember(place, object);
      }
      case 'resource':
        return new ResourceMember(
          place,
          this.resources,
          isList ? element.max : undefined,
          definition.isContained,
        );
      case 'object': {
        const { objectName, type } = definition;
        const options = {
          typeName: type?.code ?? objectName,
          object: this.object(objectName),
          targets: type && TargetCheck.of(this.definitions, type),
        };
        return isList ? new ObjectListMember(place, options, element.max) : new ObjectMember(place, options);
      }
    }
  }

  private primitive(type: ElementType): PrimitiveOptions {
    const key = type.targets === undefined ? type.code : `${type.code} ${type.targets.join(' ')}`;
    let options = this.primitives.get(key);
    if (options === undefined) {
      const isUri = this.definitions.conformsTo(type.code, 'uri');
      options = {
        typeName: type.code,
        fault: compilePrimitive(this.definitions, type.code),
        fragments: isUri ? new FragmentCheck(TargetCheck.of(this.definitions, type)) : undefined,
      };
      this.primitives.set(key, options);
    }
    return options;
  }
}

/** Names the types that a missing element could have: `a code`, `a boolean or a dateTime`. */
function wantedOf(structure: TypeStructure, element: ElementDefinition): string {
  const isNested = element.types.length === 0 || structure.children(element.path).length > 0;
  if (isNested) return withArticle(element.contentReference ?? `${structure.name}.${element.path}`);
  const shown = element.types.slice(0, 5).map(({ code }) => withArticle(code));
  return element.types.length > shown.length ? `${shown.join(', ')} or another type` : shown.join(' or ');
}
