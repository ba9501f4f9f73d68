/** Loads the profiles for validation; they are compiled once per space and cached while they are current. */
import type { Space } from '../context';
import { loadDefinitions } from '../fhir/definitions';
import type { JsonObject } from '../fhir/json';
import { ValidationRun } from '../fhir/validate/run';
import type { Finding, ResourceProfile } from '../fhir/validate';
import { checkClaim, collectClaims, reportClaim, type ProfileClaim } from '../fhir/validate/profile/claims';
import { checkExtensions, collectExtensionUrls } from '../fhir/validate/profile/extensions';
import { Questionnaires } from './questionnaires';
import { SpaceProfiles, unresolvedSentence, type ParsedStructures } from './space-profiles';
import type { StructureSource } from './structure-source';
import type { WantedProfiles, LoadedProfiles } from './wanted-profiles';
import { createCache } from '../memory/create-cache';

/** Limit on the different profiles and extensions for one resource. */
const MAX_PROFILES = 200;
const MAX_SPACES = 200;
/** Cache limit on compiled StructureDefinitions of all spaces, in characters; some five times as many bytes. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** The same for parsed StructureDefinitions. */
const MAX_PARSED_CHARACTERS = 32 * 1024 * 1024;

interface Versioned {
  /** Version of the StructureDefinitions. */
  readonly version: string;
  readonly profiles: SpaceProfiles;
}

export class ProfileLoader {
  private readonly spaces = createCache<number, Versioned>({
    name: 'profiles',
    scope: 'data',
    max: MAX_SPACES,
    maxSize: MAX_CHARACTERS,
  });
  private readonly parsed: ParsedStructures;
  private readonly questionnaires: Questionnaires;

  constructor(private readonly source: StructureSource) {
    const parsed = createCache<string, JsonObject>({
      name: 'parsed-profiles',
      scope: 'data',
      maxSize: MAX_PARSED_CHARACTERS,
    });
    this.questionnaires = new Questionnaires(source);
    this.parsed = {
      get: (key) => parsed.get(key),
      put: (key, structure, size) => void parsed.set(key, structure, { size: Math.max(1, size) }),
    };
  }

  /**
   * Returns the checks of a resource's profiles, and findings for unresolved ones; undefined, at once, when it has no
   * profiles. Nothing is older than the start of the call: one statement reads the last change of the
   * StructureDefinitions that the space can read. Throws storage errors.
   */
  profilesOf(
    space: Space,
    resource: JsonObject,
    wanted: WantedProfiles,
  ): Promise<LoadedProfiles> | undefined {
    const claims = collectClaims(resource, loadDefinitions(space.release));
    const extensions = wanted.everyExtension === true ? [...collectExtensionUrls(resource)] : [];
    if (claims.length === 0 && wanted.requested.length === 0 && extensions.length === 0) return undefined;
    return this.loadFor(space, resource, { claims, extensions, wanted });
  }

  /** See `SpaceProfiles.faultsOfDifferential`. Cost: some milliseconds, and a statement or two for each definition. */
  async faultsOfDifferential(space: Space, structure: JsonObject): Promise<readonly Finding[]> {
    const { profiles } = await this.current(space);
    return profiles.faultsOfDifferential(structure);
  }

  /** Loads profiles and everything that they name, and returns the profiles of the space. */
  async load(space: Space, canonicals: readonly string[]): Promise<SpaceProfiles> {
    const { version, profiles } = await this.current(space);
    await profiles.load(canonicals);
    if (this.spaces.peek(space.number)?.profiles === profiles) this.cache(space, { version, profiles });
    return profiles;
  }

  private async current(space: Space): Promise<Versioned> {
    const version = await this.source.version(space, 'structures');
    const cached = this.spaces.get(space.number);
    if (cached?.version === version && !cached.profiles.isFull && (await this.hasSameCodes(space, cached)))
      return cached;
    const made = { version, profiles: new SpaceProfiles(space, this.source, this.parsed) };
    // Stored before loading, so that concurrent calls share it.
    this.cache(space, made);
    return made;
  }

  private async hasSameCodes(space: Space, { profiles: { terminology } }: Versioned): Promise<boolean> {
    return terminology === undefined || terminology === (await this.source.version(space, 'terminology'));
  }

  private cache(space: Space, versioned: Versioned): void {
    this.spaces.set(space.number, versioned, { size: 1 + versioned.profiles.size });
  }

  private async loadFor(
    space: Space,
    resource: JsonObject,
    {
      claims,
      extensions,
      wanted,
    }: { claims: readonly ProfileClaim[]; extensions: readonly string[]; wanted: WantedProfiles },
  ): Promise<LoadedProfiles> {
    const requested = [...new Set(wanted.requested)];
    const claimed = new Set([...requested, ...claims.flatMap(({ profiles }) => profiles)]);
    const urls = [...claimed].slice(0, MAX_PROFILES);
    const profiles = await this.load(space, [...urls, ...extensions].slice(0, MAX_PROFILES));
    const isLoaded = new Set(urls);
    const faultOf = (url: string): string | undefined =>
      isLoaded.has(url)
        ? profiles.faultOf(url)
        : `at most ${MAX_PROFILES} profiles are looked up for one resource`;
    const checks: ResourceProfile[] = [];
    const run = new ValidationRun(typeOf(resource), resource, true);
    for (const url of requested) {
      const fault = faultOf(url);
      const profile = profiles.set.profile(url);
      if (fault === undefined && profile) checks.push(profile);
      else run.report('unresolved', unresolvedSentence(url, fault ?? ''));
    }
    for (const claim of claims) {
      for (const url of claim.profiles) {
        const fault = faultOf(url);
        const profile = profiles.set.profile(url);
        if (fault === undefined && profile)
          checks.push({ check: (_root, at) => checkClaim(claim, profile, at) });
        else
          reportClaim(claim, url, run, (below) =>
            run.report('unresolved', unresolvedSentence(url, fault ?? ''), below, 'warning'),
          );
      }
    }
    if (urls.length + extensions.length > MAX_PROFILES) {
      const sentence = `At most ${MAX_PROFILES} definitions of extensions are looked up for one resource`;
      run.report('tooCostly', sentence, [], 'information');
    }
    if (extensions.length > 0) checks.push({ check: (root, at) => checkExtensions(root, at, profiles.set) });
    checks.push(...(await this.questionnaires.checksOf(space, resource, claims)));
    return { profiles: checks, findings: run.findings };
  }
}

function typeOf(resource: JsonObject): string {
  const type = resource['resourceType'];
  return typeof type === 'string' ? type : '';
}
