/** The screen that is shown, and the tenant and release that its address names. */
import { createContext, useContext, useEffect, type ComponentType, type ReactNode } from 'react';
import { useLocation, type Params } from 'react-router';
import { isRelease, type Release, type Space } from '../place';
import type { Icon } from './icons/icons';

/** A screen and its address. */
export interface Screen {
  /** The address as a pattern of the router. Its parameters `tenant` and `release` name the space. */
  readonly path: string;
  readonly screen: ComponentType;
  /** The first heading and the title of the tab; undefined: those of the section, or what the screen shows. */
  readonly title?: string;
  /** What the screen stands in, beside the layout of all screens. */
  readonly frame?: ComponentType<{ readonly children: ReactNode }>;
  /** Whether the frame has a link to the screen. */
  readonly isTab?: boolean;
  /** The space whose session its requests use; by default that of the address. */
  readonly session?: (space: Space) => Space;
}

/** What a link of the navigation leads to; its path is undefined where the person has nothing there. */
export interface LinkTarget {
  readonly space: Space;
  readonly administration: string | undefined;
}

/** Screens behind one link of the navigation. */
export interface Section {
  /** Undefined: the navigation has no link. */
  readonly link?: {
    readonly title: string;
    readonly icon: Icon;
    readonly path: (to: LinkTarget) => string | undefined;
  };
  readonly screens: readonly Screen[];
}

interface Current {
  readonly section: Section;
  readonly screen: Screen | undefined;
  readonly params: Params;
}

export const CurrentScreen = createContext<Current>({
  section: { screens: [] },
  screen: undefined,
  params: {},
});

const LAST = 'andiron/last';

/**
 * The space of the address, whose query names the release of screens that have none in their path. What it does not name is
 * that of the last screen of this browser.
 */
export function useSpace(): Space {
  const { params, screen } = useContext(CurrentScreen);
  const query = new URLSearchParams(useLocation().search);
  const last = readLast();
  const tenant = params['tenant'] ?? screen?.session?.(last).tenant ?? last.tenant;
  const release = [params['release'], query.get('release') ?? undefined].find(isRelease) ?? last.release;
  useEffect(() => localStorage.setItem(LAST, JSON.stringify({ tenant, release })), [tenant, release]);
  return { tenant, release };
}

/** The space whose session counts on this screen. */
export function useSessionSpace(): Space {
  const space = useSpace();
  return useContext(CurrentScreen).screen?.session?.(space) ?? space;
}

function readLast(): Space {
  const first: Space = { tenant: 'system', release: 'r4' };
  const text = localStorage.getItem(LAST);
  if (text === null) return first;
  const { tenant, release } = JSON.parse(text) as { tenant?: unknown; release?: unknown };
  return {
    tenant: typeof tenant === 'string' ? tenant : first.tenant,
    release: typeof release === 'string' && isRelease(release) ? release : first.release,
  };
}

/** A function that gives the address of this screen in another release. */
export function useInRelease(): (release: Release) => string {
  const { screen } = useContext(CurrentScreen);
  const { pathname, search } = useLocation();
  return (release) => {
    const place = screen?.path.split('/').indexOf(':release') ?? -1;
    if (place !== -1) return pathname.split('/').with(place, release).join('/');
    const query = new URLSearchParams(search);
    query.set('release', release);
    return `${pathname}?${query.toString()}`;
  };
}
