/** Shows the screen of the address. */
import { Suspense, type ComponentProps } from 'react';
import { matchRoutes, useLocation, useRoutes, type RouteObject } from 'react-router';
import { CurrentScreen, type Screen, type Section } from './layout/current-screen';
import { ErrorBoundary } from './layout/error-boundary';
import { Layout } from './layout/layout';
import { Loading } from './layout/loaded';
import { SECTIONS } from './routes';

type Route = RouteObject & Pick<ComponentProps<typeof CurrentScreen>['value'], 'section' | 'screen'>;

function toRoute(section: Section, screen: Screen): Route {
  const { path, screen: Content, frame: Frame } = screen;
  const element = Frame === undefined ? <Content /> : <Frame>{<Content />}</Frame>;
  return { path, element, section, screen };
}

const ROUTES = SECTIONS.flatMap((section) => section.screens.map((screen) => toRoute(section, screen)));

export function App() {
  const { pathname } = useLocation();
  const shown = useRoutes(ROUTES);
  const match = matchRoutes(ROUTES, pathname)?.at(-1);
  const { section, screen } = match?.route ?? { section: { screens: [] }, screen: undefined };
  return (
    <CurrentScreen value={{ section, screen, params: match?.params ?? {} }}>
      <Layout sections={SECTIONS}>
        <ErrorBoundary place={pathname}>
          <Suspense fallback={<Loading />}>{shown}</Suspense>
        </ErrorBoundary>
      </Layout>
    </CurrentScreen>
  );
}
