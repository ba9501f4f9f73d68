/** Builds checks from the definitions of a release: one per type and nested element, each on first use. */
import type { Definitions, ElementDefinition, ElementType, TypeStructure } from '../definitions';
import { withArticle } from './found';
import { ForbiddenMember, TypeNameMember, type Member, type MemberPlace } from './member';
import { structuralRules } from './native-rules';
import { ObjectCheck, type ElementChoice, type ObjectKind, type ObjectShape } from './object-check';
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

export class TypeTree {
  readonly resources: ResourceCheck;
  private readonly objects = new Map<string, ObjectCheck>();
  private readonly primitives = new Map<string, PrimitiveOptions>();

  constructor(private readonly definitions: Definitions) {
    this.resources = new ResourceCheck(definitions, (typeName) => this.object(typeName));
  }

  /** Input: a type that is no primitive (`Patient`), or a nested element (`Patient.contact`). */
  private object(name: string): ObjectCheck {
    let check = this.objects.get(name);
    if (check === undefined) {
      const dot = name.indexOf('.');
      const structure = this.structure(dot < 0 ? name : name.slice(0, dot));
      const kind = dot < 0 && structure.kind === 'resource' ? 'resource' : 'element';
      check = this.makeObject(name, kind, structure, dot < 0 ? '' : name.slice(dot + 1));
      this.objects.set(name, check);
    }
    return check;
  }

  /** Id and extensions of a primitive type. */
  private companion(typeName: string): ObjectCheck {
    const name = `_${typeName}`;
    let check = this.objects.get(name);
    if (check === undefined) {
      check = this.makeObject(name, 'companion', this.structure(typeName), '');
      this.objects.set(name, check);
    }
    return check;
  }

  private makeObject(name: string, kind: ObjectKind, structure: TypeStructure, path: string): ObjectCheck {
    const rules = structuralRules(name, this.definitions);
    return new ObjectCheck(name, kind, () => this.shape(kind, structure, path), rules);
  }

  private structure(typeName: string): TypeStructure {
    const structure = this.definitions.structure(typeName);
    if (structure === undefined)
      throw new Error(`FHIR ${this.definitions.fhirVersion} has no type '${typeName}'`);
    return structure;
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
      const wanted = this.typesOf(structure, element);
      if (element.min > 0) required.push({ bit, name: element.name, wanted: listTypes(wanted) });
      if (element.isChoice)
        choices.push({ name: element.name, types: element.types.map(({ code }) => suffixOf(code)) });
      for (const member of this.membersOf(structure, element, bit)) members.set(member.place.key, member);
    }
    return { members, required, choices };
  }

  /** The members by which an element, or a choice of elements, stands in JSON. */
  private *membersOf(structure: TypeStructure, element: ElementDefinition, bit: number): Generator<Member> {
    const { name, isChoice, contentReference } = element;
    if (contentReference !== undefined) {
      const place = { key: name, step: name, bit };
      yield this.objectMember(place, element, {
        typeName: contentReference,
        object: this.object(contentReference),
      });
      return;
    }
    for (const type of element.types) {
      const place: MemberPlace = isChoice
        ? {
            key: name + suffixOf(type.code),
            step: `${name}.ofType(${type.code})`,
            bit,
            choice: { name, type: type.code },
          }
        : { key: name, step: name, bit };
      yield* this.membersOfType(structure, element, type, place);
    }
  }

  private *membersOfType(
    structure: TypeStructure,
    element: ElementDefinition,
    type: ElementType,
    place: MemberPlace,
  ): Generator<Member> {
    const { kind } = this.structure(type.code);
    if (kind === 'primitive') {
      const companion = isAttribute(structure, element) ? undefined : { ...place, key: `_${place.key}` };
      if (element.max === 0) {
        yield new ForbiddenMember(place);
        if (companion !== undefined) yield new ForbiddenMember(companion);
        return;
      }
      const options = this.primitive(type);
      const object = this.companion(type.code);
      if (isList(element)) {
        yield new PrimitiveListMember(place, options, element.max);
        if (companion !== undefined) yield new CompanionListMember(companion, object);
      } else {
        yield new PrimitiveMember(place, options);
        if (companion !== undefined) yield new CompanionMember(companion, object);
      }
    } else if (element.max === 0) {
      yield new ForbiddenMember(place);
    } else if (kind === 'resource') {
      const isContained = element.path === 'contained';
      yield new ResourceMember(place, this.resources, isList(element) ? element.max : undefined, isContained);
    } else {
      const isNested = structure.children(element.path).length > 0;
      yield this.objectMember(place, element, {
        typeName: type.code,
        object: this.object(isNested ? `${structure.name}.${element.path}` : type.code),
        targets: TargetCheck.of(this.definitions, type.targets, type.code),
      });
    }
  }

  private objectMember(
    place: MemberPlace,
    element: ElementDefinition,
    options: ConstructorParameters<typeof ObjectMember>[1],
  ): Member {
    return isList(element)
      ? new ObjectListMember(place, options, element.max)
      : new ObjectMember(place, options);
  }

  private primitive(type: ElementType): PrimitiveOptions {
    const key = type.targets === undefined ? type.code : `${type.code} ${type.targets.join(' ')}`;
    let options = this.primitives.get(key);
    if (options === undefined) {
      options = {
        typeName: type.code,
        fault: compilePrimitive(this.definitions, type.code),
        fragments: this.definitions.conformsTo(type.code, 'uri')
          ? new FragmentCheck(TargetCheck.of(this.definitions, type.targets, type.code))
          : undefined,
      };
      this.primitives.set(key, options);
    }
    return options;
  }

  private typesOf(structure: TypeStructure, element: ElementDefinition): readonly string[] {
    if (element.types.length > 0 && structure.children(element.path).length === 0)
      return element.types.map(({ code }) => code);
    return [element.contentReference ?? `${structure.name}.${element.path}`];
  }
}

function isList(element: ElementDefinition): boolean {
  return element.max > 1;
}

/**
 * The id of an element and the url of an extension are attributes in XML: they have no extensions themselves
 * (https://hl7.org/fhir/R4/element.html, https://hl7.org/fhir/R4/extensibility.html#xml).
 */
function isAttribute(structure: TypeStructure, element: ElementDefinition): boolean {
  const isResourceId = structure.kind === 'resource' && element.path === 'id';
  if (element.name === 'id') return !isResourceId;
  return structure.name === 'Extension' && element.path === 'url';
}

/** `Quantity` of `valueQuantity`, `DateTime` of `valueDateTime`. */
function suffixOf(typeName: string): string {
  return typeName.charAt(0).toUpperCase() + typeName.slice(1);
}

function listTypes(names: readonly string[]): string {
  const shown = names.slice(0, 5).map(withArticle);
  return names.length > shown.length ? `${shown.join(', ')} or another type` : shown.join(' or ');
}
