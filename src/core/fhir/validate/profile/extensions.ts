/** Checks extensions with available definitions, wherever they occur (https://hl7.org/fhir/R4/extensibility.html). */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json';
import { shorten } from '../../json/fault';
import type { ValidationRun } from '../run';
import { ProfileRun } from './profile-run';
import type { Profiles } from './compiled-profile';
import type { Shape, ShapeMember } from './shape';

/** Returns the urls of the definitions of all extensions in a resource, each once. Cost: one traversal, some µs. */
export function collectExtensionUrls(resource: JsonObject): Set<string> {
  const urls = new Set<string>();
  collect(resource, urls);
  return urls;
}

function collect(value: JsonValue, urls: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) collect(each, urls);
    return;
  }
  for (const name in value) {
    const member = value[name] ?? null;
    if (typeof member !== 'object') continue;
    if (isExtensionName(name) && Array.isArray(member)) {
      for (const extension of member) {
        const url = isJsonObject(extension) ? definitionOf(extension) : undefined;
        if (url !== undefined) urls.add(url);
      }
    }
    collect(member, urls);
  }
}

function isExtensionName(name: string): boolean {
  return name === 'extension' || name === 'modifierExtension';
}

/**
 * Returns the url of an extension's definition. A url without a scheme names a part of the enclosing extension, whose
 * definition describes it.
 */
function definitionOf(extension: JsonObject): string | undefined {
  const url = extension['url'];
  return typeof url === 'string' && url.includes(':') ? url : undefined;
}

/**
 * Checks all extensions of the resource for which `run` was made that have a definition in `profiles`. Extensions that
 * a profile checked in the same run are skipped. Cost: one traversal of the resource, and the checks.
 */
export function checkExtensions(resource: JsonObject, run: ValidationRun, profiles: Profiles): void {
  const shape = profiles.shapes.ofResource(resource);
  if (shape) new ExtensionWalk(ProfileRun.of(run), profiles).object(resource, shape);
}

class ExtensionWalk {
  constructor(
    private readonly at: ProfileRun,
    private readonly profiles: Profiles,
  ) {}

  object(source: JsonObject, shape: Shape): void {
    for (const key in source) {
      const value = source[key];
      if (typeof value !== 'object' || value === null || this.at.isOver) continue;
      const member = shape.member(key);
      if (member) {
        if (!member.isPrimitive) this.values(value, member, source);
      } else if (key.startsWith('_')) {
        const primitive = shape.member(key.slice(1));
        if (primitive?.isPrimitive === true) this.values(value, primitive, source);
      }
    }
  }

  /** Visits objects of a complex type, or the companions of primitives. */
  private values(value: JsonValue, member: ShapeMember, source: JsonObject): void {
    this.at.push(member.step);
    if (!Array.isArray(value)) this.value(value, member, source);
    else {
      value.forEach((each, index) => {
        if (!isJsonObject(each)) return;
        this.at.push(index);
        this.value(each, member, source);
        this.at.pop();
      });
    }
    this.at.pop();
  }

  private value(value: JsonValue, member: ShapeMember, source: JsonObject): void {
    if (!isJsonObject(value)) return;
    const { shapes } = this.profiles;
    if (member.isResource) {
      this.at.inResource(value, member.key, source, () => this.object(value, shapes.ofValue(value, member)));
      return;
    }
    if (member.type.code === 'Extension') this.extension(value, member);
    this.object(value, member.shape);
  }

  private extension(value: JsonObject, { key, shape }: ShapeMember): void {
    const url = definitionOf(value);
    const profile = url === undefined ? undefined : this.profiles.profile(url);
    if (!profile || !this.at.isFirstCheck(profile, value)) return;
    const isModifier = key === 'modifierExtension';
    if (profile.isModifier !== isModifier) {
      const right = profile.isModifier ? 'modifierExtension' : 'extension';
      this.at.report(
        'profile',
        `The extension ${shorten(profile.url)} must be in '${right}', not in '${key}'`,
      );
    }
    profile.checkValue(value, undefined, shape, this.at);
  }
}
