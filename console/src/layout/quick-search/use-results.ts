import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Failure } from '../../api/failure';
import { readResourceTypes } from '../../editor/resource-types';
import { placeOf } from '../../fhir/search/search-address';
import { fhirPath, resourcePath, type Space } from '../../place';
import { texts } from '../../texts';
import { useSpace, type Section } from '../current-screen';
import { useAdministrationPath } from '../use-administration';
import { addressOfTenant, useKnownTenants } from '../use-known-tenants';
import { usePerson } from '../use-person';
import { findRecords, findTypes, isSearchable } from './find-records';
import { findScreens } from './find-screens';

const { search: words } = texts.common;
const WAIT_MS = 250;
const FRESH_MS = 30_000;
const MOST_SCREENS = 8;
const MOST_TENANTS = 6;

/** Something that the search leads to. */
export interface Result {
  readonly key: string;
  readonly title: string;
  readonly details: string;
  /** A path of the console, or the address of another page. */
  readonly to: { readonly path: string } | { readonly page: string };
}

export interface ResultGroup {
  readonly title: string;
  readonly results: readonly Result[];
}

export interface Results {
  readonly groups: readonly ResultGroup[];
  readonly isSearching: boolean;
  /** Why there are no patients and types; undefined: there is no reason. */
  readonly note: string | undefined;
}

/**
 * What a text finds. What comes from the server stands at the end, so that nothing moves under the keys. Cost: at most one
 * request for each pause of typing, and one for the names of types.
 */
export function useResults(sections: readonly Section[], typed: string): Results {
  const space = useSpace();
  const administration = useAdministrationPath(space);
  const text = typed.trim();
  const screens = findScreens(sections, { space, administration }, text).slice(0, MOST_SCREENS);
  const known = useKnownTenants(space);
  const tenants =
    text === ''
      ? []
      : known.filter(({ name, display }) => `${name} ${display}`.toLowerCase().includes(text.toLowerCase()));
  const { records, isSearching, note } = useRecords(space, text);
  // A word alone is rather a name than the address of a type.
  const address = /[/?]/.test(text) ? placeOf(text, fhirPath(space)) : undefined;
  const groups: readonly ResultGroup[] = [
    {
      title: words.address,
      results:
        address === undefined ? [] : [{ key: 'address', title: text, details: '', to: { path: address } }],
    },
    {
      title: words.screens,
      results: screens.map(({ title, section = '', path }) => ({
        ...{ key: `screen ${path}`, title, details: section, to: { path } },
      })),
    },
    {
      title: words.tenants,
      results: tenants.slice(0, MOST_TENANTS).map(({ name, display }) => ({
        ...{ key: `tenant ${name}`, title: name, details: display === name ? '' : display },
        to: { page: addressOfTenant(name) },
      })),
    },
    {
      title: words.types,
      results: records.types.map((type) => ({
        ...{ key: `type ${type}`, title: type, details: '', to: { path: fhirPath(space, type) } },
      })),
    },
    {
      title: words.patients,
      results: records.patients.map(({ id, title, details }) => ({
        ...{ key: `patient ${id}`, title, details, to: { path: resourcePath(space, 'Patient', id) } },
      })),
    },
  ];
  return { groups: groups.filter(({ results }) => results.length > 0), isSearching, note };
}

const NONE = { patients: [], types: [] };

function useRecords(space: Space, text: string) {
  // The rights are those of the person.
  const person = usePerson(space)?.name;
  const [settled] = useDebouncedValue(text, WAIT_MS);
  const names = useQuery({
    queryKey: ['editor', space, 'types'],
    queryFn: () => readResourceTypes(space),
    staleTime: Infinity,
    retry: false,
  });
  const types = findTypes(names.data ?? [], settled);
  const isAsked = isSearchable(settled) && !names.isPending;
  const found = useQuery({
    queryKey: ['quick-search', space, person, settled, types],
    queryFn: ({ signal }) => findRecords(space, { text: settled, types }, signal),
    enabled: isAsked,
    staleTime: FRESH_MS,
    retry: false,
  });
  const isCurrent = settled === text;
  const isSearching = isSearchable(text) && (!isCurrent || names.isPending || found.isFetching);
  const { error } = found;
  return {
    records: (isCurrent && isAsked ? found.data : undefined) ?? NONE,
    isSearching,
    note: isSearching || error === null ? undefined : noteOf(error),
  };
}

function noteOf(error: Error): string {
  return error instanceof Failure && error.status === 401 ? words.signIn : error.message;
}
